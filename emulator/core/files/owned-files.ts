/** Deletes files together with the record that owns them. Contract 3.5. */
import { keepFiles, orphanFiles, selectOwned } from '../../store/files.js'
import type { Context } from '../context.js'

/** Checks quickly whether a record's data may contain the URL of a file. Nearly all contain none. */
export function mentionsFiles(json: string): boolean {
  return json.includes('/files/')
}

/** The JSON of a record before and after a write. */
export interface Rewritten {
  readonly id: string
  readonly before: string
  readonly after: string
}

/**
 * Orphans files whose URL no longer appears in the document or user that owns them. Call it in the transaction of the
 * write. If it resolves to true, call `sweepFilesSoon` after the commit.
 */
export async function orphanForgotten({ db, leniency }: Context, records: readonly Rewritten[]): Promise<boolean> {
  const owners = records.filter(({ before }) => mentionsFiles(before))
  if (owners.length === 0) return false
  const after = new Map(owners.map((record) => [record.id, record.after]))
  const owned = await selectOwned(db, [...after.keys()])
  const forgotten = owned.filter(({ id, owner }) => !after.get(owner)?.includes(`/files/${id}/`))
  const release = leniency?.keepsFiles ? keepFiles : orphanFiles
  if (forgotten.length > 0)
    await release(
      db,
      forgotten.map(({ id }) => id),
    )
  return forgotten.length > 0
}

/** Keeps the files of documents that are about to be deleted, in dialects that do. */
export async function keepOwned({ db, leniency }: Context, documents: readonly string[]): Promise<void> {
  if (!leniency?.keepsFiles) return
  const owned = await selectOwned(db, documents)
  await keepFiles(
    db,
    owned.map(({ id }) => id),
  )
}
