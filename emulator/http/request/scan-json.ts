/** Measures the text of a body before any of it is parsed. Contract 2.4 and 10.10. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { overLimit, tooDeep, tooHeavy, tooManyKeys, tooManyValues } from '../../core/documents/weight.js'
import { isSpace } from './parse-steps.js'

/** The member of a body that holds the documents of a batch. */
export type BatchMember = 'documents' | 'updates' | 'document_ids'

/** The most bytes to scan per turn of the event loop. */
const maxScannedBytes = 256 * 1024

/** A batch wraps its documents in three more levels: `{documents: [{data: …}]}`. */
const maxBodyDepth = sizes.maxDocumentDepth + 3

/** The keys that may surround the fields of a document: the id of an update, `data`, and three operators. */
const maxWrapperKeys = 5
const maxWrapperValues = 5
const maxWrapperBytes = 256

interface Scan {
  readonly bytes: Buffer
  readonly batch: BatchMember | undefined
  at: number
  depth: number
  /** The start and end of the last text at the top level, which may be a name. */
  nameStart: number
  nameEnd: number
  isInBatch: boolean
  /** Members of the body, including the batch. */
  members: number
  items: number
  /**
   * For the current document. The bytes are a lower bound, so a document over the limit here is too large however it is
   * written.
   */
  keys: number
  values: number
  weight: number
  /** For the whole body. */
  bodyValues: number
}

/**
 * Scans each byte once, a few per turn of the event loop. Refuses bodies that are too deep, too large, or have too many keys,
 * values or items. Without a batch, the whole body counts as one document. Accepts invalid JSON, which the parser reports.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` for a batch of too many items
 * @returns the number of values
 */
export async function scanBody(bytes: Buffer, batch: BatchMember | undefined): Promise<number> {
  const counts = {
    at: 0,
    depth: 0,
    nameStart: 0,
    nameEnd: 0,
    isInBatch: false,
    members: 0,
    items: 0,
    keys: 0,
    values: 0,
    weight: 0,
    bodyValues: 0,
  }
  const scan: Scan = { bytes, batch, ...counts }
  for (;;) {
    advance(scan, Math.min(scan.at + maxScannedBytes, bytes.length))
    if (scan.at >= bytes.length) return scan.bodyValues
    await othersFirst()
  }
}

const [quote, backslash, comma, colon, letterU] = [34, 92, 44, 58, 117]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]

function advance(scan: Scan, end: number): void {
  const { bytes } = scan
  for (; scan.at < end; scan.at++) {
    const byte = bytes[scan.at]
    if (byte === quote) passText(scan)
    else if (byte === openBrace || byte === openBracket) enter(scan)
    else if (byte === closeBrace || byte === closeBracket) leave(scan)
    else if (byte === colon) passName(scan)
    else if (byte === comma) passComma(scan)
  }
}

/** Skips from a quote to the closing one. */
function passText(scan: Scan): void {
  const { bytes } = scan
  let at = scan.at + 1
  let weight = 2
  for (; at < bytes.length; at++, weight++) {
    const byte = bytes[at]
    if (byte === quote) break
    // An escape such as "\u0041" takes six bytes for one.
    if (byte === backslash) at += bytes[at + 1] === letterU ? 5 : 1
  }
  if (scan.depth === 1) {
    scan.nameStart = scan.at
    scan.nameEnd = at + 1
  }
  scan.at = at
  weigh(scan, weight)
}

function enter(scan: Scan): void {
  if (++scan.depth > maxBodyDepth) throw tooDeep()
  if (!isEmptyAt(scan)) passValue(scan)
  weigh(scan, 1)
}

function leave(scan: Scan): void {
  if (--scan.depth === 1) scan.isInBatch = false
  weigh(scan, 1)
}

function passName(scan: Scan): void {
  weigh(scan, 1)
  if (scan.depth === 1 && scan.batch !== undefined) {
    if (++scan.members > sizes.maxDocumentKeys) throw tooManyKeys()
    scan.isInBatch = isNamed(scan, scan.batch)
    scan.items = 1
    beginDocument(scan)
  } else if (++scan.keys > sizes.maxDocumentKeys + maxWrapperKeys) throw tooManyKeys()
}

function passComma(scan: Scan): void {
  weigh(scan, 1)
  if (!scan.isInBatch || scan.depth !== 2) {
    passValue(scan)
    return
  }
  if (++scan.items > sizes.maxBatchItems) {
    const most = sizes.maxBatchItems
    const reason: Reason = { kind: 'limit', limit: 'batch items', most }
    throw new SvcError('VALIDATION_ERROR', `The batch has too many items (max ${formatCount(most)}).`, [], { reason })
  }
  beginDocument(scan)
}

function beginDocument(scan: Scan): void {
  scan.keys = 0
  scan.values = 0
  scan.weight = 0
}

/** Counts a value after each comma, and after each opening bracket that is not closed directly. */
function passValue(scan: Scan): void {
  if (++scan.values > sizes.maxDocumentValues + maxWrapperValues) throw tooManyValues()
  if (++scan.bodyValues <= sizes.maxBodyValues) return
  throw overLimit(
    'body values',
    sizes.maxBodyValues,
    `The body has too many values (max ${formatCount(sizes.maxBodyValues)}).`,
  )
}

function isEmptyAt({ bytes, at }: Scan): boolean {
  let next = at + 1
  while (isSpace(bytes[next])) next++
  return bytes[next] === closeBracket || bytes[next] === closeBrace
}

/** A document near the limit is measured exactly after parsing. */
function weigh(scan: Scan, weight: number): void {
  scan.weight += weight
  if (scan.weight > sizes.maxDocumentBytes + maxWrapperBytes) throw tooHeavy()
}

/** Whether the name at the top level is the batch's. One with an escape may be. */
function isNamed({ bytes, nameStart, nameEnd }: Scan, batch: BatchMember): boolean {
  const name = bytes.toString('latin1', nameStart, Math.min(nameEnd, nameStart + 100))
  return name === `"${batch}"` || name.includes('\\')
}
