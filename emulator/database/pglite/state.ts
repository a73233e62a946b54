/** The state of one embedded database, which the steps of sending, recovering and closing share. */
import { type DataSource, jobAtWork, type WorkerConnection } from './connection.js'
import type { Transaction } from './jobs.js'
import type { Job } from './protocol.js'
import type { Watchdog } from './watchdog.js'

export interface Pglite {
  readonly source: DataSource
  readonly watchdog: Watchdog
  /** Receives why the thread ended or did not open. */
  readonly report: (error: unknown) => void
  /** What was asked for and not sent yet, in its order. */
  readonly waiting: (Job | Transaction)[]
  connection: WorkerConnection
  /** The transaction that has the connection. */
  holder: Transaction | undefined
  /** Whether what waits is sent in the next turn of the event loop. */
  isScheduled: boolean
  isReopening: boolean
  /** The directory did not open again. The next request has it tried once more. */
  isDown: boolean
  isClosed: boolean
  /** Called once nothing waits and nothing is at work. */
  onIdle: (() => void) | undefined
  /** Called once the directory is open again, or is not. */
  onReopened: (() => void) | undefined
}

/** The job that the thread carries out, if it carries out one. */
export function atWork({ isReopening, connection }: Pglite): Job | undefined {
  return isReopening ? undefined : jobAtWork(connection)
}

export function isIdle({ holder, waiting, connection }: Pglite): boolean {
  return !holder && waiting.length === 0 && connection.session.unfinished.length === 0
}
