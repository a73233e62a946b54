import { sizes } from '../../client/protocol/model/limits.js'
import type { ReadRow } from '../../seeds/records/record.js'

/** Rows of one request, and their position in the input. */
export interface Chunk {
  /** Records in the input before this chunk, valid or not. */
  readonly from: number
  /** Records up to the end of this chunk. */
  readonly to: number
  readonly endByte: number
  readonly rows: readonly ReadRow[]
}

// Leaves room for the braces and envelope around each row.
const maxBytes = sizes.maxBodyBytes * 0.8
const bytesAroundRow = 16

/** Collects rows until a request is full: at most 1,000, and well below the body limit. Contract 3.6. */
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
    /** Returns whether the row no longer fits. */
    isFullFor: (row: ReadRow) =>
      rows.length >= sizes.maxBatchItems || (rows.length > 0 && bytes + row.bytes + bytesAroundRow > maxBytes),
    add(row: ReadRow) {
      rows.push(row)
      bytes += row.bytes + bytesAroundRow
    },
    isEmpty: () => rows.length === 0,
  }
}
