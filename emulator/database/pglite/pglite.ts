import { sizes } from '../../../client/protocol/model/limits.js'
import type { Database } from '../port.js'
import { databaseOver, schedule } from './asking.js'
import { connect, type DataSource, disconnect } from './connection.js'
import { closed } from './faults.js'
import { giveUp, rejectWaiting, watch } from './recovery.js'
import { atWork, isIdle, type Pglite } from './state.js'
import { openWatchdog } from './watchdog.js'

export interface PgliteOptions extends DataSource {
  /** What one statement may take before the thread is stopped. A `patient` one may take ten minutes. */
  readonly mostStatementMilliseconds?: number
  /** Receives why the thread ended or did not open. */
  readonly report?: (error: unknown) => void
}

const mostClosingMilliseconds = 1_000

/**
 * PGlite in a worker thread. Statements that are asked for together travel together, each in a transaction of its
 * own, and what follows the last statement of a transaction travels with it. A statement that runs too long, or a thread
 * that dies, costs that statement or its transaction alone: the data directory is opened again and what had not begun is
 * sent again.
 */
export async function openPglite(options: PgliteOptions = {}): Promise<Database> {
  const { mostStatementMilliseconds = sizes.mostStatementSeconds * 1_000, report = () => undefined } = options
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
  return {
    ...databaseOver(pglite),
    close() {
      closing ??= shutDown(pglite)
      return closing
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
