import type { Clock, Clocks } from './core/context.js'

/** The service's clock, and those that projects have of their own. Kept in memory only. */
export function openClocks(outside: () => Date): Clocks {
  const service = openClock(outside)
  const own = new Map<string, Clock>()
  const offsets = () => [service, ...own.values()].map(({ offset }) => offset())
  return {
    service,
    of: (project) => own.get(project) ?? service,
    openOwn(project) {
      const clock = own.get(project) ?? openClock(outside, service.offset())
      own.set(project, clock)
      return clock
    },
    closeOwn: (project) => void own.delete(project),
    earliest: () => new Date(outside().getTime() + Math.min(...offsets())),
    latest: () => new Date(outside().getTime() + Math.max(...offsets())),
    own: () => [...own].map(([project, clock]) => ({ project, now: clock.now() })),
  }
}

/** A clock that runs like the one outside, and may be ahead of it or behind. */
function openClock(outside: () => Date, initialOffset = 0): Clock {
  let offset = initialOffset
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
