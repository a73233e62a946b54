/** Deletes files that belong to nothing. */
import { type BytesKept, keptBy } from '../../ports/files/port.js'
import { deleteOrphans, orphanFilesAfter, selectOrphans } from '../../store/files.js'
import type { Backend } from '../context.js'

/** Files whose bytes are removed together. */
const batchSize = 500
/** Stops after this many failures, because then hardly any file can be removed. */
const maxPassedOver = 5_000
/** Rows changed per statement. */
const maxRows = 2_000

type Storage = Pick<Backend, 'db' | 'files'>

/**
 * Removes the orphaned files of a project or, without one, of all projects. Removes bytes first, because the row
 * remembers them: bytes that cannot be removed are retried in the next pass.
 *
 * @throws {StorageError} `BytesKept` after removing all others
 */
export async function removeOrphans(
  { db, files }: Storage,
  { project, isStopped = () => false }: { readonly project?: string; isStopped?(): boolean } = {},
): Promise<void> {
  let firstKept: BytesKept | undefined
  const passedOver: string[] = []
  while (!isStopped() && passedOver.length < maxPassedOver) {
    const orphans = await selectOrphans(db, { most: batchSize, except: passedOver, project })
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

/**
 * Orphans all files of a project in batches, so that nobody can read them even while their bytes remain. Resolves to
 * whether there were any.
 */
export async function orphanEach({ db }: Pick<Backend, 'db'>, project: string): Promise<boolean> {
  let last: string | undefined
  let hasFound = false
  while (true) {
    last = await orphanFilesAfter(db, project, { last, most: maxRows })
    if (last === undefined) return hasFound
    hasFound = true
  }
}

/** Removes all files of a project in batches. */
export async function removeAllFiles(backend: Storage, project: string): Promise<void> {
  do {
    await removeOrphans(backend, { project })
  } while (await orphanEach(backend, project))
}
