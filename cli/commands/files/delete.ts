import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { StoredFile } from '../../../client/protocol/model/file.js'
import { newBackupPlace } from '../../backups/backup-file.js'
import { backupFlag } from '../../backups/backup-flag.js'
import { saveFiles } from '../../backups/saved-files.js'
import { CliFailure, exits, misuse, stoppedBy, undefinedIfMissing } from '../../base/failure.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { allFiles } from '../../files/stored-files.js'
import { count, counted } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class FilesDelete extends TargetCommand {
  static override hiddenAliases = ['files:rm']
  static override summary = 'Delete stored files by id or folder.'
  static override description =
    prose(`To delete a file of a document or user, delete the document or user. With --folder, shows the number of files and asks; needs
--yes without a terminal. On the emulator of this folder, svc undo restores files that you deleted together.`)
  static override examples = [
    '<%= config.bin %> files delete 01999999-9999-7999-8999-999999999999',
    '<%= config.bin %> files delete --folder albums/2026 --yes',
  ]
  static override usage = '<%= command.id %> [ID...] [--folder folder]'
  static override args = { id: Args.string({ multiple: true, description: 'ids of the files' }) }
  static override flags = {
    ...backupFlag,
    folder: Flags.string({ description: 'all files in this folder and its subfolders', helpValue: 'folder' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(FilesDelete)
    const named = [...new Set(argv.map(String))]
    if (named.length > 0 === (flags.folder !== undefined)) {
      throw misuse('Select files by ids or --folder.', 'Use exactly one of them.')
    }
    const { folder } = flags
    const client = this.client(flags)
    const found = folder === undefined ? undefined : await allFiles(client, folder)
    const ids = found?.map(({ id }) => id) ?? named
    if (ids.length > 0) {
      const what = `Delete ${counted(ids.length, 'file')}${folder === undefined ? '' : ` in "${folder}"`}`
      const kind = await this.confirmWrite(flags, what, { isAlwaysAsked: folder !== undefined })
      const isBulk = folder !== undefined || ids.length > 1
      if (kind === 'foreign' && flags.backup && isBulk)
        await this.save(client, found ?? (await findFiles(client, ids)), flags)
    }
    const remove = () => deleteAll(client, ids)
    const isUndoable = ids.length > 1
    const deleted = await (isUndoable
      ? this.undoably(this.requireTarget(flags), this.words(folder), flags, remove)
      : remove())

    if (folder === undefined && deleted === 0) {
      throw new CliFailure('NOT_FOUND', exits.notFound, `None of these ${count(ids.length)} files exists.`)
    }
    const gone = ids.length - deleted
    this.note(`Deleted ${counted(deleted, 'file')}${gone > 0 ? `; ${count(gone)} did not exist` : ''}.`)
    return { deleted }
  }

  private async save(client: Client, files: readonly StoredFile[], { quiet }: { quiet: boolean }): Promise<void> {
    if (files.length === 0) return
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const isWanted = !quiet && !this.jsonEnabled()
    const progress = await startProgress(bytes, 'file', { isWanted, writeParts: formatBytes })
    const saving = saveFiles(client, files, await newBackupPlace('files delete'), progress)
    const { path, entries } = await saving.finally(() => progress.stop())
    const restore = this.there(`svc files upload ${entries.map(shellWord).join(' ')}`)
    this.sayAlways(
      `Saved ${counted(files.length, 'file')} to ${path}, without ids, times and addresses. Restore: ${restore}`,
    )
  }

  private words(folder: string | undefined): string {
    return folder === undefined ? 'files delete' : `files delete --folder ${folder}`
  }
}

async function findFiles(client: Client, ids: readonly string[]): Promise<StoredFile[]> {
  return (await allFiles(client)).filter(({ id }) => ids.includes(id))
}

/** Returns how many files it deleted. Skips missing ones if there are several. @throws {CliFailure} with the progress so far */
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
