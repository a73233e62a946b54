import type { Fault } from './fault.js'

/** Formats the effect of a fault as `latency 300 ± 100 ms`. */
export function formatEffect({
  kind,
  milliseconds,
  jitter,
  status,
  retryAfter,
  when,
  bytesPerSecond,
  seconds,
}: Fault): string {
  switch (kind) {
    case 'latency':
      return `latency ${milliseconds}${jitter ? ` ± ${jitter}` : ''} ms`
    case 'status':
      return `status ${status}${retryAfter === undefined ? '' : `, retry-after ${retryAfter}`}`
    case 'drop':
      return `drop ${when ?? 'before'}`
    case 'slow':
      return `slow ${bytesPerSecond} bytes/s`
    case 'flap':
      return `flap every ${seconds} s`
    default:
      return kind
  }
}

/** Formats the requests it affects as `20 %, 3 times, POST /collections/posts`; empty for all. */
export function formatScope({ rate, times, method, path, user }: Fault): string {
  const requests = [method, path, user && `user ${user}`].filter(Boolean).join(' ')
  return [rate < 1 ? `${Math.round(100 * rate)} %` : '', times === undefined ? '' : `${times} times`, requests]
    .filter((word) => word !== '')
    .join(', ')
}
