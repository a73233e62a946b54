/** What one request costs, and the statements it runs: counted by the database and the hasher that are handed to it. */
import type { Database, Sql } from '../../database/port.js'
import type { Hasher } from '../../ports/passwords/port.js'
import type { Backend } from '../context.js'

/** Statements of one request that are kept. */
const mostStatements = 50

/** A statement as it was asked for. */
export interface TracedStatement {
  readonly sql: Sql
  /** null until it has answered, and where it failed. */
  rows: number | null
  milliseconds: number
}

/** What has been counted so far. */
export interface Trace {
  /** From here on nothing is counted: what goes on behind the answer is no part of the request. */
  isOver: boolean
  receiving: number
  queue: number
  database: number
  hashing: number
  readonly statements: TracedStatement[]
  statementCount: number
  /** Statements at work, whose time counts once however many there are. */
  running: number
  runningSince: number
}

export function openTrace(): Trace {
  return {
    isOver: false,
    receiving: 0,
    queue: 0,
    database: 0,
    hashing: 0,
    statements: [],
    statementCount: 0,
    running: 0,
    runningSince: 0,
  }
}

/** The same backend, for one request. */
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

/** Before its work begins, a transaction waits for a connection; behind it, for the commit. */
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
    .slice(0, mostStatements - trace.statements.length)
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
