import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse, stoppedBy, undefinedIfMissing } from '../../base/failure.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { allFiles } from '../../files/stored-files.js'
import { count, counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class FilesDelete extends TargetCommand {
  static override summary = 'Delete stored files, by id or a whole folder.'
  static override description =
    prose(`Files that belong to a document or a user go with it, and not by themselves. With --folder it counts the files and
asks first; without a terminal it needs --yes. At the emulator of the folder, svc undo brings several files back.`)
  static override examples = [
    '<%= config.bin %> files delete 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> files delete --folder albums/2026 --yes',
  ]
  static override usage = 'files delete [ID...] [--folder folder]'
  static override args = { id: Args.string({ multiple: true, description: 'ids of the files' }) }
  static override flags = {
    folder: Flags.string({ description: 'everything in this folder and below it', helpValue: 'folder' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(FilesDelete)
    const named = [...new Set(argv.map(String))]
    if (named.length > 0 === (flags.folder !== undefined)) {
      throw misuse('Say which files: ids, or --folder.', 'Give exactly one of them.')
    }
    const { folder } = flags
    const client = this.client(flags)
    const ids = folder === undefined ? named : (await allFiles(client, folder)).map(({ id }) => id)
    if (ids.length > 0) {
      const what = `Delete ${counted(ids.length, 'file')}${folder === undefined ? '' : ` in "${folder}"`}`
      await this.confirmWrite(flags, what, { isAlwaysAsked: folder !== undefined })
    }
    const remove = () => deleteAll(client, ids)
    const isUndoable = ids.length > 1
    const deleted = await (isUndoable
      ? this.undoably(this.requireTarget(flags), this.words(folder), flags, remove)
      : remove())

    if (folder === undefined && deleted === 0) {
      throw new CliFailure('NOT_FOUND', exits.notFound, `None of these ${count(ids.length)} files is there.`)
    }
    const gone = ids.length - deleted
    this.note(`${counted(deleted, 'file')} deleted${gone > 0 ? `, ${count(gone)} gone already` : ''}.`)
    return { deleted }
  }

  private words(folder: string | undefined): string {
    return folder === undefined ? 'files delete' : `files delete --folder ${folder}`
  }
}

/** Answers how many it has deleted: of several, one that is gone by its turn keeps no other. @throws {CliFailure} saying how far it came */
async function deleteAll({ files }: Client, ids: readonly string[]): Promise<number> {
  const [only] = ids
  if (only !== undefined && ids.length === 1) return files.delete(only).then(() => 1)
  let deleted = 0
  for (const id of ids) {
    const failed = (error: unknown): never => {
      const reached = `${count(deleted)} of ${counted(ids.length, 'file')} deleted before it failed`
      throw stoppedBy(error, `${reached}, at "${id}".`)
    }
    const removed = await files.delete(id).catch(undefinedIfMissing).catch(failed)
    if (removed) deleted++
  }
  return deleted
}
