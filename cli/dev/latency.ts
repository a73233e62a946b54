import { misuse } from '../base/failure.js'

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
  const [, least = '', most = least] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(String(given)) ?? []
  const latency = { least: Number(least), most: Number(most) }
  const isGood = least !== '' && latency.least <= latency.most && latency.most <= mostMilliseconds
  if (isGood) return latency
  throw misuse(`${from}: "${given}" is not a latency.`, 'Give milliseconds up to 60000, as 200 or 100-500.')
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
