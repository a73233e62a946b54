/** Files that belong to nothing any more. */
import { deleteOrphans, orphanSomeFiles, selectOrphans } from '../../store/files.js'
import type { Backend } from '../context.js'

/** Files looked at in one statement. */
const piece = 500

type Place = Pick<Backend, 'db' | 'files'>

/** Removes some orphaned files of a project or, left out, of any; how many. Bytes first: the row is what remembers them. */
export async function removeSomeOrphans({ db, files }: Place, project?: string): Promise<number> {
  const orphans = await selectOrphans(db, piece, project)
  if (orphans.length === 0) return 0
  await files.remove(orphans.filter(({ isHeld }) => !isHeld).map(({ id }) => id))
  const ids = orphans.map(({ id }) => id)
  await deleteOrphans(db, ids)
  return ids.length
}

/** Removes all files of a project, some at a time. */
export async function removeAllFiles(backend: Place, project: string): Promise<void> {
  do {
    while ((await removeSomeOrphans(backend, project)) > 0);
  } while ((await orphanSomeFiles(backend.db, project, piece)) > 0)
}
