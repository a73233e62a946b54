import type { SvcError } from '../../client/protocol/model/errors.js'
import { CliFailure, isUnreachable } from '../base/failure.js'
import { openControl } from './control.js'
import type { EmulatorInfo } from './emulator-file.js'
import { fetchDirectly } from './fetch-directly.js'

/**
 * Returns whether an emulator responds at this URL. Without one, the connection is refused at once. A slow one on a
 * busy machine counts as running, within the timeout.
 */
export async function isAnswering(url: string, timeoutMs: number): Promise<boolean> {
  return (await fetchStatus(`${url}${healthPath}`, timeoutMs)) === 200
}

/** Same for any service. `svc serve` has no control API there, but reports readiness at /readyz. */
export async function isReady(url: string, timeoutMs: number): Promise<boolean> {
  const status = await fetchStatus(`${url}${healthPath}`, timeoutMs)
  return status === 200 || (status === 404 && (await fetchStatus(`${url}/readyz`, timeoutMs)) === 200)
}

const healthPath = '/_svc/api/health'

/** Returns the status of a GET. Undefined without a response. */
async function fetchStatus(address: string, timeoutMs: number): Promise<number | undefined> {
  try {
    const response = await fetchDirectly(address, { signal: AbortSignal.timeout(Math.ceil(timeoutMs)) })
    await response.text()
    return response.status
  } catch {
    return undefined
  }
}

/** Timeout for a busy machine. */
export const patientMilliseconds = 30_000

/** State of the emulator described by a file. `slow` did not respond in time and may be busy. */
export type Presence = 'there' | 'slow' | 'gone'

/**
 * Checks that the emulator of this file responds, and not another one at its URL: it must accept the file's token and
 * report the same pid and data folder.
 */
export async function checkPresence(emulator: EmulatorInfo, timeoutMs = 2_000): Promise<Presence> {
  const answer = await identifyResponder(emulator, timeoutMs)
  if (answer === 'same') return 'there'
  const isSlow = answer !== 'other' && answer.code === 'TIMEOUT' && isProcessThere(emulator)
  return isSlow ? 'slow' : 'gone'
}

/**
 * Returns whether something else now uses the emulator's URL, because pids and ports are reused. False if nothing
 * responds.
 */
export async function isReplaced(emulator: EmulatorInfo): Promise<boolean> {
  return (await identifyResponder(emulator, 3_000)) === 'other'
}

/** Compares the responding emulator with the file. Returns the error if nothing responds. */
async function identifyResponder(emulator: EmulatorInfo, timeoutMs: number): Promise<'same' | 'other' | SvcError> {
  try {
    const { pid, dataDir } = await openControl(emulator, timeoutMs).process.get()
    return pid === emulator.pid && dataDir === emulator.dataDir ? 'same' : 'other'
  } catch (error) {
    const cause = error instanceof CliFailure ? error.cause : error
    return isUnreachable(cause) ? cause : 'other'
  }
}

export async function isStillThere(emulator: EmulatorInfo, timeoutMs?: number): Promise<boolean> {
  return (await checkPresence(emulator, timeoutMs)) === 'there'
}

/** Returns whether the pid belongs to another running process. */
export function isOtherProcess(pid: number): boolean {
  return pid > 0 && pid !== process.pid && isProcessThere({ pid })
}

/** Returns whether the process still runs. The file of a killed process remains. */
export function isProcessThere({ pid }: Pick<EmulatorInfo, 'pid'>): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
