/** Locks with PID files, for work that only one process may do at a time. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CliFailure, exits } from '../base/failure.js'
import { isOtherProcess } from '../target/emulator-health.js'

/** PID files of this process. */
const owned = new Set<string>()

export interface Claim {
  readonly pid: number
  readonly file: string
}

/**
 * Locks a place until this process ends, with a PID file next to it. Only its owner removes a PID file while it runs,
 * so nobody can steal a lock. If two processes start at the same moment, both may be refused. Processes in different
 * containers do not see each other. Returns the PID file.
 *
 * @throws {CliFailure} `IN_USE` if another process holds the lock
 */
export function claim(place: string, refusal: { readonly message: string; readonly hint: string }): string {
  const own = writeOwn(place)
  const [other] = othersAt(place)
  if (other) {
    remove(own)
    const hint = `${refusal.hint}. It is process ${other.pid}. If that is another program, delete ${other.file}`
    throw new CliFailure('IN_USE', exits.invalid, refusal.message, hint)
  }
  return own
}

/**
 * Runs a read-modify-write of a file under a lock, and waits for its turn. Each turn takes milliseconds.
 *
 * @throws {CliFailure} `IN_USE` if another process does not release the lock
 */
export async function inTurn<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  let own: string | undefined
  for (let tries = 1; own === undefined; tries++) {
    try {
      own = claim(place, { message: `Another process is writing "${place}".`, hint: 'Try again' })
    } catch (error) {
      if (!(error instanceof CliFailure) || tries === maxTries) throw error
      // Random delay, so that two processes do not keep refusing each other.
      await pause(Math.random() * 2 * usualPause)
    }
  }
  try {
    return await work()
  } finally {
    remove(own)
  }
}

/** Ten seconds, because the other process may run on a busy machine. */
const maxTries = 500
const usualPause = 20

/**
 * Registers this process, until it ends, at a place that several may share. Returns whether it was first. Among
 * processes that start at the same moment, exactly one is.
 */
export function isFirstAt(place: string): boolean {
  const own = writeOwn(place)
  const began = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  const ours = began(own)
  // Timestamps have a resolution of milliseconds or even a second, so the pid breaks ties.
  return othersAt(place).every(({ pid, file }) => {
    const its = began(file)
    return its === undefined || ours === undefined || its > ours || (its === ours && pid > process.pid)
  })
}

function writeOwn(place: string): string {
  const own = `${place}.${process.pid}.pid`
  if (owned.has(own)) return own
  // Removes the file of a killed process that had the same pid.
  rmSync(own, { force: true })
  // The start time distinguishes processes that reuse a pid. Readable by all, because other users may share the place.
  writeFileSync(own, startTime(process.pid), { flag: 'wx', mode: 0o644 })
  if (owned.size === 0) process.once('exit', removeOwned)
  owned.add(own)
  return own
}

function remove(own: string): void {
  owned.delete(own)
  if (owned.size === 0) process.off('exit', removeOwned)
  rmSync(own, { force: true })
}

function removeOwned(): void {
  for (const file of owned) remove(file)
}

/** Returns the lock of another running process. */
export function claimOfOther(place: string): Claim | undefined {
  return claims(place).find(isHeldByOther)
}

/** Returns the locks of other running processes, and removes those of killed ones. */
function othersAt(place: string): Claim[] {
  return claims(place).filter((one) => {
    const isHeld = isHeldByOther(one)
    if (!isHeld && one.pid !== process.pid) rmSync(one.file, { force: true })
    return isHeld
  })
}

/** Returns whether the process still runs. A killed process leaves its file, and its pid may be reused. */
function isHeldByOther({ pid, file }: Claim): boolean {
  if (!isOtherProcess(pid)) return false
  const begun = startTime(pid)
  const said = readIfExists(file)
  if (said === undefined) return false
  // An empty file is being written, or its system does not report start times.
  return begun === '' || said === '' || said === begun
}

/** Returns the start time of a process in clock ticks since boot. Empty if the system does not report it. */
function startTime(pid: number): string {
  const stat = readIfExists(`/proc/${pid}/stat`) ?? ''
  // The second field is the program name in parentheses, which may contain spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** Undefined if the file is missing, empty if it cannot be read. */
function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return Object(error).code === 'ENOENT' ? undefined : ''
  }
}

function claims(place: string): Claim[] {
  const start = comparable(`${basename(place)}.`)
  return readdirSync(dirname(place)).flatMap((file) => {
    const name = comparable(file)
    const pid = name.startsWith(start) ? Number(/^(\d{1,10})\.pid$/.exec(name.slice(start.length))?.[1]) : 0
    return pid > 0 ? [{ pid, file: join(dirname(place), file) }] : []
  })
}

/** macOS and Windows treat names that differ in case or Unicode form as one file. */
function comparable(name: string): string {
  return process.platform === 'linux' ? name : name.normalize('NFC').toLowerCase()
}
