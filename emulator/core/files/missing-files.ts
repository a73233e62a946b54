import type { FileRecord } from '../../../client/protocol/model/file.js'
import { selectExisting, selectFileCount, selectFilesWithIds, selectIdsAfter } from '../../store/files.js'
import type { Backend } from '../context.js'

export interface MissingFiles {
  readonly count: number
  /** The first few missing files, with their projects. */
  readonly files: readonly (FileRecord & { readonly project: string })[]
}

/** Files checked per statement. */
const batchSize = 500
const maxNamed = 20

/**
 * Finds files of all projects whose bytes are missing from the store. Counts them in one pass over the store's names,
 * which is usually enough. Otherwise checks only as many files as needed to name the first few.
 */
export async function findMissingFiles({ db, files }: Pick<Backend, 'db' | 'files'>): Promise<MissingFiles> {
  let found = 0
  for await (const listed of files.list()) {
    for (let at = 0; at < listed.length; at += batchSize) {
      found += (await selectExisting(db, listed.slice(at, at + batchSize))).length
    }
  }
  const fewer = (await selectFileCount(db)) - found
  if (fewer <= 0) return { count: 0, files: [] }
  const named = await nameMissing({ db, files })
  return { count: named.length < maxNamed ? named.length : Math.max(fewer, named.length), files: named }
}

async function nameMissing({ db, files }: Pick<Backend, 'db' | 'files'>): Promise<MissingFiles['files']> {
  const missing: string[] = []
  let last: string | undefined
  for (;;) {
    const ids = await selectIdsAfter(db, { last, most: batchSize })
    last = ids.at(-1)
    const known = await Promise.all(ids.map((id) => files.has(id)))
    missing.push(...ids.filter((_, at) => !known[at]))
    // Reads the rows again, which skips files deleted since.
    if (ids.length < batchSize || missing.length >= maxNamed) return selectFilesWithIds(db, missing.slice(0, maxNamed))
  }
}
