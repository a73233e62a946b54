/** Replaces and removes files atomically. A file that is a mount point, as in containers, is overwritten instead. */
import { constants, createReadStream, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reworded } from '../base/failure.js'
import { signalExitCode } from '../exec/pass-signals.js'

/**
 * Replaces a file that is not a symlink, atomically, and keeps its owner and mode. Removes the draft on failure or a
 * signal, unless a mounted file was only partly written and will not be written again.
 *
 * @throws the error from `write`
 */
export async function replaceByDraft(
  place: string,
  write: (draft: string, mode: number) => Promise<unknown>,
  { mode, keepsOwner = mode === undefined, ...repetition }: Replacing = {},
): Promise<void> {
  // Hidden, because another file may have this name plus an extension. Short, because the name must fit the file
  // system.
  const draft = join(dirname(place), `.svc-${crypto.randomUUID().slice(0, 13)}`)
  const removal = removeOnExit(draft)
  let mounted: FileHandle | undefined
  try {
    await write(draft, mode ?? draftModeFor(place))
    if (keepsOwner) await keepOwnerAndMode(draft, place, mode)
    mounted = await renameOrOpen(draft, place)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  } finally {
    removal.release()
  }
  if (!mounted) return
  // Restricts the mode before any content is written. Some file systems have no modes.
  if (mode !== undefined) await mounted.chmod(mode).catch(() => undefined)
  await writeThrough(draft, place, mounted, repetition)
}

export interface Repetition {
  /** Whether the next change rewrites the file. Then a failed draft is removed, so that drafts do not pile up. */
  readonly isRepeated: boolean
}

export interface Replacing extends Partial<Repetition> {
  /** Mode to use instead of the existing file's. */
  readonly mode?: number | undefined
  /** Keeps the existing file's owner if permitted. Defaults to true without `mode`. */
  readonly keepsOwner?: boolean
}

/** Matches drafts that a killed process left behind. */
export const draftName = /^\.svc-[0-9a-f]{8}-[0-9a-f]{4}$/

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removes the draft on exit. Turns signals into an exit, because they would skip this cleanup. */
function removeOnExit(draft: string): { release(): void } {
  const remove = () => {
    try {
      rmSync(draft, { force: true })
    } catch {
      // Cleanup is best effort.
    }
  }
  process.on('exit', remove)
  for (const signal of signals) process.on(signal, exitUnlessAnswered)
  return {
    release() {
      process.off('exit', remove)
      for (const signal of signals) process.off(signal, exitUnlessAnswered)
    },
  }
}

/** A command with its own signal handler may finish the file first. */
function exitUnlessAnswered(signal: NodeJS.Signals): void {
  if (process.listeners(signal).every((one) => one === exitUnlessAnswered)) process.exit(signalExitCode(signal))
}

/** Creates the draft private, so that other users cannot read it before it gets the final mode. */
export function draftModeFor(place: string): number {
  return statSync(place, { throwIfNoEntry: false }) ? 0o600 : 0o666
}

/** Copies the owner and mode of the existing file to the draft, or applies another mode. Best effort. */
async function keepOwnerAndMode(draft: string, place: string, mode?: number): Promise<void> {
  const former = statSync(place, { throwIfNoEntry: false })
  if (!former) return
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  // Uses the open descriptor, because in someone else's folder a symlink may have replaced the draft.
  const file = await open(draft, O_RDONLY | O_NOFOLLOW)
  try {
    const { uid } = await file.stat()
    // A user who may not change the owner may still belong to the group.
    const keepGroup = () => file.chown(uid, former.gid).catch(() => undefined)
    await file.chown(former.uid, former.gid).catch(keepGroup)
    const { gid } = await file.stat()
    const kept = gid === former.gid ? former.mode & 0o777 : withoutGroup(former.mode)
    await file.chmod(mode ?? kept).catch(() => undefined)
  } finally {
    await file.close()
  }
}

/** Grants a new group no more than everyone else has. */
function withoutGroup(mode: number): number {
  const others = mode & 0o007
  return (mode & 0o700) | (others << 3) | others
}

/** Moves a draft to a file that is not a symlink, and keeps its owner and mode. */
export async function putInPlace(draft: string, place: string): Promise<void> {
  await keepOwnerAndMode(draft, place)
  const mounted = await renameOrOpen(draft, place)
  if (mounted) await writeThrough(draft, place, mounted)
}

/**
 * Renames the draft. Returns the emptied file if it is a mount point; until it is written, only the draft has the
 * content.
 */
async function renameOrOpen(draft: string, place: string): Promise<FileHandle | undefined> {
  return rename(draft, place).then(
    () => undefined,
    (error) => {
      requireMounted(error)
      return open(place, 'w')
    },
  )
}

async function writeThrough(
  draft: string,
  place: string,
  mounted: FileHandle,
  { isRepeated = false }: Partial<Repetition> = {},
): Promise<void> {
  try {
    await writeFile(mounted, createReadStream(draft))
  } catch (cause) {
    const kept = isRepeated ? 'The next change rewrites it' : `The full content is in ${draft}`
    if (isRepeated) await rm(draft, { force: true })
    throw reworded(cause, () => ({ hint: `"${place}" was only partly written. ${kept}` }))
  } finally {
    await mounted.close()
  }
  await rm(draft, { force: true })
}

/** Removes a file if it exists. Empties it if it is a mount point. */
export async function removeFile(place: string): Promise<void> {
  await rm(place, { force: true }).catch(async (error) => {
    requireMounted(error)
    await writeFile(place, '')
  })
}

/** @throws the error unless the file is a mount point */
function requireMounted(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
}
