import type { SvcError } from '../../client/protocol/model/errors.js'
import { CliFailure, isUnreachable } from '../base/failure.js'
import { openControl } from './control.js'
import type { EmulatorInfo } from './emulator-file.js'
import { fetchDirectly } from './fetch-directly.js'

/**
 * Whether a service answers at this address. Where none runs the connection is refused at once; one that is slow, on a machine
 * that is busy with other things, is not taken for one that is stopped.
 */
export async function isAnswering(url: string, mostMs: number): Promise<boolean> {
  return (await statusOf(`${url}${healthPath}`, mostMs)) === 200
}

/** The same of any service: `svc serve` has nothing of the control API at its address, and says by itself whether it is ready. */
export async function isReady(url: string, mostMs: number): Promise<boolean> {
  const status = await statusOf(`${url}${healthPath}`, mostMs)
  return status === 200 || (status === 404 && (await statusOf(`${url}/readyz`, mostMs)) === 200)
}

const healthPath = '/_svc/api/health'

/** Of an answer to GET; undefined where none came. */
async function statusOf(address: string, mostMs: number): Promise<number | undefined> {
  try {
    const response = await fetchDirectly(address, { signal: AbortSignal.timeout(Math.ceil(mostMs)) })
    await response.text()
    return response.status
  } catch {
    return undefined
  }
}

/** How long an emulator may take to answer: its machine may be busy with other things. */
export const patientMilliseconds = 30_000

/** What became of an emulator that wrote a file: `slow` is one that has not answered in time, and may be busy. */
export type Presence = 'there' | 'slow' | 'gone'

/**
 * Whether the emulator of that file answers, rather than one of another folder, or something else that has its address by
 * now: it takes the folder's token, and names the process and the data that the file names.
 */
export async function presenceOf(emulator: EmulatorInfo, mostMs = 2_000): Promise<Presence> {
  const answer = await askWhoAnswers(emulator, mostMs)
  if (answer === 'same') return 'there'
  const isSlow = answer !== 'other' && answer.code === 'TIMEOUT' && isProcessThere(emulator)
  return isSlow ? 'slow' : 'gone'
}

/**
 * Whether something else has the address of that file by now: the number of a process may be given again, and so may a port.
 * An emulator that does not answer is not replaced.
 */
export async function isReplaced(emulator: EmulatorInfo): Promise<boolean> {
  return (await askWhoAnswers(emulator, 3_000)) === 'other'
}

/** Compares what answers with the file. Resolves to the failure if nothing answers. */
async function askWhoAnswers(emulator: EmulatorInfo, mostMs: number): Promise<'same' | 'other' | SvcError> {
  try {
    const { pid, dataDir } = await openControl(emulator, mostMs).process.get()
    return pid === emulator.pid && dataDir === emulator.dataDir ? 'same' : 'other'
  } catch (error) {
    const cause = error instanceof CliFailure ? error.cause : error
    return isUnreachable(cause) ? cause : 'other'
  }
}

export async function isStillThere(emulator: EmulatorInfo, mostMs?: number): Promise<boolean> {
  return (await presenceOf(emulator, mostMs)) === 'there'
}

/** Whether the number that a file names its process by is that of another one, which is still there. */
export function isOtherProcess(pid: number): boolean {
  return pid > 0 && pid !== process.pid && isProcessThere({ pid })
}

/** Whether the process of a file is still there. A file outlives a process that was killed. */
export function isProcessThere({ pid }: Pick<EmulatorInfo, 'pid'>): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
