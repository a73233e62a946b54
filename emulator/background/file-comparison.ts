/** Compares the bytes in the file store with the rows in the database, as a start does after a crash. */
import type { Database } from '../database/port.js'
import { type BytesKept, type FileStore, keptBy } from '../ports/files/port.js'
import { selectExisting, selectFileCount, selectIdsAfter, selectSettledAnywhere } from '../store/files.js'
import { withUnheldFiles } from '../store/snapshots/registry.js'
import type { Round } from './rounds.js'

/** Files looked at in one statement. */
const piece = 500

/** Rows without bytes that are reported by their ids. Of a bucket that was emptied, a million lines would say no more. */
const mostNamed = 20

/** Removes bytes without a row and those of writes that were never ended, and reports rows without bytes. */
export async function compareFiles(
  db: Database,
  store: FileStore,
  report: (error: unknown) => void,
  round: Round,
): Promise<void> {
  const { found, kept } = await removeStrays(db, store, round)
  if (kept) report(kept)
  // Nearly always each row has its bytes, and need not be looked at.
  if (!round.isStopped() && (await selectFileCount(db)) > found) await reportMissing(db, store, report, round)
  if (!round.isStopped()) await store.removeAbandoned?.()
}

/** Bytes that landed and never got a row; how many have one. Those that cannot be removed hold up no others. */
async function removeStrays(
  db: Database,
  store: FileStore,
  { isStopped }: Round,
): Promise<{ found: number; kept: BytesKept | undefined }> {
  let found = 0
  let firstKept: BytesKept | undefined
  for await (const listed of store.list()) {
    for (let at = 0; at < listed.length && !isStopped(); at += piece) {
      const ids = listed.slice(at, at + piece)
      const known = new Set(await selectExisting(db, ids))
      found += known.size
      const strays = ids.filter((id) => !known.has(id))
      const kept = await keptBy(removeSettled(db, store, strays, isStopped))
      firstKept ??= kept
    }
    // The next page is not even asked for.
    if (isStopped()) break
  }
  return { found, kept: firstKept }
}

/** The process that wrote them is gone, but a server may still be about to commit what it sent last. */
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

/** Rows whose bytes are gone, which only the owner can mend. */
async function reportMissing(
  db: Database,
  store: FileStore,
  report: (error: unknown) => void,
  { isStopped }: Round,
): Promise<void> {
  let last: string | undefined
  let missing = 0
  for (let ids = ['']; ids.length > 0 && !isStopped(); last = ids.at(-1)) {
    ids = await selectIdsAfter(db, { last, most: piece })
    for (const id of ids) {
      if (isStopped() || (await store.has(id))) continue
      if (++missing <= mostNamed) report(new Error(`The bytes of the file "${id}" are gone.`))
    }
  }
  if (missing > mostNamed) report(new Error(`The bytes of ${missing - mostNamed} further files are gone.`))
}
