import { misuse } from '../base/failure.js'
import { durationOf } from '../terminal/duration.js'

/** Milliseconds that answers come later: between these two. */
export interface Latency {
  readonly least: number
  readonly most: number
}

const noLatency: Latency = { least: 0, most: 0 }
const mostMilliseconds = 60_000

/** @throws {CliFailure} with exit 2; `from` says who gave it. */
export function readLatency(given: string | number | undefined, from: string): Latency {
  if (given === undefined) return noLatency
  const [least = Number.NaN, most = least, more] = String(given).split('-').map(millisecondsOf)
  if (least <= most && most <= mostMilliseconds && more === undefined) return { least, most }
  throw misuse(
    `Not a valid latency: "${given}" (${from}).`,
    'Use up to a minute, as 200ms or 100ms-2s; numbers are milliseconds.',
  )
}

function millisecondsOf(text: string): number {
  return durationOf(/^\d{1,6}$/.test(text) ? `${text}ms` : text) ?? Number.NaN
}

/** The next one, evenly spread. */
export function drawLatency({ least, most }: Latency): number {
  return least + Math.random() * (most - least)
}

/** For the line at the bottom; nothing where answers come at once. */
export function latencyWords({ least, most }: Latency): string[] {
  if (most === 0) return []
  return [`latency ${least === most ? least : `${least} to ${most}`} ms`]
}
