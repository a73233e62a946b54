import type { Clock } from './core/context.js'

/** A clock that runs like the one outside, and may be ahead of it or behind. Kept in memory only. */
export function openClock(outside: () => Date): Clock {
  let offset = 0
  const now = () => new Date(outside().getTime() + offset)
  return {
    now,
    offset: () => offset,
    set(at) {
      offset = at.getTime() - outside().getTime()
    },
    advance(milliseconds) {
      offset += milliseconds
    },
    reset() {
      offset = 0
    },
  }
}
