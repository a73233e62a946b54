/** Files that are replaced whole, and removed. One that is mounted by itself, as containers do, can be neither: its content is. */
import { createReadStream, rmSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exitOfSignal } from '../exec/pass-signals.js'

/**
 * The file, which is no link, is as it was, or as it is written. Its draft is gone where writing fails, and where a signal ends the
 * process.
 *
 * @throws what writing throws
 */
export async function replaceByDraft(place: string, write: (draft: string) => Promise<unknown>): Promise<void> {
  // Hidden and short: another file may be called as this one with an ending, which could also be too long for the disk.
  const draft = join(dirname(place), `.svc-${crypto.randomUUID().slice(0, 13)}`)
  const removeAtExit = removingAtExit(draft)
  try {
    await write(draft)
    await putInPlace(draft, place)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  } finally {
    removeAtExit.release()
  }
}

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
  if (process.listeners(signal).every((one) => one === exitUnlessAnswered)) process.exit(exitOfSignal(signal))
}

/** Puts a draft in the place of a file, which is no link. */
export async function putInPlace(draft: string, place: string): Promise<void> {
  await rename(draft, place).catch(async (error) => {
    requireMounted(error)
    await writeFile(place, createReadStream(draft))
    await rm(draft, { force: true })
  })
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
