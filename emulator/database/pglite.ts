import { Worker } from 'node:worker_threads'
import { SvcError } from '../../client/model/errors.js'
import { sizes } from '../../client/model/limits.js'
import { type Database, type Sql, sql } from './database.js'
import { type Job, openSession, type Session } from './protocol.js'

export interface PgliteOptions {
  /** Folder of an existing data directory; left out, the data live in memory. */
  readonly dataDir?: string
  /** A packed data directory that an empty database starts from. */
  readonly template?: Uint8Array
  /** What one statement may take before the thread is stopped. A `patient` one may take ten minutes. */
  readonly mostStatementMilliseconds?: number
}

/** Statements sent together in one message: enough to fill the thread, few enough to share it fairly. */
const mostJobsTogether = 64
const mostBytesTogether = 1_048_576
const patientMilliseconds = 600_000

/** One connection to the worker, from its start to its end. */
interface Connection {
  readonly worker: Worker
  readonly session: Session
  /** ReadyForQuery messages the worker has produced, whether or not they have arrived here. */
  readonly produced: Int32Array
  /** ReadyForQuery messages that have arrived. */
  arrived: number
}

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

  async function transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    if (isClosed) throw busy()
    const mine: { transaction?: Transaction } = {}
    const tx = await new Promise<Database>((start) => {
      mine.transaction = { start }
      waiting.push(mine.transaction)
      schedule()
    })
    try {
      await tx.query(begin)
      const result = await work(tx)
      await tx.query(commit)
      return result
    } catch (error) {
      if (!isReopening) await tx.query(rollback).catch(() => undefined)
      throw error
    } finally {
      if (holder === mine.transaction) holder = undefined
      schedule()
    }
  }

  const open = databaseOver((statements) => ask(statements, () => waiting), transaction)
  return {
    ...open,
    async close() {
      if (isClosed) return
      if (holder || waiting.length > 0 || connection.session.unfinished.length > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve
          schedule()
        })
      }
      isClosed = true
      clearTimeout(watchdog)
      await disconnect(connection.worker)
    },
  }
}

const begin = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`
const settings = [
  sql`select set_config('search_path', 'svc, public', false)`,
  sql`select set_config('timezone', 'UTC', false)`,
  sql`select set_config('jit', 'off', false)`,
  sql`select set_config('work_mem', '16MB', false)`,
  // Nothing turns here; as for a disk, the planner would rather read two large indexes than a few hundred rows.
  sql`select set_config('random_page_cost', '1.1', false)`,
]

async function connect({ dataDir, template }: PgliteOptions): Promise<Connection> {
  const progress = new SharedArrayBuffer(4)
  const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
    workerData: { dataDir, template, progress },
    // The embedded server is quiet; what it prints on its own would land in the middle of a command's output.
    stdout: true,
    stderr: true,
  })
  await firstMessage(worker)
  const connection: Connection = { worker, session: openSession(), produced: new Int32Array(progress), arrived: 0 }
  await new Promise<unknown>((resolve, reject) => {
    const bytes = connection.session.write({ statements: settings, resolve, reject })
    worker.once('message', (answer: Uint8Array) => receive(connection, answer))
    worker.postMessage(new Uint8Array(bytes))
  })
  return connection
}

/** Waits until the directory is open, or fails as the thread does. */
function firstMessage(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number) => reject(new Error(`PGlite stopped with code ${code} while it opened.`))
    worker.once('error', reject)
    worker.once('exit', onExit)
    worker.once('message', () => {
      worker.off('error', reject)
      worker.off('exit', onExit)
      resolve()
    })
  })
}

function receive(connection: Connection, answer: Uint8Array) {
  connection.session.read(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength), () => {
    connection.arrived++
  })
}

async function disconnect(worker: Worker): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    worker.on('message', (message) => message === 'closed' && resolve())
    worker.once('exit', () => resolve())
  })
  worker.postMessage('close')
  await closed
  await worker.terminate()
}

function isTransaction(waiting: Job | Transaction): waiting is Transaction {
  return 'start' in waiting
}

function busy(): SvcError {
  return new SvcError('UNAVAILABLE', undefined, [], { retryAfterSeconds: 1 })
}
