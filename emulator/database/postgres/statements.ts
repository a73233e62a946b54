/** Runs single statements on a connection, or on any of the pool. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { DatabaseError, maxPrepared, maxResultBytes, resultTooLarge, type Sql } from '../port.js'
import { columnReader, writeValue } from '../values.js'
import { newConnection } from './connect.js'
import { asSentError, isStale, refuse } from './failures.js'
import type { Pool } from './pool.js'
import type { Server } from './server-address.js'
import { connectionOptions, sessionSettings } from './session-settings.js'

export interface Postgres extends Preparing {
  readonly pool: Pool
  /** The server itself, behind any pooler. */
  readonly direct: Server
  /** Connections in use for maintenance. */
  readonly patient: Set<pg.Client>
}

export interface Preparing {
  /** The names of prepared statements by text. */
  readonly names: Readonly<Record<keyof typeof maxPrepared, Map<string, string>>>
  /** Whether to use named statements. Off after a pooler has lost one or a migration has made one stale. */
  isPreparing: boolean
  /**
   * The timeout for answers to statements with a limit. A dead server sends none, and the system notices only after a
   * quarter of an hour.
   */
  readonly maxAnswerMilliseconds: number
}

/** Time for the answer in addition to the server's statement timeout, for busy machines and slow networks. */
const maxUnderWayMilliseconds = 20_000

/** Starts without prepared statements. Above the maximum, statements are planned each time. */
export function newPreparing(maxStatementMilliseconds: number): Preparing {
  const maxAnswerMilliseconds = maxStatementMilliseconds + maxUnderWayMilliseconds
  return { names: { once: new Map(), 'once, of many': new Map() }, isPreparing: true, maxAnswerMilliseconds }
}

/** The timeout for an answer; none if left out. */
export type Limit = Partial<Pick<Preparing, 'maxAnswerMilliseconds'>>

/** Adds the timeout to a statement. */
export function within(text: string, { maxAnswerMilliseconds }: Limit) {
  return { text, query_timeout: maxAnswerMilliseconds }
}

/** Runs one statement on a connection. @throws {DatabaseError} */
export function runOn(
  client: pg.PoolClient,
  preparing: Preparing,
  statement: Sql,
  limit: Limit = preparing,
): Promise<unknown[]> {
  return ask(client, preparing, statement, limit).catch(refuse)
}

/**
 * Runs one statement in its own transaction.
 * @throws {DatabaseError} 08007 for a write whose connection broke after it was sent
 */
export async function runAlone(postgres: Postgres, statement: Sql): Promise<unknown[]> {
  const { pool } = postgres
  // Connects first, because the pool's own `query` would not say whether it had a connection.
  const client = await pool.connect()
  let isBroken = false
  try {
    return await ask(client, postgres, statement, postgres)
  } catch (error) {
    const known = error instanceof DatabaseError ? error : asSentError(error, statement.text)
    isBroken = known.kind === 'unavailable' || known.kind === 'unknown outcome'
    pool.failed(client, known)
    throw known
  } finally {
    client.release(isBroken)
  }
}

/** @throws the driver's error, or {DatabaseError} for a result that is too large */
async function ask(
  client: pg.PoolClient,
  preparing: Preparing,
  { text, values, planned = 'once' }: Sql,
  limit: Limit,
): Promise<unknown[]> {
  const name =
    planned === 'each time' || !preparing.isPreparing
      ? undefined
      : statementName(preparing.names[planned], text, maxPrepared[planned])
  let bytes = 0
  // Drops the rows of a result that is too large as they arrive.
  const counting = (typeId: number) => {
    const read = columnReader(typeId)
    return (column: string) => {
      bytes += column.length
      return bytes > maxResultBytes ? null : read(column)
    }
  }
  const query = { ...within(text, limit), values: values.map(writeValue), types: { getTypeParser: counting as never } }
  const { rows } = await client.query({ ...query, ...(name ? { name } : {}) }).catch((error) => {
    if (name && (isLost(error) || isStale(error))) preparing.isPreparing = false
    throw error
  })
  if (bytes > maxResultBytes) throw resultTooLarge()
  return rows
}

/** A pooler has given the session's prepared statements to another client, or another client's to this session. */
function isLost({ code }: { code?: string }): boolean {
  return code === '26000' || code === '42P05'
}

/** Runs maintenance without a timeout on a new connection, because sessions of the pool have the usual limit. */
export async function runPatiently({ direct, patient }: Postgres, statement: Sql): Promise<unknown[]> {
  const client = newConnection(direct, {
    connectionTimeoutMillis: 5_000,
    options: connectionOptions({ ...sessionSettings, statement_timeout: 0 }),
    types: { getTypeParser: ((typeId: number) => columnReader(typeId)) as never },
    application_name: 'svc maintenance',
  })
  client.on('error', () => undefined)
  patient.add(client)
  try {
    await client.connect().catch(refuse)
    const { rows } = await client.query(statement.text, statement.values.map(writeValue)).catch((error) => {
      throw asSentError(error, statement.text)
    })
    return rows
  } finally {
    patient.delete(client)
    client.end().catch(() => undefined)
  }
}

/** Derives the name from the text, so that a statement prepared by another process is always the same. */
function statementName(names: Map<string, string>, text: string, max: number): string | undefined {
  const known = names.get(text)
  if (known || names.size >= max) return known
  const name = `svc_${createHash('sha256').update(text).digest('base64url')}`
  names.set(text, name)
  return name
}
