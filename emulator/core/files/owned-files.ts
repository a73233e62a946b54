/** Files that live and die with a record. Contract 3.5. */
import { orphanFiles, selectOwned } from '../../store/files.js'
import type { Context } from '../context.js'

/** Whether a record's data may hold the address of a file at all; nearly all hold none, and cost nothing. */
export function mentionsFiles(json: string): boolean {
  return json.includes('/files/')
}

/** A record before and after a write, as JSON text. */
export interface Rewritten {
  readonly id: string
  readonly before: string
  readonly after: string
}

/**
 * Takes from documents and users the files whose address no field of theirs holds any more. Call it in the transaction
 * that writes them, and `sweepFilesSoon` once it is through, if this says so.
 */
export async function dropForgotten({ db }: Context, records: readonly Rewritten[]): Promise<boolean> {
  const owners = records.filter(({ before }) => mentionsFiles(before))
  if (owners.length === 0) return false
  const after = new Map(owners.map((record) => [record.id, record.after]))
  const owned = await selectOwned(db, [...after.keys()])
  const forgotten = owned.filter(({ id, owner }) => !after.get(owner)?.includes(`/files/${id}/`))
  if (forgotten.length > 0)
    await orphanFiles(
      db,
      forgotten.map(({ id }) => id),
    )
  return forgotten.length > 0
}
