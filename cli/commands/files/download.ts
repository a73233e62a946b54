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

type Wanted = Pick<StoredFile, 'id' | 'name' | 'path' | 'size' | 'url'>

export default class FilesDownload extends TargetCommand {
  static override summary = 'Download stored files.'
  static override description =
    prose(`One file by its id or address, or a whole folder with all that lies below it. A file is complete
or not there: until then it has a hidden name, as .svc-01234567-89ab. No link in the folder to write to is followed. Of several files of one name in a folder, the newest keeps it; the others
have their ids before it, and so has a file that is called as a folder of them.`)
  static override examples = [
    '<%= config.bin %> files download 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> files download albums/2026 --to backup',
  ]
  static override args = { what: Args.string({ required: true, description: 'id, address or folder' }) }
  static override flags = {
    to: Flags.string({ default: '.', description: 'folder to write to', helpValue: 'folder' }),
    replace: Flags.boolean({ description: 'write over files that are there already' }),
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
          ? stoppedBy(error, `${count(done)} of ${counted(placed.length, 'file')} written.`)
          : error
      })
      .finally(() => progress.stop())

    for (const place of written) this.log(printable(place))
    this.note(`${counted(written.length, 'file')} written${whole > 0 ? `, ${formatBytes(whole)}` : ''}`)
    return { files: written }
  }
}

/** One file lands at the top of the folder to write to; the files of a folder keep their own. */
async function find(client: Client, what: string, target: string): Promise<Wanted[]> {
  if (isId(what)) return [{ ...(await findFile(client, what, target)), path: '' }]
  if (URL.canParse(what)) {
    const name = decodeURIComponent(new URL(what).pathname.split('/').at(-1) ?? '')
    return [{ id: '', name, path: '', size: 0, url: what }]
  }
  const files = await allFiles(client, what)
  if (files.length > 0) return files
  throw new CliFailure('NOT_FOUND', exits.notFound, `No file in "${what}".`, `List them: svc files list${target}`)
}
