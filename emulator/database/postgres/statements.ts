/** Single statements on a connection, or on any of the pool. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { DatabaseError, mostPrepared, mostResultBytes, resultTooLarge, type Sql } from '../port.js'
import { columnReader, writeValue } from '../values.js'
import { newConnection } from './connect.js'
import { asSentError, isStale, refuse } from './failures.js'
import type { Pool } from './pool.js'
import type { Server } from './server-address.js'
import { connectionOptions, sessionSettings } from './session-settings.js'

/** One opened database. */
export interface Postgres extends Preparing {
  readonly pool: Pool
  /** The server itself, behind whatever pooler. */
  readonly direct: Server
  /** Connections that maintenance is using. */
  readonly patient: Set<pg.Client>
}

export interface Preparing {
  /** The names of prepared statements by their text. */
  readonly names: Readonly<Record<keyof typeof mostPrepared, Map<string, string>>>
  /** Whether statements are prepared under a name: a pooler that does not know of it loses them, a migration outdates them. */
  isPreparing: boolean
  /**
   * How long an answer is waited for, where statements have a limit: a server that is gone without a word gives none, and the system
   * notices only after a quarter of an hour.
   */
  readonly mostAnswerMilliseconds: number
}

/** What an answer may take beyond the server's own limit of a statement, on a busy machine and a slow line. */
const mostUnderWayMilliseconds = 20_000

/** Nothing is prepared yet. Where too many are, further ones are planned each time. */
export function newPreparing(mostStatementMilliseconds: number): Preparing {
  const mostAnswerMilliseconds = mostStatementMilliseconds + mostUnderWayMilliseconds
  return { names: { once: new Map(), 'once, of many': new Map() }, isPreparing: true, mostAnswerMilliseconds }
}

/** How long an answer is waited for; nothing where it may take as long as it takes. */
export type Limit = Partial<Pick<Preparing, 'mostAnswerMilliseconds'>>

/** A statement that is given up without an answer. */
export function within(text: string, { mostAnswerMilliseconds }: Limit) {
  return { text, query_timeout: mostAnswerMilliseconds }
}

/** Carries out one statement on a connection. @throws {DatabaseError} */
export function runOn(
  client: pg.PoolClient,
  preparing: Preparing,
  statement: Sql,
  limit: Limit = preparing,
): Promise<unknown[]> {
  return ask(client, preparing, statement, limit).catch(refuse)
}

/**
 * One statement in a transaction of its own.
 *
 * @throws {DatabaseError} with 08007 for one that writes, where its connection broke once it was sent
 */
export async function runAlone(postgres: Postgres, statement: Sql): Promise<unknown[]> {
  const { pool } = postgres
  // The pool itself would not say whether it had a connection.
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

/** @throws what the driver throws, and {DatabaseError} for a result that is too large */
async function ask(
  client: pg.PoolClient,
  preparing: Preparing,
  { text, values, planned = 'once' }: Sql,
  limit: Limit,
): Promise<unknown[]> {
  const name =
    planned === 'each time' || !preparing.isPreparing
      ? undefined
      : nameOf(preparing.names[planned], text, mostPrepared[planned])
  let bytes = 0
  // The rows of a result that is too large are not kept while they come in.
  const counting = (typeId: number) => {
    const read = columnReader(typeId)
    return (column: string) => {
      bytes += column.length
      return bytes > mostResultBytes ? null : read(column)
    }
  }
  const query = { ...within(text, limit), values: values.map(writeValue), types: { getTypeParser: counting as never } }
  const { rows } = await client.query({ ...query, ...(name ? { name } : {}) }).catch((error) => {
    if (name && (isLost(error) || isStale(error))) preparing.isPreparing = false
    throw error
  })
  if (bytes > mostResultBytes) throw resultTooLarge()
  return rows
}

/** A pooler has given the session's prepared statements to another client, or another client's to the session. */
function isLost({ code }: { code?: string }): boolean {
  return code === '26000' || code === '42P05'
}

/** Maintenance may take as long as it takes, on a connection of its own, since no session of a pool keeps another limit. */
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

/** The same text has the same name everywhere, so that what others prepared on a connection is never something else. */
function nameOf(names: Map<string, string>, text: string, most: number): string | undefined {
  const known = names.get(text)
  if (known || names.size >= most) return known
  const name = `svc_${createHash('sha256').update(text).digest('base64url')}`
  names.set(text, name)
  return name
}
