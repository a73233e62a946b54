/** Backups of what a command is about to change at a hosted service, which has no snapshots: operations that `svc docs batch` takes. */
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
  /** As a command in this folder names it. */
  readonly path: string
  /** How many documents it holds. */
  readonly saved: number
}

/** A place that no backup has taken yet: `.svc/backups/2026-11-29T01-45-00-000Z-docs-delete-posts`. */
export async function newBackupPlace(command: string, now = new Date()): Promise<string> {
  const state = stateFolderHere(undefined)
  const folder = join(state, 'backups')
  requireNoLink(join(folder, '.gitignore'), dirname(state))
  const moment = now.toISOString().replaceAll(/[:.]/g, '-')
  const words = command.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
  return writing(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // The folder may be older, or come with a repository. Data of a service belong into none.
    await chmod(folder, 0o700)
    await writeFile(join(folder, '.gitignore'), '*\n')
    return join(folder, `${moment}-${words}`)
  })
}

/**
 * Writes what takes a command back. The file is complete and on the disk once this resolves, and not there if it rejects.
 *
 * @returns nothing, and leaves no file, where there is nothing to save
 * @throws {CliFailure} `BACKUP_FAILED` where it cannot be written
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
    throw isOfDisk(error) ? unwritable(error) : error
  }
}

/** The ids of the documents that a backup holds, in its order. */
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

/** Runs what writes to the disk. @throws {CliFailure} `BACKUP_FAILED` */
export async function writing<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((error) => {
    throw isOfDisk(error) ? unwritable(error) : error
  })
}

/** An error of Node's file system; those of requests are of another kind. */
function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function unwritable(cause: Error): CliFailure {
  const message = `The backup cannot be written: ${cause.message}. Nothing was changed.`
  const hint = 'Make room or fix the permissions of the folder. Without a backup: --no-backup'
  return new CliFailure('BACKUP_FAILED', exits.failed, message, hint, { cause })
}

/** Makes the name last. Windows cannot open a folder, and keeps names by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
