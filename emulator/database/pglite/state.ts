/** The state of an embedded database, shared by sending, recovery and closing. */
import { type DataSource, jobAtWork, type WorkerConnection } from './connection.js'
import type { Transaction } from './jobs.js'
import type { Job } from './protocol.js'
import type { Watchdog } from './watchdog.js'

export interface Pglite {
  readonly source: DataSource
  readonly watchdog: Watchdog
  /** Receives the reason why the thread ended or did not open. */
  readonly report: (error: unknown) => void
  /** The queue of jobs that are not sent yet, in order. */
  readonly waiting: (Job | Transaction)[]
  connection: WorkerConnection
  /** The transaction that holds the connection. */
  holder: Transaction | undefined
  /** Whether the queue is sent in the next turn of the event loop. */
  isScheduled: boolean
  isReopening: boolean
  /** Reopening the directory failed. The next request tries again. */
  isDown: boolean
  isClosed: boolean
  /** Called once nothing is queued or running. */
  onIdle: (() => void) | undefined
  /** Called once reopening has succeeded or failed. */
  onReopened: (() => void) | undefined
}

/** The job that the thread is running, if any. */
export function atWork({ isReopening, connection }: Pglite): Job | undefined {
  return isReopening ? undefined : jobAtWork(connection)
}

export function isIdle({ holder, waiting, connection }: Pglite): boolean {
  return !holder && waiting.length === 0 && connection.session.unfinished.length === 0
}
