import { sizes } from '../../../client/protocol/model/limits.js'
import type { Database } from '../port.js'
import { databaseOver, schedule } from './asking.js'
import { connect, type DataSource, disconnect } from './connection.js'
import { closed, outOfMemory } from './faults.js'
import { endThrowAway, giveUp, rejectWaiting, watch } from './recovery.js'
import { atWork, isIdle, type Pglite } from './state.js'
import { openWatchdog } from './watchdog.js'

export interface PgliteOptions extends DataSource {
  /** Limits a statement before its thread is stopped. A `patient` one has ten minutes. */
  readonly maxStatementMilliseconds?: number
  /** Receives the reason why the thread ended or did not open. */
  readonly report?: (error: unknown) => void
}

export interface ThrowAwayOptions extends Omit<PgliteOptions, 'dataDir'> {
  readonly maxGrowthBytes: number
}

const maxClosingMilliseconds = 1_000

/**
 * Runs PGlite in a worker thread. Statements queued together are sent together, each in its own transaction, and a
 * transaction's last statement is sent with whatever follows it. A statement that takes too long, or a dead thread,
 * fails only that statement or its transaction. The data directory is reopened, and jobs that had not begun are sent
 * again.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  return (await openState(options)).database
}

async function openState(options: PgliteOptions): Promise<{ pglite: Pglite; database: Database }> {
  const { maxStatementMilliseconds = sizes.maxStatementSeconds * 1_000, report = () => undefined } = options
  const connection = await connect(options)
  const pglite: Pglite = {
    source: options,
    watchdog: openWatchdog({
      atWork: () => atWork(pglite),
      giveUp: () => giveUp(pglite),
      maxMilliseconds: maxStatementMilliseconds,
    }),
    report,
    waiting: [],
    connection,
    holder: undefined,
    isScheduled: false,
    isReopening: false,
    isDown: false,
    isClosed: false,
    onIdle: undefined,
    onReopened: undefined,
  }
  watch(pglite, connection)
  let closing: Promise<void> | undefined
  const database: Database = {
    ...databaseOver(pglite),
    connections: () => ({ open: 1, idle: isIdle(pglite) ? 1 : 0, waiting: pglite.waiting.length }),
    close() {
      closing ??= shutDown(pglite)
      return closing
    },
  }
  return { pglite, database }
}

const lookMilliseconds = 100

/**
 * Opens PGlite for data that can be loaded again. Ends its thread when a statement takes too long, or when the process
 * grows by more than `maxGrowthBytes` while it works. After that, everything fails.
 */
export async function openThrowAway({ maxGrowthBytes, ...options }: ThrowAwayOptions): Promise<Database> {
  const { pglite, database } = await openState({ ...options, isThrowAway: true, holdsProcess: false })
  let before: number | undefined
  const timer = setInterval(() => {
    if (!atWork(pglite)) {
      before = undefined
      return
    }
    const bytes = process.memoryUsage.rss()
    before ??= bytes
    if (bytes - before > maxGrowthBytes) endThrowAway(pglite, outOfMemory)
  }, lookMilliseconds).unref()
  return {
    ...database,
    close() {
      clearInterval(timer)
      return database.close()
    },
  }
}

async function shutDown(pglite: Pglite): Promise<void> {
  const isDone = await untilIdle(pglite)
  pglite.isClosed = true
  pglite.watchdog.off()
  const { worker } = pglite.connection
  // Stops a long job, such as an index build. It leaves nothing behind, as after any crash.
  await (isDone ? disconnect(worker) : worker.terminate())
  // Waits for the reopening thread, so that nothing else opens the directory before it has ended.
  if (pglite.isReopening) await new Promise<void>((resolve) => (pglite.onReopened = resolve))
  for (const job of pglite.connection.session.unfinished) job.reject(closed())
  rejectWaiting(pglite, closed)
}

/** Whether everything queued is done within the time for closing. */
function untilIdle(pglite: Pglite): Promise<boolean> {
  if (pglite.isDown || isIdle(pglite)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), maxClosingMilliseconds)
    pglite.onIdle = () => {
      clearTimeout(timer)
      resolve(true)
    }
    schedule(pglite)
  })
}
