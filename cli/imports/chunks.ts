import { sizes } from '../../client/protocol/model/limits.js'
import type { ReadRow } from '../../seeds/records/record.js'

/** Rows that travel in one request, and which records of the input they were. */
export interface Chunk {
  /** Records of the input before this chunk, good or bad. */
  readonly from: number
  /** The same for what comes after it. */
  readonly to: number
  readonly endByte: number
  readonly rows: readonly ReadRow[]
}

// Room for the braces and the envelopes that the service's forms put around each row.
const maxBytes = sizes.mostBodyBytes * 0.8
const bytesAroundRow = 16

/** Gathers rows until a request is full: at most 1,000, and well under the body's limit. Contract 3.6. */
export function gather(from: number) {
  let first = from
  let rows: ReadRow[] = []
  let bytes = 0

  /** Ends the chunk before record `to`. */
  const take = (to: number, endByte: number): Chunk => {
    const chunk = { from: first, to, endByte, rows }
    first = to
    rows = []
    bytes = 0
    return chunk
  }
  return {
    take,
    /** Whether the row has no room any more in what was gathered. */
    isFullFor: (row: ReadRow) =>
      rows.length >= sizes.mostBatchItems || (rows.length > 0 && bytes + row.bytes + bytesAroundRow > maxBytes),
    add(row: ReadRow) {
      rows.push(row)
      bytes += row.bytes + bytesAroundRow
    },
    isEmpty: () => rows.length === 0,
  }
}
