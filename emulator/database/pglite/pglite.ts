import { sizes } from '../../../client/protocol/model/limits.js'
import type { Database } from '../port.js'
import { databaseOver, schedule } from './asking.js'
import { connect, type DataSource, disconnect } from './connection.js'
import { closed, outOfMemory } from './faults.js'
import { endThrowAway, giveUp, rejectWaiting, watch } from './recovery.js'
import { atWork, isIdle, type Pglite } from './state.js'
import { openWatchdog } from './watchdog.js'

export interface PgliteOptions extends DataSource {
  /** What one statement may take before the thread is stopped. A `patient` one may take ten minutes. */
  readonly mostStatementMilliseconds?: number
  /** Receives why the thread ended or did not open. */
  readonly report?: (error: unknown) => void
}

export interface ThrowAwayOptions extends Omit<PgliteOptions, 'dataDir'> {
  readonly maxGrowthBytes: number
}

const mostClosingMilliseconds = 1_000

/**
 * PGlite in a worker thread. Statements that are asked for together travel together, each in a transaction of its
 * own, and what follows the last statement of a transaction travels with it. A statement that runs too long, or a thread
 * that dies, costs that statement or its transaction alone: the data directory is opened again and what had not begun is
 * sent again.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  return (await openState(options)).database
}

async function openState(options: PgliteOptions): Promise<{ pglite: Pglite; database: Database }> {
  const { mostStatementMilliseconds = sizes.maxStatementSeconds * 1_000, report = () => undefined } = options
  const connection = await connect(options)
  const pglite: Pglite = {
    source: options,
    watchdog: openWatchdog({
      atWork: () => atWork(pglite),
      giveUp: () => giveUp(pglite),
      mostMilliseconds: mostStatementMilliseconds,
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
    close() {
      closing ??= shutDown(pglite)
      return closing
    },
  }
  return { pglite, database }
}

const lookMilliseconds = 100

/**
 * PGlite for data that can be loaded again. Its thread is ended when a statement takes too long, or when the process grows
 * by more than `maxGrowthBytes` while it works. Everything fails from then on.
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
  // An index that is being made would take its time; stopped, it leaves nothing behind, as after any end.
  await (isDone ? disconnect(worker) : worker.terminate())
  // Nothing else may open the directory before the thread that is about to has ended.
  if (pglite.isReopening) await new Promise<void>((resolve) => (pglite.onReopened = resolve))
  for (const job of pglite.connection.session.unfinished) job.reject(closed())
  rejectWaiting(pglite, closed)
}

/** Whether everything that was asked for is done, within the time that closing may take. */
function untilIdle(pglite: Pglite): Promise<boolean> {
  if (pglite.isDown || isIdle(pglite)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), mostClosingMilliseconds)
    pglite.onIdle = () => {
      clearTimeout(timer)
      resolve(true)
    }
    schedule(pglite)
  })
}
