/** Compares the bytes in the file store with the rows in the database, to repair the damage of a crash. */
import type { Database } from '../database/port.js'
import { type BytesKept, type FileStore, keptBy } from '../ports/files/port.js'
import { selectExisting, selectFileCount, selectIdsAfter, selectSettledAnywhere } from '../store/files.js'
import { withUnheldFiles } from '../store/snapshots/registry.js'
import type { Round } from './rounds.js'

/** Files checked per statement. */
const batchSize = 500

/** Rows without bytes that are reported by id. After a bucket is emptied, a million lines would say no more. */
const maxNamed = 20

/** Removes bytes without a row and those of unfinished writes, and reports rows without bytes. */
export async function compareFiles(
  db: Database,
  store: FileStore,
  report: (error: unknown) => void,
  round: Round,
): Promise<void> {
  const { found, kept } = await removeStrays(db, store, round)
  if (kept) report(kept)
  // Skips the check of each row if the counts match, which is nearly always the case.
  if (!round.isStopped() && (await selectFileCount(db)) > found) await reportMissing(db, store, report, round)
  if (!round.isStopped()) await store.removeAbandoned?.()
}

/**
 * Removes bytes that never got a row, and counts those that have one. Bytes that cannot be removed don't block others.
 */
async function removeStrays(
  db: Database,
  store: FileStore,
  { isStopped }: Round,
): Promise<{ found: number; kept: BytesKept | undefined }> {
  let found = 0
  let firstKept: BytesKept | undefined
  for await (const listed of store.list()) {
    for (let at = 0; at < listed.length && !isStopped(); at += batchSize) {
      const ids = listed.slice(at, at + batchSize)
      const known = new Set(await selectExisting(db, ids))
      found += known.size
      const strays = ids.filter((id) => !known.has(id))
      const kept = await keptBy(removeSettled(db, store, strays, isStopped))
      firstKept ??= kept
    }
    // Stops before fetching the next page.
    if (isStopped()) break
  }
  return { found, kept: firstKept }
}

/** Removes only settled files, because the database may still commit the last statement of a dead process. */
async function removeSettled(
  db: Database,
  store: FileStore,
  strays: readonly string[],
  isStopped: Round['isStopped'],
): Promise<void> {
  const old: string[] = []
  for (const id of strays) if (!isStopped() && (await store.isSettled(id))) old.push(id)
  if (old.length === 0) return
  const kept = new Set(await selectSettledAnywhere(db, old))
  const gone = old.filter((id) => !kept.has(id))
  if (gone.length > 0) await withUnheldFiles(db, gone, store.remove)
}

/** Reports rows whose bytes are gone, which only the owner can repair. */
async function reportMissing(
  db: Database,
  store: FileStore,
  report: (error: unknown) => void,
  { isStopped }: Round,
): Promise<void> {
  let last: string | undefined
  let missing = 0
  for (let ids = ['']; ids.length > 0 && !isStopped(); last = ids.at(-1)) {
    ids = await selectIdsAfter(db, { last, most: batchSize })
    for (const id of ids) {
      if (isStopped() || (await store.has(id))) continue
      if (++missing <= maxNamed) report(new Error(`The bytes of the file "${id}" are gone.`))
    }
  }
  if (missing > maxNamed) report(new Error(`The bytes of ${missing - maxNamed} more files are gone.`))
}
