/** Recovers when a statement takes too long or the thread dies: another thread reopens the directory. */

import type { Sql } from '../port.js'
import { mayWrite } from '../statement-kind.js'
import { askAlone, connect, receiveAnswer, takeHeld, type WorkerConnection } from './connection.js'
import { broken, closed, type Reason, tookTooLong, unknownOutcome } from './faults.js'
import { isInside, isTransaction, type Transaction } from './jobs.js'
import { checkGinIndexes } from './pages/gin-check.js'
import type { Job } from './protocol.js'
import { send } from './sending.js'
import { atWork, type Pglite } from './state.js'

/** Receives the answers of a connection, and notices its end. */
export function watch(pglite: Pglite, watched: WorkerConnection): void {
  watched.worker.on('message', (answer: Uint8Array | 'closed') => {
    if (answer === 'closed') return
    receiveAnswer(watched, answer, () => {
      if (watched !== pglite.connection) return
      pglite.watchdog.arm()
      if (watched.session.unfinished.length === 0) send(pglite)
    })
  })
  watched.worker.on('error', (error) => lose(pglite, watched, error))
  watched.worker.on('exit', (code) =>
    lose(pglite, watched, new Error(`The thread of the database ended with ${code}.`)),
  )
  // Called last, because adding a listener to a worker refs it again.
  if (pglite.source.holdsProcess === false) watched.worker.unref()
}

function lose(pglite: Pglite, lost: WorkerConnection, error: Error): void {
  const { connection, isReopening, isDown, isClosed } = pglite
  if (lost !== connection || isReopening || isDown || isClosed) return
  pglite.report(error)
  void reopen(pglite, broken)
}

/**
 * Lets the statement of an in-memory database run on, because its data would be lost with the thread. Only the caller
 * stops waiting.
 */
export function giveUp(pglite: Pglite): void {
  const { dataDir, isThrowAway } = pglite.source
  if (dataDir !== undefined || isThrowAway) return void reopen(pglite, tookTooLong)
  takeHeld(pglite.connection)
  atWork(pglite)?.reject(tookTooLong())
}

/** Stops the thread of a database whose data can be loaded again. */
export function endThrowAway(pglite: Pglite, reason: Reason): void {
  void reopen(pglite, reason)
}

/** Stops the thread and reopens the directory. Sends again only what had certainly not begun. */
async function reopen(pglite: Pglite, reason: Reason): Promise<void> {
  if (pglite.isReopening || pglite.isClosed) return
  pglite.isReopening = true
  pglite.watchdog.off()
  await pglite.connection.worker.terminate()
  takeHeld(pglite.connection)
  requeue(pglite, reason)
  await openAgain(pglite)
}

export async function openAgain(pglite: Pglite): Promise<void> {
  pglite.isReopening = true
  const isOver = pglite.isClosed || pglite.source.isThrowAway
  const opened = isOver ? undefined : await connect(pglite.source).catch((error) => void pglite.report(error))
  if (opened) await reportDamage(pglite, opened)
  if (pglite.isClosed) await opened?.worker.terminate()
  pglite.isReopening = false
  pglite.isDown = !opened
  pglite.onReopened?.()
  if (pglite.isClosed) return
  if (!opened) return rejectWaiting(pglite, closed)
  pglite.connection = opened
  watch(pglite, opened)
  send(pglite)
}

/** Reports a damaged page in which a statement looped for ever: it was stopped, and others will be. */
async function reportDamage({ source, report }: Pglite, opened: WorkerConnection): Promise<void> {
  if (source.dataDir === undefined) return
  const ask = (statement: Sql) => askAlone(opened, statement)
  const damage = await checkGinIndexes(ask, source.dataDir).catch((error) => error)
  if (damage) report(damage)
}

/** Sorts out the jobs of a dead thread: rejects those that may have begun, and queues the others again in order. */
function requeue(pglite: Pglite, reason: Reason): void {
  const [begun, ...others] = pglite.connection.session.unfinished
  const unbegun = new Set(others.flatMap((job) => (isInside(job) && job.position === 'first' ? [job.transaction] : [])))
  if (pglite.holder && !unbegun.has(pglite.holder)) rejectTransaction(pglite.holder, reason)
  pglite.holder = undefined
  begun?.reject(begun && mayBeCommitted(begun, reason) ? unknownOutcome() : reason())
  const again: (Job | Transaction)[] = []
  for (const job of others) {
    if (!isInside(job)) again.push(job)
    else if (!unbegun.has(job.transaction)) job.reject(reason())
    else if (job.position === 'first') again.push(job.transaction)
  }
  for (const transaction of unbegun) {
    transaction.jobs.unshift(...others.filter(isInside).filter((job) => job.transaction === transaction))
  }
  pglite.waiting.unshift(...again)
}

/** Whether the job is a commit, or commits itself. One that was stopped for its time had not come that far. */
function mayBeCommitted(job: Job, reason: Reason): boolean {
  if (isInside(job)) return job.position === 'last'
  return reason === broken && job.statements.some(({ text }) => mayWrite(text))
}

function rejectTransaction(transaction: Transaction, reason: Reason): void {
  transaction.isOver = true
  for (const job of transaction.jobs.splice(0)) job.reject(reason())
}

export function rejectWaiting(pglite: Pglite, reason: Reason): void {
  if (pglite.holder) rejectTransaction(pglite.holder, reason)
  pglite.holder = undefined
  for (const one of pglite.waiting.splice(0)) {
    if (isTransaction(one)) rejectTransaction(one, reason)
    else one.reject(reason())
  }
}
