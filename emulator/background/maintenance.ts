/** What the service does for itself between requests: small pieces of work that never hold the database for long. */
import { setTimeout as pause } from 'node:timers/promises'
import { keptMilliseconds } from '../core/documents/idempotency.js'
import type { Database } from '../database/port.js'
import { deleteOldMails } from '../store/accounts/mails.js'
import { deleteExpiredTokens } from '../store/accounts/one-time-tokens.js'
import { deleteExpiredAttempts } from '../store/accounts/recent-attempts.js'
import { deleteExpiredSessions } from '../store/accounts/sessions.js'
import { deleteRemovedDocuments } from '../store/collections.js'
import { deleteExpiredAnswers } from '../store/idempotency.js'
import { deleteExpiredLogins } from '../store/providers/idp-logins.js'
import { deleteOldChanges } from '../store/realtime/changes.js'
import { deleteExpiredTickets } from '../store/realtime/tickets.js'

/** Documents or changes deleted in one statement; some tens of milliseconds. */
const piece = 2_000
const keptChanges = 100_000
const keptMails = 10_000
const keptChangesMilliseconds = 3_600_000

export interface Maintenance {
  /** Starts a round now, or another one after the round that is at work. */
  soon(): void
  /** Ends after the piece that is at work. */
  stop(): Promise<void>
}

/** A round soon after the start, one a minute, and one whenever it is asked for. A round that fails is left to the next. */
export function startMaintenance(db: Database, now: () => Date, report: (error: unknown) => void): Maintenance {
  let isStopped = false
  let isWanted = false
  let round: Promise<void> | undefined

  const timer = setInterval(soon, 60_000)
  timer.unref()
  // The first requests go first.
  const first = setTimeout(soon, 1_000)
  first.unref()

  function soon() {
    isWanted = true
    round ??= work().finally(() => {
      round = undefined
      if (isWanted && !isStopped) soon()
    })
  }

  async function work() {
    isWanted = false
    try {
      while (!isStopped && (await deleteRemovedDocuments(db, piece))) await pause(5)
      const before = new Date(now().getTime() - keptChangesMilliseconds).toISOString()
      const trim = { before, kept: keptChanges, most: piece }
      while (!isStopped && (await deleteOldChanges(db, trim)) === piece) await pause(5)
      while (!isStopped && (await deleteOldMails(db, { kept: keptMails, most: piece })) === piece) await pause(5)
      if (isStopped) return
      const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds).toISOString()
      await deleteExpiredAnswers(db, ago(keptMilliseconds))
      await deleteExpiredSessions(db, ago(0))
      await deleteExpiredTokens(db, ago(0))
      await deleteExpiredTickets(db, ago(0))
      await deleteExpiredLogins(db, ago(0))
      await deleteExpiredAttempts(db, ago(0))
    } catch (error) {
      if (!isStopped) report(error)
    }
  }

  return {
    soon,
    async stop() {
      isStopped = true
      clearTimeout(first)
      clearInterval(timer)
      await round
    },
  }
}
