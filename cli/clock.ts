import type { ClockTime } from '../client/protocol/control/clock.js'
import { writeDuration } from './terminal/duration.js'
import { record } from './terminal/print.js'

/** The time of the emulator's clock as the terminal shows it. */
export function clockText({ now, offset }: ClockTime): string {
  return record({ now, ahead: writeDuration(offset) })
}
