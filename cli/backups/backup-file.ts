/**
 * Backs up what a command is about to change at a hosted service, which has no snapshots. The backup is a file for
 * `svc docs batch`.
 */
import { chmod, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { openInput } from '../../seeds/records/input.js'
import { CliFailure, exits } from '../base/failure.js'
import { readOperations } from '../bulk/operations.js'
import { writeLines } from '../files/write-lines.js'
import type { Undo } from '../sync/operations.js'
import { stateFolderHere } from '../target/emulator-file.js'
import { requireNoLink } from '../target/no-link.js'

export interface Backup {
  /** Path relative to the current folder. */
  readonly path: string
  /** Number of documents in the backup. */
  readonly saved: number
}

/** Returns an unused path, for example `.svc/backups/2026-11-29T01-45-00-000Z-docs-delete-posts`. */
export async function newBackupPlace(command: string, now = new Date()): Promise<string> {
  const state = stateFolderHere(undefined)
  const folder = join(state, 'backups')
  requireNoLink(join(folder, '.gitignore'), dirname(state))
  const moment = now.toISOString().replaceAll(/[:.]/g, '-')
  const words = command.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
  return writing(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // The folder may exist already, for example from a repository. Restricts access, because backups hold user data.
    await chmod(folder, 0o700)
    await writeFile(join(folder, '.gitignore'), '*\n')
    return join(folder, `${moment}-${words}`)
  })
}

/**
 * Writes the operations that undo a command. The file is complete and on disk when this resolves, and absent if it
 * rejects.
 *
 * @returns undefined, without a file, if there is nothing to save
 * @throws {CliFailure} `BACKUP_FAILED` if the file cannot be written
 */
export async function writeBackup(place: string, lines: AsyncIterable<Undo>): Promise<Backup | undefined> {
  const path = `${place}.ndjson`
  const draft = `${path}.part`
  try {
    const saved = await writeLines(draft, async (line) => {
      let count = 0
      for await (const undo of lines) {
        await writing(() => line(`${JSON.stringify(undo)}\n`))
        count++
      }
      return count
    })
    if (saved === 0) {
      await rm(draft)
      return undefined
    }
    await rename(draft, path)
    await syncFolder(dirname(path))
    return { path: shownPath(path), saved }
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw isDiskError(error) ? unwritable(error) : error
  }
}

/** Yields the ids of the documents in a backup, in order. */
export async function* savedIds({ path }: Backup): AsyncGenerator<string, void, undefined> {
  for await (const operations of readOperations(await openInput(path), undefined)) {
    for (const read of operations) {
      if ('problem' in read) throw unwritable(new Error(`line ${read.line} of "${path}" is ${read.problem}`))
      yield read.unless ?? read.id
    }
  }
}

export function shownPath(path: string): string {
  return relative(process.cwd(), path)
}

/**
 * Wraps disk errors.
 *
 * @throws {CliFailure} `BACKUP_FAILED`
 */
export async function writing<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((error) => {
    throw isDiskError(error) ? unwritable(error) : error
  })
}

/** Recognizes errors from Node's file system, as opposed to requests. */
function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function unwritable(cause: Error): CliFailure {
  const message = `Could not write the backup: ${cause.message}. Nothing was changed.`
  const hint = 'Free some disk space or fix the permissions of the folder. To skip the backup: --no-backup'
  return new CliFailure('BACKUP_FAILED', exits.failed, message, hint, { cause })
}

/** Makes the rename durable. Windows cannot open a folder, and needs no sync. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
