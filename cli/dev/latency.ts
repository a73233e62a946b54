import { misuse } from '../base/failure.js'
import { parseDuration } from '../terminal/duration.js'

/** Bounds for the delay of responses, in milliseconds. */
export interface Latency {
  readonly min: number
  readonly max: number
}

const noLatency: Latency = { min: 0, max: 0 }
const maxMilliseconds = 60_000

/** @throws {CliFailure} with exit 2. @param from the flag or file that sets it */
export function readLatency(given: string | number | undefined, from: string): Latency {
  if (given === undefined) return noLatency
  const [min = Number.NaN, max = min, more] = String(given).split('-').map(parseMilliseconds)
  if (min <= max && max <= maxMilliseconds && more === undefined) return { min, max }
  throw misuse(
    `Invalid latency "${given}" (${from}).`,
    'Use at most one minute, for example 200ms or 100ms-2s. Numbers without a unit are milliseconds.',
  )
}

function parseMilliseconds(text: string): number {
  return parseDuration(/^\d{1,6}$/.test(text) ? `${text}ms` : text) ?? Number.NaN
}

/** Draws a random delay between the bounds. */
export function drawLatency({ min, max }: Latency): number {
  return min + Math.random() * (max - min)
}

/** Formats the delay for the status line, or nothing without a delay. */
export function latencyWords({ min, max }: Latency): string[] {
  if (max === 0) return []
  return [`latency ${min === max ? min : `${min} to ${max}`} ms`]
}
