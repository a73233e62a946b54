/** What the text of a body says of its size, before any of it is parsed. Contract 2.4 and 10.10. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { overLimit, tooDeep, tooHeavy, tooManyKeys, tooManyValues } from '../../core/documents/weight.js'
import { isSpace } from './parse-steps.js'

/** The member of a body that holds the documents of a batch. */
export type BatchMember = 'documents' | 'updates' | 'document_ids'

/** What is looked at before others have their turn. */
const mostScannedBytes = 256 * 1024

/** A batch wraps its documents in three levels of its own: `{documents: [{data: …}]}`. */
const mostBodyDepth = sizes.maxDocumentDepth + 3

/** What may stand around the fields of a document: the id of an update, `data`, `$append` and `$remove`. */
const mostWrapperKeys = 4
const mostWrapperValues = 4
const mostWrapperBytes = 256

interface Scan {
  readonly bytes: Buffer
  readonly batch: BatchMember | undefined
  at: number
  depth: number
  /** Where the last text at the top began and ended, which may be a name. */
  nameStart: number
  nameEnd: number
  isInBatch: boolean
  /** Members of the body, beside and with the batch. */
  members: number
  items: number
  /** Of the document that is being looked at. Its bytes are counted low: what is too heavy here is so however it is written. */
  keys: number
  values: number
  weight: number
  /** Of the whole body. */
  bodyValues: number
}

/**
 * Looks at each byte once, a few of them in a turn of the event loop, and refuses what is too deep, has too many keys, values or
 * items, or is too heavy. Without a batch, all of the body is one document. What is not JSON passes: the parser says so.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` for a batch of too many items
 * @returns how many values there are
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
    advance(scan, Math.min(scan.at + mostScannedBytes, bytes.length))
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

/** From a quote to the one that ends the text. */
function passText(scan: Scan): void {
  const { bytes } = scan
  let at = scan.at + 1
  let weight = 2
  for (; at < bytes.length; at++, weight++) {
    const byte = bytes[at]
    if (byte === quote) break
    // Six bytes that stand for one, as in "\u0041".
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
  if (++scan.depth > mostBodyDepth) throw tooDeep()
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
  } else if (++scan.keys > sizes.maxDocumentKeys + mostWrapperKeys) throw tooManyKeys()
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
    throw new SvcError('VALIDATION_ERROR', `A batch holds at most ${formatCount(most)} items.`, [], { reason })
  }
  beginDocument(scan)
}

function beginDocument(scan: Scan): void {
  scan.keys = 0
  scan.values = 0
  scan.weight = 0
}

/** There is a value behind each comma, and one behind a bracket that is not followed by its end. */
function passValue(scan: Scan): void {
  if (++scan.values > sizes.maxDocumentValues + mostWrapperValues) throw tooManyValues()
  if (++scan.bodyValues <= sizes.maxBodyValues) return
  throw overLimit('body values', sizes.maxBodyValues, `A body has at most ${formatCount(sizes.maxBodyValues)} values.`)
}

function isEmptyAt({ bytes, at }: Scan): boolean {
  let next = at + 1
  while (isSpace(bytes[next])) next++
  return bytes[next] === closeBracket || bytes[next] === closeBrace
}

/** What is near the limit is weighed exactly once it is parsed. */
function weigh(scan: Scan, weight: number): void {
  scan.weight += weight
  if (scan.weight > sizes.maxDocumentBytes + mostWrapperBytes) throw tooHeavy()
}

/** Whether the name at the top is that of the batch; one with an escape may be. */
function isNamed({ bytes, nameStart, nameEnd }: Scan, batch: BatchMember): boolean {
  const name = bytes.toString('latin1', nameStart, Math.min(nameEnd, nameStart + 100))
  return name === `"${batch}"` || name.includes('\\')
}
