/** What the service deletes by itself between requests: in small pieces, which never hold the database for long. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Clocks } from '../core/context.js'
import { keptTimes } from '../core/documents/idempotency.js'
import type { Database } from '../database/port.js'
import { deleteOldMails } from '../store/accounts/mails.js'
import { deleteExpiredTokens } from '../store/accounts/one-time-tokens.js'
import { deleteExpiredAttempts } from '../store/accounts/recent-attempts.js'
import { deleteExpiredSessions } from '../store/accounts/sessions.js'
import { deleteOldAuditRecords } from '../store/audit.js'
import { deleteRemovedDocuments } from '../store/collections.js'
import { deleteExpiredAnswers } from '../store/idempotency.js'
import { deleteExpiredLogins } from '../store/providers/idp-logins.js'
import { deleteExpiredWindows } from '../store/rate-windows.js'
import { deleteExpiredTickets } from '../store/realtime/tickets.js'
import { deleteOldChanges, type Times } from '../store/realtime/trimming.js'
import type { Leader } from './leader.js'
import { openRounds, type Rounds } from './rounds.js'

export interface MaintenanceOptions {
  /** By which something is over for every project. */
  readonly now: () => Date
  /** What else is the time of a project; left out, they all have the same. */
  readonly clocks?: Pick<Clocks, 'service' | 'own' | 'latest'>
  readonly report: (error: unknown) => void
  readonly leader: Leader
}

/** Rows deleted in one statement; some tens of milliseconds. */
const piece = 2_000
const betweenPiecesMilliseconds = 5
const keptChanges = 100_000
const keptMails = 10_000
const keptChangesMilliseconds = 3_600_000
/** Of each project, so that none pushes out what another has. */
const keptAudit = 100_000
const keptAuditMilliseconds = 90 * 86_400_000
/** The first requests go first. */
const firstMilliseconds = 1_000
const everyMilliseconds = 60_000

/** Deletes what removed collections left, what is older than it is kept, and what has expired. */
export function openMaintenance(db: Database, { now, clocks, report, leader }: MaintenanceOptions): Rounds {
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds).toISOString()
  return openRounds({
    name: 'maintenance',
    report,
    leader,
    firstMilliseconds,
    everyMilliseconds,
    async work({ isStopped }) {
      for (const isMore of piecewise(db, { ago, times: timesOf(clocks) ?? { service: ago(0), own: new Map() } })) {
        while (!isStopped() && (await isMore())) await pause(betweenPiecesMilliseconds)
      }
      if (!isStopped()) await deleteExpiredAnswers(db, keptTimes(now(), clocks?.latest()))
      if (!isStopped()) await deleteExpired(db, ago)
    },
  })
}

/** What may be a lot: each deletes one piece, and says whether there may be another. */
function piecewise(
  db: Database,
  { ago, times }: { readonly ago: (milliseconds: number) => string; readonly times: Times },
): readonly (() => Promise<boolean>)[] {
  const changes = { before: ago(keptChangesMilliseconds), times, kept: keptChanges, most: piece, reached: new Map() }
  const audit = { before: ago(keptAuditMilliseconds), kept: keptAudit, most: piece }
  return [
    () => deleteRemovedDocuments(db, piece),
    async () => (await deleteOldChanges(db, changes)) === piece,
    async () => (await deleteOldMails(db, { kept: keptMails, most: piece })) === piece,
    async () => (await deleteOldAuditRecords(db, audit)) >= piece,
  ]
}

function timesOf(clocks: MaintenanceOptions['clocks']): Times | undefined {
  if (!clocks) return undefined
  const own = new Map(clocks.own().map(({ project, now }) => [project, now.toISOString()]))
  return { service: clocks.service.now().toISOString(), own }
}

async function deleteExpired(db: Database, ago: (milliseconds: number) => string): Promise<void> {
  await deleteExpiredSessions(db, ago(0))
  await deleteExpiredTokens(db, ago(0))
  await deleteExpiredTickets(db, ago(0))
  await deleteExpiredLogins(db, ago(0))
  await deleteExpiredAttempts(db, ago(0))
  await deleteExpiredWindows(db)
}
