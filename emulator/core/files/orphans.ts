/** Files that belong to nothing any more. */
import { deleteOrphans, orphanFilesAfter, selectOrphans } from '../../store/files.js'
import type { Backend } from '../context.js'

/** Files whose bytes are removed together. */
const piece = 500
/** Rows that are changed in one statement. */
const mostRows = 2_000
/** The id that every other comes after. */
const beforeAll = '00000000-0000-0000-0000-000000000000'

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

/** Orphans all files of a project, some at a time: nobody reads them any more, whatever becomes of their bytes. Whether there were some. */
export async function orphanEach({ db }: Pick<Backend, 'db'>, project: string): Promise<boolean> {
  let last: string | undefined = beforeAll
  let hasFound = false
  while (true) {
    last = await orphanFilesAfter(db, project, { last, most: mostRows })
    if (last === undefined) return hasFound
    hasFound = true
  }
}

/** Removes all files of a project, some at a time. */
export async function removeAllFiles(backend: Place, project: string): Promise<void> {
  do {
    while ((await removeSomeOrphans(backend, project)) > 0);
  } while (await orphanEach(backend, project))
}
