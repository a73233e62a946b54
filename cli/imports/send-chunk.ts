import { type Issue, SvcError } from '../../client/protocol/model/errors.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { ReadRow } from '../../seeds/records/record.js'
import { hashJson } from '../files/hash.js'

/** A row that the service refused, with the reason. */
export interface RefusedRow {
  /** Position in the input, from 1. */
  readonly record: number
  readonly line: number
  readonly reason: string
  readonly row: JsonObject | string
}

/** Writes all rows or none. `key` makes a retry safe. */
export type SendRows = (rows: readonly ReadRow[], key: string) => Promise<SentRows>

export interface SentRows {
  readonly created: number
  /** Created documents whose row named another id. */
  readonly newIds: number
}

/** Prepares a chunk before it is sent. The returned function sends all of its rows, or those that are not refused. */
export type OpenChunk = (rows: readonly ReadRow[]) => SendRows

export interface Sent extends SentRows {
  readonly accepted: number
  readonly refused: readonly RefusedRow[]
}

const none: Sent = { accepted: 0, created: 0, newIds: 0, refused: [] }

/**
 * Sends rows so that a bad one does not block the others. Drops the rows that the error names and retries. If it names
 * none, splits the rows in half until the bad one is alone.
 */
export async function sendRows(rows: readonly ReadRow[], importId: string, send: SendRows): Promise<Sent> {
  if (rows.length === 0) return none
  try {
    const sent = await send(rows, idempotencyKey(rows, importId))
    return { ...sent, accepted: rows.length, refused: [] }
  } catch (error) {
    if (!(error instanceof SvcError) || !isAboutRows(error)) throw error
    if (rows.length === 1) {
      return { ...none, refused: rows.map((row) => refusal(row, describeReason(error))) }
    }
    const named = namedRows(error, rows.length)
    return named ? sendOthers(rows, named, importId, send) : sendHalves(rows, importId, send)
  }
}

async function sendOthers(
  rows: readonly ReadRow[],
  named: ReadonlyMap<number, string>,
  importId: string,
  send: SendRows,
): Promise<Sent> {
  const refused = rows.flatMap((row, at) => {
    const reason = named.get(at)
    return reason === undefined ? [] : [refusal(row, reason)]
  })
  const rest = await sendRows(
    rows.filter((_, at) => !named.has(at)),
    importId,
    send,
  )
  return { ...rest, refused: inOrder([...refused, ...rest.refused]) }
}

async function sendHalves(rows: readonly ReadRow[], importId: string, send: SendRows): Promise<Sent> {
  const middle = Math.ceil(rows.length / 2)
  const first = await sendRows(rows.slice(0, middle), importId, send)
  const second = await sendRows(rows.slice(middle), importId, send)
  return {
    accepted: first.accepted + second.accepted,
    created: first.created + second.created,
    newIds: first.newIds + second.newIds,
    refused: [...first.refused, ...second.refused],
  }
}

/** Derives the key from the import and the rows, so that only an identical request has the same key. */
function idempotencyKey(rows: readonly ReadRow[], importId: string): string {
  return `${importId}-${hashJson(rows.map(({ number }) => number))}`
}

/** Returns whether a single row can cause the failure. Other failures concern the whole import. */
function isAboutRows({ code }: SvcError): boolean {
  return code === 'VALIDATION_ERROR' || code === 'PAYLOAD_TOO_LARGE' || code === 'INVALID_BODY'
}

/** Returns the rows that the issues name by index. Undefined if any issue names none. */
function namedRows({ issues }: SvcError, length: number): Map<number, string> | undefined {
  const named = new Map<number, string>()
  for (const issue of issues) {
    const [at] = issue.path
    if (typeof at !== 'number' || at < 0 || at >= length) return undefined
    named.set(at, named.has(at) ? `${named.get(at)}; ${issueText(issue)}` : issueText(issue))
  }
  return named.size === 0 ? undefined : named
}

function issueText({ message }: Issue): string {
  return message
}

function describeReason({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map(issueText).join('; ') : message
}

function refusal({ number, line, fields }: ReadRow, reason: string): RefusedRow {
  return { record: number, line, reason, row: fields }
}

function inOrder(refused: readonly RefusedRow[]): RefusedRow[] {
  return [...refused].sort((one, other) => one.record - other.record)
}
