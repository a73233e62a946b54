import type { FileRecord } from '../../../client/protocol/model/file.js'
import { selectExisting, selectFileCount, selectFilesWithIds, selectIdsAfter } from '../../store/files.js'
import type { Backend } from '../context.js'

export interface MissingFiles {
  readonly count: number
  /** The first few of them, with their projects. */
  readonly files: readonly (FileRecord & { readonly project: string })[]
}

/** Files looked at in one statement. */
const piece = 500
const mostNamed = 20

/**
 * Files of all projects whose bytes are not in the store. One pass over the store's names counts them: nearly always that is all,
 * and otherwise only as many files are looked at as it takes to name the first few.
 */
export async function findMissingFiles({ db, files }: Pick<Backend, 'db' | 'files'>): Promise<MissingFiles> {
  let found = 0
  for await (const listed of files.list()) {
    for (let at = 0; at < listed.length; at += piece) {
      found += (await selectExisting(db, listed.slice(at, at + piece))).length
    }
  }
  const fewer = (await selectFileCount(db)) - found
  if (fewer <= 0) return { count: 0, files: [] }
  const named = await nameMissing({ db, files })
  return { count: named.length < mostNamed ? named.length : Math.max(fewer, named.length), files: named }
}

async function nameMissing({ db, files }: Pick<Backend, 'db' | 'files'>): Promise<MissingFiles['files']> {
  const missing: string[] = []
  let last: string | undefined
  for (;;) {
    const ids = await selectIdsAfter(db, { last, most: piece })
    last = ids.at(-1)
    const known = await Promise.all(ids.map((id) => files.has(id)))
    missing.push(...ids.filter((_, at) => !known[at]))
    // Of those that were deleted meanwhile the row is gone as well.
    if (ids.length < piece || missing.length >= mostNamed) return selectFilesWithIds(db, missing.slice(0, mostNamed))
  }
}
