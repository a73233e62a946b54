/** What waits for PGlite's thread: jobs of their own, and transactions with theirs. */
import type { Job } from './protocol.js'

/** It takes the connection for itself from its first statement to its last. */
export interface Transaction {
  /** What it asks for and was not sent yet. */
  readonly jobs: TransactionJob[]
  /** What its statements failed with. */
  readonly failures: unknown[]
  isBegun: boolean
  /** Its last statement is asked for, or it is lost: nothing more may come. */
  isOver: boolean
}

export interface TransactionJob extends Job {
  readonly transaction: Transaction
  readonly place: 'first' | 'within' | 'last'
}

export function isTransaction(waiting: Job | Transaction): waiting is Transaction {
  return 'isOver' in waiting
}

export function isInside(job: Job): job is TransactionJob {
  return 'transaction' in job
}
