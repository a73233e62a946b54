import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { misuse, stoppedBy } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { findLocalFiles, openLocalFile } from '../../files/local-files.js'
import { fileRow } from '../../files/stored-files.js'
import { failAt, transfer } from '../../files/transfers.js'
import { count, counted, record } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { printable } from '../../terminal/text-width.js'

export default class FilesUpload extends TargetCommand {
  static override summary = 'Upload files.'
  static override description =
    `Uploads folders with their subfolders, under their own names. Skips hidden files and links, unless you name them.

The addresses of the files are public. The files do not belong to a document, and stay until you delete them.`
  static override examples = [
    '<%= config.bin %> files upload cover.png',
    '<%= config.bin %> files upload photos --to albums/2026',
  ]
  static override usage = 'files upload PATH... [--to folder]'
  static override args = {
    path: Args.string({ multiple: true, required: true, description: 'files and folders to upload' }),
  }
  static override flags = {
    to: Flags.string({ default: '', description: 'destination folder', helpValue: 'folder' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(FilesUpload)
    const { files: found, links } = await findLocalFiles(argv.map(String), flags.to.replace(/\/$/, ''))
    if (found.length === 0)
      throw misuse('No files to upload.', 'Name files, or folders that contain files. Hidden files must be named.')
    const client = await this.clientForWrite(flags, `Upload ${counted(found.length, 'file')}`)
    const whole = found.reduce((sum, { size }) => sum + size, 0)
    const isWanted = !flags.quiet && !this.jsonEnabled()
    const progress = await startProgress(whole, 'file', { isWanted, writeParts: formatBytes })
    let done = 0
    const stored = await transfer(found, progress, async ({ place, folder }, onBytes) => {
      let before = 0
      const file = await client.files
        .upload(await openLocalFile(place), {
          path: folder,
          onProgress(sentBytes) {
            onBytes(sentBytes - before)
            before = sentBytes
          },
        })
        .catch(found.length > 1 ? failAt(place) : undefined)
      done += 1
      return file
    })
      .catch((error) => {
        throw found.length > 1
          ? stoppedBy(error, `Uploaded ${count(done)} of ${counted(found.length, 'file')}.`)
          : error
      })
      .finally(() => progress.stop())

    const [only] = stored
    if (only && stored.length === 1) this.log(record(fileRow(only)))
    else for (const { url } of stored) this.log(printable(url))
    this.note(`Uploaded ${counted(stored.length, 'file')}, ${formatBytes(whole)}.`)
    if (links.length > 0) this.note(`Skipped ${counted(links.length, 'link')}: ${links.join(', ')}`)
    return { items: stored }
  }
}
