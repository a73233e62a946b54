import type { Fault } from '../../client/protocol/model/faults/fault.js'
import type { Row } from '../terminal/print.js'

/** Faults that are on, one a line. */
export function faultRow(fault: Fault): Row {
  const { id, preset, rate, times, seen, hits, method, path, project, user } = fault
  const where = [method, path, user && `user ${user}`].filter(Boolean).join(' ')
  return {
    id,
    what: wordsOf(fault),
    which: [rate < 1 ? `${Math.round(100 * rate)} %` : '', times === undefined ? '' : `${times} times`, where]
      .filter((word) => word !== '')
      .join(', '),
    project: project ?? 'all',
    hits: `${hits} of ${seen}`,
    ...(preset === null ? {} : { preset }),
  }
}

function wordsOf({ kind, milliseconds, jitter, status, retryAfter, when, bytesPerSecond, seconds }: Fault): string {
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
