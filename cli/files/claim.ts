/** Locks by PID files, for work that only one process may do at a time, as two would write the same draft or state. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CliFailure, exits } from '../base/failure.js'
import { isOtherProcess } from '../target/emulator-health.js'

/** The files of this process. */
const owned = new Set<string>()

export interface Claim {
  readonly pid: number
  /** The file that says so. */
  readonly file: string
}

/**
 * Locks a place until this process ends, by a PID file beside it. Each process has its own, which only it removes as long as it
 * lives, so no lock is taken from its owner. Where two begin at the same moment, both may be refused. Processes in two containers do
 * not see each other. Answers its PID file.
 *
 * @throws {CliFailure} `IN_USE` where another process holds the lock
 */
export function claim(place: string, refusal: { readonly message: string; readonly hint: string }): string {
  const own = writeOwn(place)
  const [other] = othersAt(place)
  if (other) {
    remove(own)
    const hint = `${refusal.hint}. It is process ${other.pid}; if that does something else, remove ${other.file}`
    throw new CliFailure('IN_USE', exits.invalid, refusal.message, hint)
  }
  return own
}

/**
 * Does what reads a file and replaces it while no other process does so there, which takes each of them milliseconds. It waits for
 * its turn.
 *
 * @throws {CliFailure} `IN_USE` where another process does not end it
 */
export async function inTurn<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  let own: string | undefined
  for (let tries = 1; own === undefined; tries++) {
    try {
      own = claim(place, { message: `Another process is writing "${place}".`, hint: 'Try again' })
    } catch (error) {
      if (!(error instanceof CliFailure) || tries === maxTries) throw error
      // Those that refuse each other do not come at the same moment again.
      await pause(Math.random() * 2 * usualPause)
    }
  }
  try {
    return await work()
  } finally {
    remove(own)
  }
}

/** Ten seconds: the other one may be on a busy machine, too. */
const maxTries = 500
const usualPause = 20

/**
 * Says, until this process ends, that it is at a place where several processes may be. Answers whether it was there before all
 * others that are: of those that begin at the same moment, one was.
 */
export function isFirstAt(place: string): boolean {
  const own = writeOwn(place)
  const began = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  const ours = began(own)
  // Disks know the time to some milliseconds, or to the second.
  return othersAt(place).every(({ pid, file }) => {
    const its = began(file)
    return its === undefined || ours === undefined || its > ours || (its === ours && pid > process.pid)
  })
}

function writeOwn(place: string): string {
  const own = `${place}.${process.pid}.pid`
  if (owned.has(own)) return own
  // Of a process that was killed, and had the same number.
  rmSync(own, { force: true })
  // The number alone does not tell a process from a later one. Other users may work at the same place.
  writeFileSync(own, beginningOf(process.pid), { flag: 'wx', mode: 0o644 })
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

/** That of another process, which is still there. */
export function claimOfOther(place: string): Claim | undefined {
  return claims(place).find(isHeldByOther)
}

/** The others that are still there; the files of those that were killed are removed. */
function othersAt(place: string): Claim[] {
  return claims(place).filter((one) => {
    const isHeld = isHeldByOther(one)
    if (!isHeld && one.pid !== process.pid) rmSync(one.file, { force: true })
    return isHeld
  })
}

/** Whether it is there: a process that was killed leaves its file, and its number is given to a later process, or to a thread. */
function isHeldByOther({ pid, file }: Claim): boolean {
  if (!isOtherProcess(pid)) return false
  const begun = beginningOf(pid)
  const said = textOf(file)
  if (said === undefined) return false
  // What is empty is being written, or comes from a system that does not say when a process began.
  return begun === '' || said === '' || said === begun
}

/** When a process began, in clock ticks since the machine did; empty where the system does not say. */
function beginningOf(pid: number): string {
  const stat = textOf(`/proc/${pid}/stat`) ?? ''
  // The second field, the name of the program in parentheses, may hold spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** Undefined where there is no such file, and empty where it cannot be read. */
function textOf(file: string): string | undefined {
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

/** Names that differ in their case, or in how an accent is written, are one file on the disks of macOS and Windows. */
function comparable(name: string): string {
  return process.platform === 'linux' ? name : name.normalize('NFC').toLowerCase()
}
