/** Files that are replaced whole, and removed. One that is mounted by itself, as containers do, can be neither: its content is. */
import { constants, createReadStream, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reworded } from '../base/failure.js'
import { signalExitCode } from '../exec/pass-signals.js'

/**
 * The file, which is no link, is as it was, or as it is written. Its draft is gone where writing fails, and where a signal ends the
 * process, unless a mounted file holds a part of it only, and nothing writes it again. Owner and mode stay those of the file there.
 *
 * @throws what writing throws
 */
export async function replaceByDraft(
  place: string,
  write: (draft: string, mode: number) => Promise<unknown>,
  { mode, keepsOwner = mode === undefined, ...repetition }: Replacing = {},
): Promise<void> {
  // Hidden and short: another file may be called as this one with an ending, which could also be too long for the disk.
  const draft = join(dirname(place), `.svc-${crypto.randomUUID().slice(0, 13)}`)
  const removeAtExit = removingAtExit(draft)
  let mounted: FileHandle | undefined
  try {
    await write(draft, mode ?? draftModeFor(place))
    if (keepsOwner) await keepUsers(draft, place, mode)
    mounted = await renameOrOpen(draft, place)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  } finally {
    removeAtExit.release()
  }
  if (!mounted) return
  // Before anything is in it that others are not to read. A disk may have no modes.
  if (mode !== undefined) await mounted.chmod(mode).catch(() => undefined)
  await writeThrough(draft, place, mounted, repetition)
}

export interface Repetition {
  /** Whether it is written again at the next change, so that no draft has to stay: each time there would be one more. */
  readonly isRepeated: boolean
}

export interface Replacing extends Partial<Repetition> {
  /** In place of the one that the file there has. */
  readonly mode?: number | undefined
  /** Whether it stays with the owner of the file there, as far as the user may give it away; left out, where there is no `mode`. */
  readonly keepsOwner?: boolean
}

/** The names of drafts, which a process leaves behind that is killed. */
export const draftName = /^\.svc-[0-9a-f]{8}-[0-9a-f]{4}$/

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Whatever ends the process by `exit` removes the draft; what would end it without, as signals do, ends it by `exit` meanwhile. */
function removingAtExit(draft: string): { release(): void } {
  const remove = () => {
    try {
      rmSync(draft, { force: true })
    } catch {
      // Nothing can be done about it any more.
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

/** A command that answers signals itself may finish its file first. */
function exitUnlessAnswered(signal: NodeJS.Signals): void {
  if (process.listeners(signal).every((one) => one === exitUnlessAnswered)) process.exit(signalExitCode(signal))
}

/** The mode that a draft is made with: until it has that of the file there, which may be private, nobody else reads it. */
export function draftModeFor(place: string): number {
  return statSync(place, { throwIfNoEntry: false }) ? 0o600 : 0o666
}

/**
 * Gives a draft owner and mode of the file whose place it takes, if there is one, or the owner and another mode. Where that cannot
 * be, it stays as it is.
 */
async function keepUsers(draft: string, place: string, mode?: number): Promise<void> {
  const former = statSync(place, { throwIfNoEntry: false })
  if (!former) return
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  // By what is opened: somebody else's folder may hold a link under the draft's name meanwhile.
  const file = await open(draft, O_RDONLY | O_NOFOLLOW)
  try {
    const { uid } = await file.stat()
    // Who may not give it away may be in its group.
    const keepGroup = () => file.chown(uid, former.gid).catch(() => undefined)
    await file.chown(former.uid, former.gid).catch(keepGroup)
    const { gid } = await file.stat()
    const kept = gid === former.gid ? former.mode & 0o777 : withoutGroup(former.mode)
    await file.chmod(mode ?? kept).catch(() => undefined)
  } finally {
    await file.close()
  }
}

/** For a file whose group has become another one, which may do no more than all others. */
function withoutGroup(mode: number): number {
  const others = mode & 0o007
  return (mode & 0o700) | (others << 3) | others
}

/** Puts a draft in the place of a file, which is no link and keeps its owner and mode. */
export async function putInPlace(draft: string, place: string): Promise<void> {
  await keepUsers(draft, place)
  const mounted = await renameOrOpen(draft, place)
  if (mounted) await writeThrough(draft, place, mounted)
}

/** The file, empty, where it is mounted by itself: until it is written, the draft alone has its content. */
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
    const kept = isRepeated ? 'The next change writes it again' : `What was to be written is in ${draft}`
    if (isRepeated) await rm(draft, { force: true })
    throw reworded(cause, () => ({ hint: `"${place}" was left in the middle. ${kept}` }))
  } finally {
    await mounted.close()
  }
  await rm(draft, { force: true })
}

/** Removes a file, if it is there; one that is mounted by itself stays, and is empty. */
export async function removeFile(place: string): Promise<void> {
  await rm(place, { force: true }).catch(async (error) => {
    requireMounted(error)
    await writeFile(place, '')
  })
}

/** @throws any failure but that of a file that is mounted by itself */
function requireMounted(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
}
