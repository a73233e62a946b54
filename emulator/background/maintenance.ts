/** Deletes expired and leftover data between requests, in batches that never hold the database for long. */
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
  /** Time at which data has expired for every project. */
  readonly now: () => Date
  /** Clocks of projects; undefined if all follow the same clock. */
  readonly clocks?: Pick<Clocks, 'service' | 'own' | 'latest'>
  readonly report: (error: unknown) => void
  readonly leader: Leader
}

/** Rows deleted per statement, which takes some tens of milliseconds. */
const batchSize = 2_000
const betweenBatchesMilliseconds = 5
const keptChanges = 100_000
const keptMails = 10_000
const keptChangesMilliseconds = 3_600_000
/** Limit per project, so that none pushes out another's entries. */
const keptAudit = 100_000
const keptAuditMilliseconds = 90 * 86_400_000
/** Tables whose rows expire at their `expires_at`. */
const expiring = ['sessions', 'one_time_tokens', 'realtime_tickets', 'idp_logins', 'recent_attempts'] as const
/** Waits, so that the first requests are served first. */
const firstMilliseconds = 1_000
const everyMilliseconds = 60_000

/** Deletes the data of removed collections, old data, and expired data. */
export function openMaintenance(db: Database, { now, clocks, report, leader }: MaintenanceOptions): Rounds {
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds).toISOString()
  return openRounds({
    name: 'maintenance',
    report,
    leader,
    firstMilliseconds,
    everyMilliseconds,
    async work({ isStopped }) {
      const times = readTimes(clocks) ?? { service: ago(0), own: new Map() }
      const failures: unknown[] = []
      for (const isMore of steps(db, { ago, times, answers: () => keptTimes(now(), clocks?.latest()) })) {
        // Continues, so that a failure in one table doesn't affect the others.
        await finish(isMore, isStopped).catch((error) => failures.push(error))
      }
      const [first, ...further] = failures
      if (!isStopped()) for (const failure of further) report(failure)
      if (first !== undefined) throw first
    },
  })
}

/** Deletes batch after batch, until none is left. */
async function finish(isMore: () => Promise<boolean>, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await isMore())) await pause(betweenBatchesMilliseconds)
}

interface Bounds {
  readonly ago: (milliseconds: number) => string
  readonly times: Times
  /** Read before each deletion, because a clock may have been set back since the round began. */
  readonly answers: () => KeptTimes
}

/**
 * Lists the deletions, which don't depend on each other. Each deletes one batch and resolves to whether there may be
 * another.
 */
function steps(db: Database, { ago, times, answers }: Bounds): readonly (() => Promise<boolean>)[] {
  const changes = {
    before: ago(keptChangesMilliseconds),
    times,
    kept: keptChanges,
    most: batchSize,
    reached: new Map(),
  }
  const audit = { before: ago(keptAuditMilliseconds), kept: keptAudit, most: batchSize }
  return [
    () => deleteRemovedDocuments(db, batchSize),
    async () => (await deleteOldChanges(db, changes)) === batchSize,
    async () => (await deleteOldMails(db, { kept: keptMails, most: batchSize })) === batchSize,
    async () => (await deleteOldAuditRecords(db, audit)) >= batchSize,
    () => deleteFormerAnswers(db, answers(), batchSize),
    () => deleteAnswersAhead(db, answers(), batchSize),
    ...expiring.map((table) => () => deleteExpired(db, table, ago(0), batchSize)),
    () => deleteExpiredWindows(db, batchSize),
  ]
}

function readTimes(clocks: MaintenanceOptions['clocks']): Times | undefined {
  if (!clocks) return undefined
  const own = new Map(clocks.own().map(({ project, now }) => [project, now.toISOString()]))
  return { service: clocks.service.now().toISOString(), own }
}
