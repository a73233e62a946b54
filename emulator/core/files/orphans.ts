/** Files that belong to nothing any more. */
import { type BytesKept, keptBy } from '../../ports/files/port.js'
import { deleteOrphans, orphanFilesAfter, selectOrphans } from '../../store/files.js'
import type { Backend } from '../context.js'

/** Files whose bytes are removed together. */
const piece = 500
/** Where so many cannot be removed, hardly any can: the others wait too. */
const mostPassedOver = 5_000
/** Rows that are changed in one statement. */
const mostRows = 2_000

type Place = Pick<Backend, 'db' | 'files'>

/**
 * Removes the orphaned files of a project or, left out, of any. Bytes first: the row is what remembers them, also those that cannot
 * be removed, which the next pass asks for again.
 *
 * @throws {StorageError} `BytesKept` once all others are gone
 */
export async function removeOrphans(
  { db, files }: Place,
  { project, isStopped = () => false }: { readonly project?: string; isStopped?(): boolean } = {},
): Promise<void> {
  let firstKept: BytesKept | undefined
  const passedOver: string[] = []
  while (!isStopped() && passedOver.length < mostPassedOver) {
    const orphans = await selectOrphans(db, { most: piece, except: passedOver, project })
    if (orphans.length === 0) break
    const unheld = orphans.filter(({ isHeld }) => !isHeld).map(({ id }) => id)
    const kept = await keptBy(files.remove(unheld))
    firstKept ??= kept
    passedOver.push(...(kept?.ids ?? []))
    await deleteOrphans(
      db,
      orphans.filter(({ id }) => !kept?.ids.includes(id)),
    )
  }
  if (firstKept) throw firstKept
}

/** Orphans all files of a project, some at a time: nobody reads them any more, whatever becomes of their bytes. Whether there were some. */
export async function orphanEach({ db }: Pick<Backend, 'db'>, project: string): Promise<boolean> {
  let last: string | undefined
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
    await removeOrphans(backend, { project })
  } while (await orphanEach(backend, project))
}
