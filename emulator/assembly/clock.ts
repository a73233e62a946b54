import type { Clock, Clocks } from '../core/context.js'

/** Opens the clocks of the service and its projects, in memory only. */
export function openClocks(systemTime: () => Date): Clocks {
  const service = openClock(systemTime)
  const own = new Map<string, Clock>()
  const offsets = () => [service, ...own.values()].map(({ offset }) => offset())
  return {
    service,
    of: (project) => own.get(project) ?? service,
    openOwn(project) {
      const clock = own.get(project) ?? openClock(systemTime, service.offset())
      own.set(project, clock)
      return clock
    },
    closeOwn: (project) => void own.delete(project),
    earliest: () => new Date(systemTime().getTime() + Math.min(...offsets())),
    latest: () => new Date(systemTime().getTime() + Math.max(...offsets())),
    own: () => [...own].map(([project, clock]) => ({ project, now: clock.now() })),
  }
}

/** Opens a clock with an offset to the real time. */
function openClock(systemTime: () => Date, initialOffset = 0): Clock {
  let offset = initialOffset
  const now = () => new Date(systemTime().getTime() + offset)
  return {
    now,
    offset: () => offset,
    set(at) {
      offset = at.getTime() - systemTime().getTime()
    },
    advance(milliseconds) {
      offset += milliseconds
    },
    reset() {
      offset = 0
    },
  }
}
