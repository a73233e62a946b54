import { sizes } from '../../../client/protocol/model/limits.js'
import { type Capabilities, type Database, type Sql, sql } from '../port.js'
import { writeValue } from '../values.js'
import { type Connection, connect, type DataSource, disconnect, jobAtWork, receive, takeHeld } from './connection.js'
import { broken, closed, type Reason, tookTooLong, unknownOutcome } from './faults.js'
import { isInside, isTransaction, type Transaction, type TransactionJob } from './jobs.js'
import type { Job } from './protocol.js'
import { openWatchdog } from './watchdog.js'

export interface PgliteOptions extends DataSource {
  /** What one statement may take before the thread is stopped. A `patient` one may take ten minutes. */
  readonly mostStatementMilliseconds?: number
  /** Hears why the thread ended or did not open. */
  readonly report?: (error: unknown) => void
}

const capabilities: Capabilities = {
  supportsConcurrentIndexes: false,
  vacuumsItself: false,
  checkpointsItself: false,
  isDurable: false,
}

/** Statements sent together in one message: enough to fill the thread, few enough to share it fairly. */
const mostJobsTogether = 64
const mostBytesTogether = 1_048_576
const mostClosingMilliseconds = 1_000

/**
 * PGlite in a worker thread. Statements that are asked for together travel together, each in a transaction of its
 * own, and what follows the last statement of a transaction travels with it. A statement that runs too long, or a thread
 * that dies, costs that statement or its transaction alone: the data directory is opened again and what had not begun is
 * sent again.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  const { mostStatementMilliseconds = sizes.mostStatementSeconds * 1_000, report = () => undefined } = options
  let connection = await connect(options)
  let isClosed = false
  let isReopening = false
  /** The directory did not open again. Whoever asks next has it tried once more. */
  let isDown = false
  const waiting: (Job | Transaction)[] = []
  let holder: Transaction | undefined
  let isScheduled = false
  let idle: (() => void) | undefined
  let reopened: (() => void) | undefined

  const watchdog = openWatchdog({ atWork, giveUp, mostMilliseconds: mostStatementMilliseconds })

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
    if (isDown && !isReopening && waiting.length > 0) return void openAgain()
    if (isDown || isReopening || connection.session.unfinished.length > 0) return
    const parts: Buffer[] = []
    let bytes = 0
    while (parts.length < mostJobsTogether && bytes < mostBytesTogether) {
      const job = takeNext()
      if (!job) break
      const part = connection.session.write(job)
      parts.push(part)
      bytes += part.length
    }
    if (parts.length === 0) {
      if (!holder) idle?.()
      return
    }
    const message = new Uint8Array(bytes)
    let at = 0
    for (const part of parts) {
      message.set(part, at)
      at += part.length
    }
    watchdog.arm()
    connection.worker.postMessage(message, [message.buffer])
  }

  /** Inside a transaction only what it asks; what comes behind its last statement need not wait for the answer. */
  function takeNext(): Job | undefined {
    if (!holder) {
      const first = waiting.shift()
      if (!first || !isTransaction(first)) return first
      holder = first
    }
    const job = holder.jobs.shift()
    if (job?.place === 'last') holder = undefined
    return job
  }

  function atWork(): Job | undefined {
    return isReopening ? undefined : jobAtWork(connection)
  }

  function watch(watched: Connection) {
    watched.worker.on('message', (answer: Uint8Array | 'closed') => {
      if (answer === 'closed') return
      receive(watched, answer)
      if (watched !== connection) return
      watchdog.arm()
      if (watched.session.unfinished.length === 0) send()
    })
    watched.worker.on('error', (error) => lost(watched, error))
    watched.worker.on('exit', (code) => lost(watched, new Error(`The thread of the database ended with ${code}.`)))
  }

  function lost(watched: Connection, error: Error) {
    if (watched !== connection || isReopening || isDown || isClosed) return
    report(error)
    void reopen(broken)
  }

  /** Data in memory would go with the thread, so there the statement runs on, and only its caller stops waiting. */
  function giveUp() {
    if (options.dataDir !== undefined) return void reopen(tookTooLong)
    takeHeld(connection)
    atWork()?.reject(tookTooLong())
  }

  /** Stops the thread and opens the directory again. Only what had certainly not begun is sent once more. */
  async function reopen(reason: Reason) {
    if (isReopening || isClosed) return
    isReopening = true
    watchdog.off()
    await connection.worker.terminate()
    takeHeld(connection)
    giveBack(connection, reason)
    await openAgain()
  }

  async function openAgain() {
    isReopening = true
    const opened = isClosed ? undefined : await connect(options).catch((error) => void report(error))
    if (isClosed) await opened?.worker.terminate()
    isReopening = false
    isDown = !opened
    reopened?.()
    if (isClosed) return
    if (!opened) return refuseWaiting(closed)
    connection = opened
    watch(connection)
    send()
  }

  /** What was sent to a thread that has ended: what may have begun is refused, all else waits again, in its order. */
  function giveBack({ session }: Connection, reason: Reason) {
    const [begun, ...others] = session.unfinished
    const unbegun = new Set(others.flatMap((job) => (isInside(job) && job.place === 'first' ? [job.transaction] : [])))
    if (holder && !unbegun.has(holder)) refuse(holder, reason)
    holder = undefined
    begun?.reject(isInside(begun) && begun.place === 'last' ? unknownOutcome() : reason())
    const again: (Job | Transaction)[] = []
    for (const job of others) {
      if (!isInside(job)) again.push(job)
      else if (!unbegun.has(job.transaction)) job.reject(reason())
      else if (job.place === 'first') again.push(job.transaction)
    }
    for (const transaction of unbegun) {
      transaction.jobs.unshift(...others.filter(isInside).filter((job) => job.transaction === transaction))
    }
    waiting.unshift(...again)
  }

  function refuse(transaction: Transaction, reason: Reason) {
    transaction.isOver = true
    for (const job of transaction.jobs.splice(0)) job.reject(reason())
  }

  function refuseWaiting(reason: Reason) {
    if (holder) refuse(holder, reason)
    holder = undefined
    for (const one of waiting.splice(0)) {
      if (isTransaction(one)) refuse(one, reason)
      else one.reject(reason())
    }
  }

  function run(statements: readonly Sql[]): Promise<unknown[][]> {
    if (isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      waiting.push({ statements: statements.map(written), resolve, reject })
      schedule()
    })
  }

  /** The connection is taken when something is first asked: what is worked out before that holds nobody up. */
  async function transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    if (isClosed) throw closed()
    const mine: Transaction = { jobs: [], isOver: false }
    const failures: unknown[] = []
    let isBegun = false

    function ask(statements: readonly Sql[], place: TransactionJob['place']): Promise<unknown[][]> {
      if (isClosed || mine.isOver) return Promise.reject(closed())
      if (place === 'last') mine.isOver = true
      return new Promise((resolve, reject) => {
        mine.jobs.push({ statements: statements.map(written), transaction: mine, place, resolve, reject })
        // Whoever holds the connection is not kept waiting for other requests.
        if (holder === mine) process.nextTick(send)
        else schedule()
      })
    }
    const tx: Database = databaseOver(
      (statements) => {
        if (!isBegun) {
          isBegun = true
          waiting.push(mine)
          // It travels with the first statement, which fails if this does.
          ask([beginning], 'first').catch(() => undefined)
        }
        const answer = ask(statements, 'within')
        answer.catch((error) => failures.push(error))
        return answer
      },
      (work) => work(tx),
    )
    try {
      const result = await work(tx)
      if (isBegun) await ask([commit], 'last')
      // All of it was taken back with the statement that failed, whatever the work made of that.
      if (failures.length > 0) throw failures[0]
      return result
    } catch (error) {
      if (isBegun) await ask([rollback], 'last').catch(() => undefined)
      throw error
    }
  }

  /** Whether all that was asked for is done, within the time that closing may take. */
  function untilIdle(): Promise<boolean> {
    if (isDown) return Promise.resolve(true)
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

  async function shutDown() {
    if (isClosed) return
    const isIdle = await untilIdle()
    isClosed = true
    watchdog.off()
    // An index that is being made would take its time; stopped, it leaves nothing behind, as after any end.
    await (isIdle ? disconnect(connection.worker) : connection.worker.terminate())
    // Nobody else may open the directory before the thread that is about to has ended.
    if (isReopening) await new Promise<void>((resolve) => (reopened = resolve))
    for (const job of connection.session.unfinished) job.reject(closed())
    refuseWaiting(closed)
  }

  let closing: Promise<void> | undefined
  return {
    ...databaseOver(run, transaction),
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}

function databaseOver(
  run: (statements: readonly Sql[]) => Promise<unknown[][]>,
  transaction: Database['transaction'],
): Database {
  return {
    capabilities,
    query: async <Row>(statement: Sql) => (await run([statement]))[0] as Row[],
    batch: run,
    transaction,
    close: async () => {},
  }
}

const beginning = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`

/** The same statement with its parameters as text: a large one is written while others are carried out. */
function written({ text, values, planned, patient = false }: Sql): Sql {
  return { text, values: values.map(writeValue), planned: planned ?? 'once', patient }
}
