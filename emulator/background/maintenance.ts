/** What the service deletes by itself between requests: in small pieces, which never hold the database for long. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Clocks } from '../core/context.js'
import { keptTimes } from '../core/documents/idempotency.js'
import type { Database } from '../database/port.js'
import { deleteOldMails } from '../store/accounts/mails.js'
import { deleteOldAuditRecords } from '../store/audit.js'
import { deleteRemovedDocuments } from '../store/collections.js'
import { deleteAnswersAhead, deleteFormerAnswers, type KeptTimes } from '../store/idempotency.js'
import { deleteExpiredWindows } from '../store/rate-windows.js'
import { deleteOldChanges, type Times } from '../store/realtime/trimming.js'
import { deleteExpired } from '../store/upkeep/pieces.js'
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
/** Tables whose rows are worth nothing from their own `expires_at` on. */
const expiring = ['sessions', 'one_time_tokens', 'realtime_tickets', 'idp_logins', 'recent_attempts'] as const
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
      const times = timesOf(clocks) ?? { service: ago(0), own: new Map() }
      const failures: unknown[] = []
      for (const isMore of steps(db, { ago, times, answers: keptTimes(now(), clocks?.latest()) })) {
        try {
          while (!isStopped() && (await isMore())) await pause(betweenPiecesMilliseconds)
        } catch (error) {
          // What is wrong with one table keeps nothing of the others.
          failures.push(error)
        }
      }
      const [first, ...further] = failures
      if (!isStopped()) for (const failure of further) report(failure)
      if (first !== undefined) throw first
    },
  })
}

interface Bounds {
  readonly ago: (milliseconds: number) => string
  readonly times: Times
  readonly answers: KeptTimes
}

/** All that is deleted, none of which depends on another: each deletes one piece, and says whether there may be another. */
function steps(db: Database, { ago, times, answers }: Bounds): readonly (() => Promise<boolean>)[] {
  const changes = { before: ago(keptChangesMilliseconds), times, kept: keptChanges, most: piece, reached: new Map() }
  const audit = { before: ago(keptAuditMilliseconds), kept: keptAudit, most: piece }
  return [
    () => deleteRemovedDocuments(db, piece),
    async () => (await deleteOldChanges(db, changes)) === piece,
    async () => (await deleteOldMails(db, { kept: keptMails, most: piece })) === piece,
    async () => (await deleteOldAuditRecords(db, audit)) >= piece,
    () => deleteFormerAnswers(db, answers, piece),
    () => deleteAnswersAhead(db, answers, piece),
    ...expiring.map((table) => () => deleteExpired(db, table, ago(0), piece)),
    () => deleteExpiredWindows(db, piece),
  ]
}

function timesOf(clocks: MaintenanceOptions['clocks']): Times | undefined {
  if (!clocks) return undefined
  const own = new Map(clocks.own().map(({ project, now }) => [project, now.toISOString()]))
  return { service: clocks.service.now().toISOString(), own }
}
