/** Keeps the bytes and rows of files consistent after crashes and deletions. */
import { removeOrphans } from '../core/files/orphans.js'
import type { Database } from '../database/port.js'
import { type BytesKept, type FileStore, keptBy } from '../ports/files/port.js'
import { selectSettled } from '../store/files.js'
import { compareFiles } from './file-comparison.js'
import type { Leader } from './leader.js'
import { openRounds, type Round } from './rounds.js'

/** Waits, so that the first requests are served first. */
const firstMilliseconds = 1_000
const everyMilliseconds = 60_000
/** Interval for listing all files. */
const comparedMilliseconds = 6 * 3_600_000

export interface FileKeeper {
  /** Removes orphaned files now, or after the round in progress. */
  soon(): void
  /** Checks in each round, until the database answers, which files have a row. Removes the bytes of the others. */
  discardLater(project: string, ids: readonly string[]): void
  /** Compares everything now. Resolves when that is done and no round is running. */
  settled(): Promise<void>
  /** Stops after the batch in progress. */
  close(): Promise<void>
}

interface FileKeeperOptions {
  readonly report: (error: unknown) => void
  readonly leader: Leader
}

/** Uploads of a request whose outcome the database could not tell. */
interface Unsettled {
  readonly project: string
  readonly ids: readonly string[]
}

/**
 * Compares everything soon after the start, and every six hours in one of the processes. Removes orphaned files on
 * request, and once a minute in one of the processes.
 */
export function openFileKeeper(db: Database, store: FileStore, { report, leader }: FileKeeperOptions): FileKeeper {
  const unsettled = new Set<Unsettled>()
  const all = {
    comparison: openRounds({
      name: 'file comparison',
      report,
      firstMilliseconds,
      work: (round) => compareFiles(db, store, report, round),
    }),
    // Compares again, for the files of processes that died since, or whose fate was still unknown at the start.
    recomparison: openRounds({
      report,
      leader,
      everyMilliseconds: comparedMilliseconds,
      work: (round) => compareFiles(db, store, report, round),
    }),
    removal: openRounds({
      name: 'file removal',
      report,
      leader,
      firstMilliseconds,
      everyMilliseconds,
      work: (round) => removeOrphans({ db, files: store }, round),
    }),
    // Runs in every process, because only this one knows its uploads.
    discarding: openRounds({
      report,
      everyMilliseconds,
      work: (round) => discardUnsettled(db, store, unsettled, round),
    }),
  }

  function soon() {
    all.removal.soon()
    all.discarding.soon()
  }

  return {
    soon,
    discardLater: (project, ids) => void unsettled.add({ project, ids }),
    async settled() {
      all.comparison.soon()
      soon()
      for (const rounds of Object.values(all)) await rounds.settled()
    },
    async close() {
      await Promise.all(Object.values(all).map((rounds) => rounds.close()))
    },
  }
}

async function discardUnsettled(
  db: Database,
  store: FileStore,
  unsettled: Set<Unsettled>,
  { isStopped }: Round,
): Promise<void> {
  let firstKept: BytesKept | undefined
  for (const upload of [...unsettled]) {
    if (isStopped()) break
    const adopted = new Set(await selectSettled(db, upload.project, upload.ids))
    const kept = await keptBy(store.remove(upload.ids.filter((id) => !adopted.has(id))))
    if (!kept) unsettled.delete(upload)
    firstKept ??= kept
  }
  if (firstKept) throw firstKept
}
