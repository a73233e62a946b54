import { plainError } from '../../client/model/error-words.js'
import type { SvcError } from '../../client/model/errors.js'
import { sizes } from '../../client/model/limits.js'
import { type Database, type Sql, sql } from './database.js'
import { type Connection, connect, type DataSource, disconnect, receive } from './pglite-connection.js'
import type { Job } from './protocol.js'

export interface PgliteOptions extends DataSource {
  /** What one statement may take before the thread is stopped. A `patient` one may take ten minutes. */
  readonly mostStatementMilliseconds?: number
}

/** Statements sent together in one message: enough to fill the thread, few enough to share it fairly. */
const mostJobsTogether = 64
const mostBytesTogether = 1_048_576
const patientMilliseconds = 600_000
const mostClosingMilliseconds = 1_000

/** A transaction takes the connection for itself; what it asks goes before all else. */
interface Transaction {
  start(tx: Database): void
}

/**
 * PGlite in a worker thread. Statements that are asked for together travel together, each in a transaction of its
 * own; a statement that runs too long, or a thread that dies, costs that statement alone: the data directory is opened
 * again and what had not begun is sent again.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  const { mostStatementMilliseconds = sizes.mostStatementSeconds * 1_000 } = options
  let connection = await connect(options)
  let isClosed = false
  let isReopening = false
  const waiting: (Job | Transaction)[] = []
  const inside: Job[] = []
  let holder: Transaction | undefined
  let isScheduled = false
  let watchdog: NodeJS.Timeout | undefined
  let idle: (() => void) | undefined

  watch(connection)

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    // Requests of one turn of the event loop are gathered before they are sent.
    setImmediate(() => {
      isScheduled = false
      send()
    })
  }

  function send() {
    if (isReopening || connection.session.unfinished.length > 0) return
    const jobs = holder ? inside.splice(0) : takeWaiting()
    if (jobs.length === 0) {
      if (!holder && waiting.length === 0) idle?.()
      return
    }
    const parts: Buffer[] = []
    let bytes = 0
    while (jobs.length > 0 && parts.length < mostJobsTogether && bytes < mostBytesTogether) {
      const part = connection.session.write(jobs.shift() as Job)
      parts.push(part)
      bytes += part.length
    }
    if (holder) inside.unshift(...jobs)
    else waiting.unshift(...jobs)
    const message = new Uint8Array(bytes)
    let at = 0
    for (const part of parts) {
      message.set(part, at)
      at += part.length
    }
    armWatchdog()
    connection.worker.postMessage(message, [message.buffer])
  }

  /** The jobs before the next transaction; the transaction itself when it is its turn. */
  function takeWaiting(): Job[] {
    const first = waiting[0]
    if (first && isTransaction(first)) {
      waiting.shift()
      holder = first
      first.start(transactionDatabase())
      return []
    }
    const next = waiting.findIndex(isTransaction)
    return waiting.splice(0, Math.min(next === -1 ? waiting.length : next, mostJobsTogether)) as Job[]
  }

  function armWatchdog() {
    clearTimeout(watchdog)
    const current = connection.session.unfinished[0]
    if (!current) return
    const isPatient = current.statements.some(({ patient }) => patient)
    watchdog = setTimeout(giveUp, isPatient ? patientMilliseconds : mostStatementMilliseconds)
    watchdog.unref()
  }

  function watch(watched: Connection) {
    watched.worker.on('message', (answer: Uint8Array | 'closed') => {
      if (answer === 'closed') return
      receive(watched, answer)
      if (watched !== connection) return
      armWatchdog()
      if (watched.session.unfinished.length === 0) send()
    })
    watched.worker.on('error', () => {
      if (watched === connection && !isClosed) reopen()
    })
  }

  /** Data in memory would go with the thread, so there the statement runs on, and only its caller stops waiting. */
  function giveUp() {
    if (options.dataDir !== undefined) reopen()
    else connection.session.unfinished[0]?.reject(busy())
  }

  /** Stops the thread and opens the directory again. Only what had certainly not begun is sent once more. */
  function reopen() {
    if (isReopening || isClosed) return
    isReopening = true
    clearTimeout(watchdog)
    const { worker, session, produced, arrived } = connection
    const begun = Atomics.load(produced, 0) - arrived + 1
    const unfinished = session.unfinished
    const lost = holder ? unfinished : unfinished.slice(0, begun)
    if (!holder) waiting.unshift(...unfinished.slice(begun))
    for (const job of [...lost, ...(holder ? inside.splice(0) : [])]) job.reject(busy())
    void worker
      .terminate()
      .then(() => connect(options))
      .then(
        (opened) => {
          connection = opened
          watch(opened)
          isReopening = false
          send()
        },
        () => {
          isReopening = false
          fail()
        },
      )
  }

  /** The directory does not open any more: everything that waits, and everything to come, is refused. */
  function fail() {
    isClosed = true
    for (const job of waiting.splice(0)) {
      if (isTransaction(job)) job.start(refusing)
      else job.reject(busy())
    }
  }

  function ask(statements: readonly Sql[], queue: () => (Job | Transaction)[]): Promise<unknown[][]> {
    if (isClosed) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      queue().push({ statements, resolve, reject })
      schedule()
    })
  }

  function transactionDatabase(): Database {
    return databaseOver(
      (statements) => ask(statements, () => inside),
      (work) => work(transactionDatabase()),
    )
  }

  function databaseOver(
    run: (statements: readonly Sql[]) => Promise<unknown[][]>,
    transaction: Database['transaction'],
  ): Database {
    return {
      engine: 'pglite',
      query: async <Row>(statement: Sql) => (await run([statement]))[0] as Row[],
      batch: run,
      transaction,
      close: async () => {},
    }
  }

  const refusing = databaseOver(
    () => Promise.reject(busy()),
    () => Promise.reject(busy()),
  )

  /** The connection is taken when something is first asked: what is worked out before that holds nobody up. */
  async function transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    if (isClosed) throw busy()
    const mine: { transaction?: Transaction } = {}
    let begun: Promise<Database> | undefined
    const begin = async () => {
      const tx = await new Promise<Database>((start) => {
        mine.transaction = { start }
        waiting.push(mine.transaction)
        schedule()
      })
      // It travels with the first statement, which fails if this does.
      tx.query(beginning).catch(() => undefined)
      return tx
    }
    const late: Database = databaseOver(
      async (statements) => {
        begun ??= begin()
        return (await begun).batch(statements)
      },
      (work) => work(late),
    )
    try {
      const result = await work(late)
      if (begun) await (await begun).query(commit)
      return result
    } catch (error) {
      if (begun && !isReopening) await (await begun).query(rollback).catch(() => undefined)
      throw error
    } finally {
      if (mine.transaction && holder === mine.transaction) holder = undefined
      schedule()
    }
  }

  /** Whether all that was asked for is done, within the time that closing may take. */
  function untilIdle(): Promise<boolean> {
    if (!holder && waiting.length === 0 && connection.session.unfinished.length === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), mostClosingMilliseconds)
      idle = () => {
        clearTimeout(timer)
        resolve(true)
      }
      schedule()
    })
  }

  const open = databaseOver((statements) => ask(statements, () => waiting), transaction)
  return {
    ...open,
    async close() {
      if (isClosed) return
      const isIdle = await untilIdle()
      isClosed = true
      clearTimeout(watchdog)
      // An index that is being made would take its time; stopped, it leaves nothing behind, as after any end.
      await (isIdle ? disconnect(connection.worker) : connection.worker.terminate())
      for (const job of connection.session.unfinished) job.reject(busy())
      fail()
    },
  }
}

const beginning = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`
function isTransaction(waiting: Job | Transaction): waiting is Transaction {
  return 'start' in waiting
}

function busy(): SvcError {
  return plainError('UNAVAILABLE', { retryAfterSeconds: 1 })
}
