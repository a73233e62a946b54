/** The queue of PGlite's thread: single jobs, and transactions with their jobs. */
import type { Job } from './protocol.js'

/** Holds the connection from its first statement to its last. */
export interface Transaction {
  /** Jobs that are not sent yet. */
  readonly jobs: TransactionJob[]
  /** Errors of its statements. */
  readonly failures: unknown[]
  isBegun: boolean
  /** Its last statement is queued, or it has failed: it accepts no more jobs. */
  isOver: boolean
}

export interface TransactionJob extends Job {
  readonly transaction: Transaction
  readonly position: 'first' | 'within' | 'last'
}

export function isTransaction(waiting: Job | Transaction): waiting is Transaction {
  return 'isOver' in waiting
}

export function isInside(job: Job): job is TransactionJob {
  return 'transaction' in job
}
