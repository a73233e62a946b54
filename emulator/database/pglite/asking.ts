/** Turns the calls of the port into jobs for the thread. */
import { type Capabilities, type Database, type Sql, sql } from '../port.js'
import { writeValue } from '../values.js'
import { closed } from './faults.js'
import type { Transaction, TransactionJob } from './jobs.js'
import { openAgain } from './recovery.js'
import { send } from './sending.js'
import type { Pglite } from './state.js'

export const capabilities: Capabilities = {
  supportsConcurrentIndexes: false,
  vacuumsItself: false,
  checkpointsItself: false,
  isDurable: false,
  runsTransactionsTogether: false,
  numbersChanges: 'when written',
  endsStatements: false,
}

const beginning = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`

/** Implements the port, except `close`. */
export function databaseOver(pglite: Pglite): Omit<Database, 'close'> {
  return {
    ...verbs((statements) => run(pglite, statements)),
    transaction: (work) => inTransaction(pglite, work),
  }
}

/** Sends the queue at the end of this turn of the event loop, so that its statements travel together. */
export function schedule(pglite: Pglite): void {
  if (pglite.isScheduled) return
  pglite.isScheduled = true
  setImmediate(() => {
    pglite.isScheduled = false
    if (pglite.isDown && !pglite.isReopening && pglite.waiting.length > 0) void openAgain(pglite)
    else send(pglite)
  })
}

function run(pglite: Pglite, statements: readonly Sql[]): Promise<unknown[][]> {
  if (pglite.isClosed) return Promise.reject(closed())
  return new Promise((resolve, reject) => {
    pglite.waiting.push({ statements: statements.map(written), resolve, reject })
    schedule(pglite)
  })
}

/** Takes the connection with the first statement, so that work before it blocks no other transaction. */
async function inTransaction<T>(pglite: Pglite, work: (tx: Database) => Promise<T>): Promise<T> {
  if (pglite.isClosed) throw closed()
  const transaction: Transaction = { jobs: [], failures: [], isBegun: false, isOver: false }
  try {
    const result = await work(transactionOver(pglite, transaction))
    if (transaction.isBegun) await ask(pglite, transaction, [commit], 'last')
    // Throws even if the work caught the error, because the failed statement rolled everything back.
    if (transaction.failures.length > 0) throw transaction.failures[0]
    return result
  } catch (error) {
    if (transaction.isBegun) await ask(pglite, transaction, [rollback], 'last').catch(() => undefined)
    throw error
  }
}

function transactionOver(pglite: Pglite, transaction: Transaction): Database {
  const tx: Database = {
    ...verbs((statements) => {
      begin(pglite, transaction)
      const answer = ask(pglite, transaction, statements, 'within')
      answer.catch((error) => transaction.failures.push(error))
      return answer
    }),
    transaction: (work) => work(tx),
    close: async () => {},
  }
  return tx
}

function begin(pglite: Pglite, transaction: Transaction): void {
  if (transaction.isBegun) return
  transaction.isBegun = true
  pglite.waiting.push(transaction)
  // Travels with the first statement, which fails if this does.
  ask(pglite, transaction, [beginning], 'first').catch(() => undefined)
}

function ask(
  pglite: Pglite,
  transaction: Transaction,
  statements: readonly Sql[],
  position: TransactionJob['position'],
): Promise<unknown[][]> {
  if (pglite.isClosed || transaction.isOver) return Promise.reject(closed())
  if (position === 'last') transaction.isOver = true
  return new Promise((resolve, reject) => {
    transaction.jobs.push({ statements: statements.map(written), transaction, position, resolve, reject })
    // Sends at once, because the transaction holds the connection and other requests wait for it.
    if (pglite.holder === transaction) process.nextTick(send, pglite)
    else schedule(pglite)
  })
}

function verbs(batch: Database['batch']): Pick<Database, 'capabilities' | 'query' | 'batch'> {
  return {
    capabilities,
    query: async <Row>(statement: Sql) => (await batch([statement]))[0] as Row[],
    batch,
  }
}

/** Encodes the parameters as text now, while the thread runs other statements. */
function written({ text, values, planned, patient = false }: Sql): Sql {
  return { text, values: values.map(writeValue), planned: planned ?? 'once', patient }
}
