/** Single statements on a connection, or on any of the pool. */
import type pg from 'pg'
import { mostResultBytes, resultTooLarge, type Sql } from '../port.js'
import { columnReader, writeValue } from '../values.js'
import { refuse } from './failures.js'

/** One opened database. */
export interface Postgres {
  readonly pool: pg.Pool
  readonly mostStatementMilliseconds: number
  /** The names of prepared statements by their text; every connection prepares them under the same. */
  readonly names: Map<string, string>
  /** Connections that maintenance is using. */
  readonly patient: Set<pg.PoolClient>
}

/** Statements kept prepared on each connection; further ones are planned each time. */
const mostPrepared = 400

/** Carries out one statement on a connection, or on one of the pool. @throws {DatabaseError} */
export async function runOn(
  runner: pg.Pool | pg.PoolClient,
  { names }: Postgres,
  { text, values, planned }: Sql,
): Promise<unknown[]> {
  const name = planned === 'each time' ? undefined : nameOf(names, text)
  let bytes = 0
  // The rows of a result that is too large are not kept while they come in.
  const counting = (typeId: number) => {
    const read = columnReader(typeId)
    return (column: string) => {
      bytes += column.length
      return bytes > mostResultBytes ? null : read(column)
    }
  }
  const query = { text, values: values.map(writeValue), types: { getTypeParser: counting as never } }
  const { rows } = await runner.query({ ...query, ...(name ? { name } : {}) }).catch(refuse)
  if (bytes > mostResultBytes) throw resultTooLarge()
  return rows
}

/** Maintenance may take as long as it takes; the limit is restored for what uses the connection next. */
export async function runPatiently(
  { pool, patient, mostStatementMilliseconds }: Postgres,
  statement: Sql,
): Promise<unknown[]> {
  const client = await pool.connect().catch(refuse)
  const onError = () => undefined
  client.on('error', onError)
  patient.add(client)
  let isAsBefore = false
  try {
    await client.query('set statement_timeout = 0').catch(refuse)
    const { rows } = await client.query(statement.text, statement.values.map(writeValue)).catch(refuse)
    await client.query(`set statement_timeout = ${mostStatementMilliseconds}`).catch(refuse)
    isAsBefore = true
    return rows
  } finally {
    // Closing the pool has ended it already. A connection without the limit is not used again.
    if (patient.delete(client)) client.release(!isAsBefore)
    client.off('error', onError)
  }
}

function nameOf(names: Map<string, string>, text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= mostPrepared) return known
  const name = `svc_${names.size}`
  names.set(text, name)
  return name
}
