/** Measures the time and statements of one request, by wrapping its database and password hasher. */
import type { Database, Sql } from '../../database/port.js'
import type { Hasher } from '../../ports/passwords/port.js'
import type { Backend } from '../context.js'

/** Statements logged per request. */
const maxStatements = 50

/** A statement as it was sent to the database. */
export interface TracedStatement {
  readonly sql: Sql
  /** null until it has succeeded. */
  rows: number | null
  milliseconds: number
}

/** Counts so far. */
export interface Trace {
  /** Stops counting, because work after the response doesn't belong to the request. */
  isOver: boolean
  receiving: number
  /** The body, if that is text. */
  received: Buffer | undefined
  queue: number
  database: number
  hashing: number
  readonly statements: TracedStatement[]
  statementCount: number
  /** Statements in progress. Parallel statements count their time once. */
  running: number
  runningSince: number
}

export function openTrace(): Trace {
  return {
    isOver: false,
    receiving: 0,
    received: undefined,
    queue: 0,
    database: 0,
    hashing: 0,
    statements: [],
    statementCount: 0,
    running: 0,
    runningSince: 0,
  }
}

/** Wraps the backend for one request. */
export function tracedBackend(backend: Backend, trace: Trace): Backend {
  return {
    ...backend,
    db: tracedDatabase(backend.db, trace),
    passwords: tracedHasher(backend.passwords, trace),
  }
}

function tracedDatabase(db: Database, trace: Trace): Database {
  return {
    capabilities: db.capabilities,
    async query<Row>(statement: Sql) {
      const begun = begin(trace, [statement])
      try {
        const rows = await db.query<Row>(statement)
        answered(begun, [rows])
        return rows
      } finally {
        end(trace, begun)
      }
    },
    async batch(statements) {
      const begun = begin(trace, statements)
      try {
        const results = await db.batch(statements)
        answered(begun, results)
        return results
      } finally {
        end(trace, begun)
      }
    },
    transaction: (work) => tracedTransaction(db, trace, work),
    close: () => db.close(),
  }
}

/** Counts the time a transaction waits: for a connection at the start, and for the commit at the end. */
async function tracedTransaction<Result>(
  db: Database,
  trace: Trace,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  const askedAt = performance.now()
  let doneAt: number | undefined
  const result = await db.transaction(async (tx) => {
    trace.queue += performance.now() - askedAt
    const result = await work(tracedDatabase(tx, trace))
    doneAt = performance.now()
    return result
  })
  if (doneAt !== undefined) trace.database += performance.now() - doneAt
  return result
}

function begin(trace: Trace, statements: readonly Sql[]): TracedStatement[] {
  const now = performance.now()
  if (trace.running++ === 0) trace.runningSince = now
  if (trace.isOver) return []
  trace.statementCount += statements.length
  const kept = statements
    .slice(0, maxStatements - trace.statements.length)
    .map((sql): TracedStatement => ({ sql, rows: null, milliseconds: now }))
  trace.statements.push(...kept)
  return kept
}

function answered(begun: readonly TracedStatement[], results: readonly (readonly unknown[])[]): void {
  for (const [at, statement] of begun.entries()) statement.rows = results[at]?.length ?? null
}

function end(trace: Trace, begun: readonly TracedStatement[]): void {
  const now = performance.now()
  for (const statement of begun) statement.milliseconds = now - statement.milliseconds
  if (--trace.running === 0) trace.database += now - trace.runningSince
}

function tracedHasher(passwords: Hasher, trace: Trace): Hasher {
  async function timed<Result>(work: Promise<Result>): Promise<Result> {
    const begunAt = performance.now()
    try {
      return await work
    } finally {
      trace.hashing += performance.now() - begunAt
    }
  }
  return {
    ...passwords,
    hash: (password, owner) => timed(passwords.hash(password, owner)),
    matches: (password, hash, owner) => timed(passwords.matches(password, hash, owner)),
  }
}
