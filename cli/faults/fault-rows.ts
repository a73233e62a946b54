import type { Fault } from '../../client/protocol/model/faults/fault.js'
import { formatEffect, formatScope } from '../../client/protocol/model/faults/words.js'
import type { Row } from '../terminal/print.js'

/** Makes the table row of a fault. */
export function faultRow(fault: Fault): Row {
  const { id, preset, seen, hits, project } = fault
  return {
    id,
    what: formatEffect(fault),
    which: formatScope(fault),
    project: project ?? 'all',
    hits: `${hits} of ${seen}`,
    ...(preset === null ? {} : { preset }),
  }
}
