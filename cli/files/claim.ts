/** Locks by PID files, for work that only one process may do at a time, as two would write the same draft or state. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'
import { isOtherProcess, isProcessThere } from '../target/emulator-health.js'

export interface Claim {
  readonly pid: number
  /** The file that says so. */
  readonly file: string
}

/**
 * Locks a place until this process ends, by a PID file beside it. Each process has its own, which only it removes as long as it
 * lives, so no lock is taken from its owner. Where two begin at the same moment, both may be refused.
 *
 * @throws {CliFailure} `IN_USE` where another process holds the lock
 */
export function claim(place: string, refusal: { readonly message: string; readonly hint: string }): void {
  const own = `${place}.${process.pid}.pid`
  try {
    writeFileSync(own, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // Of a process that was killed, and had the same number.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  process.once('exit', () => rmSync(own, { force: true }))
  const other = claimOfOther(place)
  if (other) {
    rmSync(own, { force: true })
    const hint = `${refusal.hint}. It is process ${other.pid}; if that does something else, remove ${other.file}`
    throw new CliFailure('IN_USE', exits.invalid, refusal.message, hint)
  }
  for (const { pid, file } of claims(place)) if (!isProcessThere({ pid })) rmSync(file, { force: true })
}

/** That of another process, which is still there. */
export function claimOfOther(place: string): Claim | undefined {
  return claims(place).find(({ pid }) => isOtherProcess(pid))
}

function claims(place: string): Claim[] {
  const start = `${basename(place)}.`
  return readdirSync(dirname(place)).flatMap((name) => {
    const pid = name.startsWith(start) ? Number(/^(\d{1,10})\.pid$/.exec(name.slice(start.length))?.[1]) : 0
    return pid > 0 ? [{ pid, file: join(dirname(place), name) }] : []
  })
}
