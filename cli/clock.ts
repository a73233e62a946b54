/** The emulator's clock, by its control API. */
import type { Json } from '../client/protocol/model/json.js'
import type { Control } from './target/control.js'
import { writeDuration } from './terminal/duration.js'
import { record } from './terminal/print.js'

/** What time it is for the service, and how many milliseconds that is ahead of the time outside. */
export interface ClockTime {
  readonly now: string
  readonly offset: number
}

export async function readClock(control: Control): Promise<ClockTime> {
  return timeOf(await control({ method: 'GET', path: '/clock' }))
}

/** Sets it to a moment, or moves it by milliseconds. It runs on from there. */
export async function changeClock(control: Control, change: { now: string } | { advance: number }): Promise<ClockTime> {
  return timeOf(await control({ method: 'PATCH', path: '/clock', body: change }))
}

/** Back to the time outside. */
export async function resetClock(control: Control): Promise<ClockTime> {
  return timeOf(await control({ method: 'DELETE', path: '/clock' }))
}

/** The time as the terminal shows it. */
export function clockText({ now, offset }: ClockTime): string {
  return record({ now, ahead: writeDuration(offset) })
}

function timeOf(answer: Json): ClockTime {
  return answer as unknown as ClockTime
}
