/** Sends answers that faults break off, slow down or stall. */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../../../client/protocol/model/faults/fault.js'
import type { Text } from '../reply/write-steps.js'

const stepMilliseconds = 100

/** Writes a body as slowly as one fault says, and only as far as another allows. */
export async function endFaultily(res: ServerResponse, text: Text, faults: readonly Fault[]): Promise<void> {
  const whole = Buffer.from(typeof text === 'string' ? text : text.join(''))
  const isCut = faults.some(({ kind }) => kind === 'cut')
  const bytes = isCut ? whole.subarray(0, whole.length >> 1) : whole
  const perStep = Math.min(...faults.map(bytesPerStep))
  for (let at = 0; at < bytes.length && !res.destroyed; at += perStep) {
    res.write(bytes.subarray(at, at + perStep))
    if (Number.isFinite(perStep)) await pause(stepMilliseconds)
  }
  if (!isCut) return void res.end()
  // Lets the bytes arrive before the connection breaks.
  await pause(stepMilliseconds)
  res.destroy()
}

function bytesPerStep({ bytesPerSecond }: Fault): number {
  if (bytesPerSecond === undefined) return Number.POSITIVE_INFINITY
  return Math.max(1, Math.ceil((bytesPerSecond * stepMilliseconds) / 1_000))
}
