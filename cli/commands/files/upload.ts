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
  static override summary = 'Upload files; their addresses are public.'
  static override description =
    `A folder is stored with all that lies in it and below it, under its own name. What is hidden stays out, and so do links, unless you name them.

What is stored this way belongs to no document and stays until it is deleted.`
  static override examples = [
    '<%= config.bin %> files upload cover.png',
    '<%= config.bin %> files upload photos --to albums/2026',
  ]
  static override usage = 'files upload PATH... [--to folder]'
  static override args = {
    path: Args.string({ multiple: true, required: true, description: 'files and folders to store' }),
  }
  static override flags = {
    to: Flags.string({ default: '', description: 'folder to store them in', helpValue: 'folder' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(FilesUpload)
    const { files: found, links } = await findLocalFiles(argv.map(String), flags.to.replace(/\/$/, ''))
    if (found.length === 0) throw misuse('No files to upload in there.')
    const client = await this.clientForWrite(flags, `Store ${counted(found.length, 'file')}`)
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
        throw found.length > 1 ? stoppedBy(error, `${count(done)} of ${counted(found.length, 'file')} stored.`) : error
      })
      .finally(() => progress.stop())

    const [only] = stored
    if (only && stored.length === 1) this.log(record(fileRow(only)))
    else for (const { url } of stored) this.log(printable(url))
    this.note(`${counted(stored.length, 'file')} stored, ${formatBytes(whole)}`)
    if (links.length > 0) this.note(`${counted(links.length, 'link')} left out: ${links.join(', ')}`)
    return { items: stored }
  }
}
