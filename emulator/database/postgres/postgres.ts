import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { type Database, DatabaseError, mostResultBytes, type Sql } from '../port.js'
import { StartError } from '../start-error.js'
import { readerOf, writeValue } from '../values.js'
import { connectionOptions, sessionSettings } from './session-settings.js'

export interface PostgresOptions {
  readonly url: string
  readonly mostConnections?: number
  readonly mostStatementMilliseconds?: number
}

/** The first version whose built-in collation folds case as filters need it. */
const oldestVersion = 17

/** Statements kept prepared on each connection; further ones are planned each time. */
const mostPrepared = 400
const names = new Map<string, string>()

/** Connections that maintenance is using. */
const patient = new Set<pg.PoolClient>()
const mostClosingMilliseconds = 1_000

/** How often a transaction is done that the server takes back for another's sake. */
const mostTries = 3

/**
 * PostgreSQL behind the same port: the same statements, parameters and values as PGlite.
 *
 * @throws {StartError} `DATABASE_UNREACHABLE` or `DATABASE_TOO_OLD`
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, mostConnections = 10, mostStatementMilliseconds = sizes.mostStatementSeconds * 1_000 } = options
  requireAddress(url)
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: 5_000,
    options: connectionOptions({ ...sessionSettings, statement_timeout: mostStatementMilliseconds }),
    types: { getTypeParser: ((typeId: number) => readerOf(typeId)) as never },
    application_name: 'svc',
  })
  // A connection that breaks while nobody uses it is replaced; whoever uses one hears of it by the statement.
  pool.on('error', () => undefined)
  await checkServer(pool, url).catch(async (error) => {
    await pool.end()
    throw error
  })
  const database = over(pool, mostStatementMilliseconds)
  return {
    ...database,
    query: (statement) => repeated(() => database.query(statement)),
    batch: (statements) => repeated(() => database.batch(statements)),
    transaction: (work) => repeated(() => database.transaction(work)),
    close: () => end(pool),
  }
}

/** Each is a transaction of its own, which the server has taken back: it can be done again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(error) || tries === mostTries) throw error
      await pause(Math.random() * 20 * tries)
    }
  }
}

function over(
  runner: pg.Pool | pg.PoolClient,
  mostMilliseconds: number,
  onFailure?: (error: unknown) => void,
): Database {
  const database: Database = {
    engine: 'postgres',
    query<Row>(statement: Sql) {
      const answer = run(runner, statement, mostMilliseconds)
      if (onFailure) answer.catch(onFailure)
      return answer as Promise<Row[]>
    },
    batch: (statements) =>
      database.transaction(async (tx) => {
        const results: unknown[][] = []
        for (const statement of statements) results.push(await tx.query(statement))
        return results
      }),
    transaction: (work) => (runner instanceof pg.Pool ? inTransaction(runner, mostMilliseconds, work) : work(database)),
    close: async () => undefined,
  }
  return database
}

async function inTransaction<T>(
  pool: pg.Pool,
  mostMilliseconds: number,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(refuse)
  // Without a listener, a connection that breaks between two statements would end the process.
  const onError = () => undefined
  client.on('error', onError)
  let isBroken = false
  try {
    await client.query('begin').catch(refuse)
    const failures: unknown[] = []
    const result = await work(over(client, mostMilliseconds, (error) => failures.push(error)))
    await client.query('commit').catch(refuseCommit)
    // All of it was taken back with the statement that failed, whatever the work made of that.
    if (failures.length > 0) throw failures[0]
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(isBroken)
  }
}

async function run(runner: pg.Pool | pg.PoolClient, statement: Sql, mostMilliseconds: number): Promise<unknown[]> {
  if (statement.patient && runner instanceof pg.Pool) return runPatiently(runner, statement, mostMilliseconds)
  const name = statement.planned === 'each time' ? undefined : nameOf(statement.text)
  const query = { text: statement.text, values: statement.values.map(writeValue), ...(name ? { name } : {}) }
  let bytes = 0
  // Rows that nobody will be given are not kept while they come in.
  const counting = (typeId: number) => {
    const read = readerOf(typeId)
    return (text: string) => {
      bytes += text.length
      return bytes > mostResultBytes ? null : read(text)
    }
  }
  const { rows } = await runner.query({ ...query, types: { getTypeParser: counting as never } }).catch(refuse)
  if (bytes > mostResultBytes) throw plainError('RESULT_TOO_LARGE')
  return rows
}

/** Maintenance may take as long as it takes; the limit is put back for whoever uses the connection next. */
async function runPatiently(pool: pg.Pool, statement: Sql, mostMilliseconds: number): Promise<unknown[]> {
  const client = await pool.connect().catch(refuse)
  const onError = () => undefined
  client.on('error', onError)
  patient.add(client)
  let isAsBefore = false
  try {
    await client.query('set statement_timeout = 0').catch(refuse)
    const { rows } = await client.query(statement.text, statement.values.map(writeValue)).catch(refuse)
    await client.query(`set statement_timeout = ${mostMilliseconds}`).catch(refuse)
    isAsBefore = true
    return rows
  } finally {
    // Whoever closes the pool has ended it already. A connection without the limit is not used again.
    if (patient.delete(client)) client.release(!isAsBefore)
    client.off('error', onError)
  }
}

/** Ends the pool once what is at work is done; maintenance is cut, which leaves nothing half done. */
async function end(pool: pg.Pool): Promise<void> {
  const ended = pool.end()
  await Promise.race([ended, pause(mostClosingMilliseconds)])
  for (const client of patient) if (patient.delete(client)) client.release(true)
  await ended
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= mostPrepared) return known
  const name = `svc_${names.size}`
  names.set(text, name)
  return name
}

/** What the driver throws, as the store and the caller know it: without a state of the server, the connection is what failed. */
function refuse(error: unknown): never {
  const { code, message, constraint } = error as { code?: string; message: string; constraint?: string }
  throw new DatabaseError(message, hasState(code) ? code : '08006', constraint)
}

/** Without an answer of the server, a commit may have gone through. */
function refuseCommit(error: unknown): never {
  const { code, message } = error as { code?: string; message: string }
  throw hasState(code) ? new DatabaseError(message, code) : new DatabaseError(message, '08007')
}

function hasState(code: string | undefined): code is string {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
}

/** Serialization failures and deadlocks. */
function isRepeatable(error: unknown): boolean {
  return error instanceof DatabaseError && (error.sqlState === '40001' || error.sqlState === '40P01')
}

async function checkServer(pool: pg.Pool, url: string): Promise<void> {
  const { rows } = await pool
    .query(`select current_setting('server_version_num')::int as version`)
    .catch((cause: Error) => {
      throw new StartError(
        'DATABASE_UNREACHABLE',
        `Could not open ${withoutPassword(url)}: ${cause.message || (cause as { code?: string }).code}.`,
        'Check that it runs, that the database exists, and the address, user and password in --database-url.',
        cause,
      )
    })
  const { version } = rows[0] as { version: number }
  if (version < oldestVersion * 10_000) {
    throw new StartError(
      'DATABASE_TOO_OLD',
      `PostgreSQL ${Math.floor(version / 10_000)} is too old.`,
      `Use PostgreSQL ${oldestVersion} or later.`,
    )
  }
}

/** The driver would take any other text for the name of a database somewhere. It may hold a password, so it is not repeated. */
function requireAddress(url: string) {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return
  const hint = 'Write it as postgres://user:password@host:5432/database.'
  throw new StartError(
    'DATABASE_UNREACHABLE',
    'What --database-url says is not the address of a PostgreSQL server.',
    hint,
  )
}

function withoutPassword(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'the database'
  }
}
