import type { ClockCalls } from '../../client/control.js'
import type { Length, TestClock } from './helper.js'

const milliseconds = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000, milliseconds: 1 }

export function openTestClock(control: ClockCalls): TestClock {
  const read = ({ now }: { readonly now: string }) => new Date(now)
  return {
    now: async () => read(await control.get()),
    set: async (moment) => read(await control.change({ now: new Date(moment).toISOString() })),
    advance: async (by) => read(await control.change({ advance: toMilliseconds(by) })),
    reset: async () => read(await control.reset()),
  }
}

function toMilliseconds(by: Length): number {
  return Object.entries(milliseconds).reduce((sum, [unit, each]) => sum + (by[unit as keyof Length] ?? 0) * each, 0)
}
