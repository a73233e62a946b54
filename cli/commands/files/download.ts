import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Client } from '../../../client/index.js'
import { isId } from '../../../client/protocol/model/document.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { StoredFile } from '../../../client/protocol/model/file.js'
import { CliFailure, exits, stoppedBy } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { placesFor, writeLocalFile } from '../../files/local-files.js'
import { allFiles, findFile } from '../../files/stored-files.js'
import { failAt, transfer } from '../../files/transfers.js'
import { count, counted } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

type DownloadFile = Pick<StoredFile, 'id' | 'name' | 'path' | 'size' | 'url'>

export default class FilesDownload extends TargetCommand {
  static override summary = 'Download stored files.'
  static override description =
    prose(`Downloads a file by id or address, or a folder with its subfolders. Writes to a hidden file first, so files are always
complete. Does not follow links in the destination. If several files have the same name, the newest keeps it, and the ids are put before the
others. The same applies to a file with the name of a folder.`)
  static override examples = [
    '<%= config.bin %> files download 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> files download albums/2026 --to backup',
  ]
  static override args = { what: Args.string({ required: true, description: 'id or address of a file, or a folder' }) }
  static override flags = {
    to: Flags.string({ default: '.', description: 'folder to write to', helpValue: 'folder' }),
    replace: Flags.boolean({ description: 'overwrite existing files' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(FilesDownload)
    const client = await this.ownerClient(flags)
    const wanted = await find(client, args.what, this.there(''))
    const whole = wanted.reduce((sum, { size }) => sum + size, 0)
    const isWanted = !flags.quiet && !this.jsonEnabled()
    const progress = await startProgress(whole, 'file', { isWanted, writeParts: formatBytes })
    const placed = placesFor(wanted, flags.to)
    let done = 0
    const written = await transfer(placed, progress, async ({ file, place }, onBytes) => {
      const bytes = await client.files.download(file).catch(placed.length > 1 ? failAt(place) : undefined)
      await writeLocalFile(place, bytes, { isReplacing: flags.replace, onBytes, below: flags.to })
      done += 1
      return place
    })
      .catch((error) => {
        throw placed.length > 1
          ? stoppedBy(error, `Downloaded ${count(done)} of ${counted(placed.length, 'file')}.`)
          : error
      })
      .finally(() => progress.stop())

    for (const place of written) this.log(printable(place))
    this.note(`Downloaded ${counted(written.length, 'file')}${whole > 0 ? `, ${formatBytes(whole)}` : ''}.`)
    return { files: written }
  }
}

/** Puts a single file at the top of the destination. Files of a folder keep their paths. */
async function find(client: Client, what: string, target: string): Promise<DownloadFile[]> {
  if (isId(what)) return [{ ...(await findFile(client, what, target)), path: '' }]
  if (URL.canParse(what)) {
    const name = decodeURIComponent(new URL(what).pathname.split('/').at(-1) ?? '')
    return [{ id: '', name, path: '', size: 0, url: what }]
  }
  const files = await allFiles(client, what)
  if (files.length > 0) return files
  throw new CliFailure('NOT_FOUND', exits.notFound, `No files in "${what}".`, `List all files: svc files list${target}`)
}
