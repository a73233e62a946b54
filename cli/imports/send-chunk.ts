import { type Issue, SvcError } from '../../client/protocol/model/errors.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { ReadRow } from '../../seeds/records/record.js'
import { hashOf } from '../files/hash.js'

/** A row that the service did not take, and why. */
export interface RefusedRow {
  /** Of the input, from 1. */
  readonly record: number
  readonly line: number
  readonly reason: string
  readonly row: JsonObject | string
}

/** Creates or changes the documents of all of these or of none; `key` makes a repetition safe. */
export type SendRows = (rows: readonly ReadRow[], key: string) => Promise<SentRows>

export interface SentRows {
  /** Documents that are new. */
  readonly created: number
  /** Of these, those that have another id than their row named. */
  readonly newIds: number
}

/** Prepares a chunk, before its turn to be sent; what it returns sends its rows, all of them or those that are not refused. */
export type OpenChunk = (rows: readonly ReadRow[]) => SendRows

export interface Sent extends SentRows {
  readonly accepted: number
  readonly refused: readonly RefusedRow[]
}

const none: Sent = { accepted: 0, created: 0, newIds: 0, refused: [] }

/**
 * Sends rows so that one bad row keeps no good one out: rows that the answer names are left out and
 * the others sent again; where it names none, the rows are halved until the bad one is alone.
 */
export async function sendRows(rows: readonly ReadRow[], importId: string, send: SendRows): Promise<Sent> {
  if (rows.length === 0) return none
  try {
    const sent = await send(rows, idempotencyKey(rows, importId))
    return { ...sent, accepted: rows.length, refused: [] }
  } catch (error) {
    if (!(error instanceof SvcError) || !isAboutRows(error)) throw error
    if (rows.length === 1) {
      return { ...none, refused: rows.map((row) => refusal(row, reasonOf(error))) }
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

/** The same rows of the same import always travel under the same key, and others, or those of another import, under another. */
function idempotencyKey(rows: readonly ReadRow[], importId: string): string {
  return `${importId}-${hashOf(rows.map(({ number }) => number))}`
}

/** Failures that a single row can cause; all others concern the whole import. */
function isAboutRows({ code }: SvcError): boolean {
  return code === 'VALIDATION_ERROR' || code === 'PAYLOAD_TOO_LARGE' || code === 'INVALID_BODY'
}

/** The rows that the issues name by their index, as long as each issue names one. */
function namedRows({ issues }: SvcError, length: number): Map<number, string> | undefined {
  const named = new Map<number, string>()
  for (const issue of issues) {
    const [at] = issue.path
    if (typeof at !== 'number' || at < 0 || at >= length) return undefined
    named.set(at, named.has(at) ? `${named.get(at)}; ${wordOf(issue)}` : wordOf(issue))
  }
  return named.size === 0 ? undefined : named
}

function wordOf({ message }: Issue): string {
  return message
}

function reasonOf({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map(wordOf).join('; ') : message
}

function refusal({ number, line, fields }: ReadRow, reason: string): RefusedRow {
  return { record: number, line, reason, row: fields }
}

function inOrder(refused: readonly RefusedRow[]): RefusedRow[] {
  return [...refused].sort((one, other) => one.record - other.record)
}
