/** Compares two snapshots, or a snapshot and the current state. Contract 11. */
import { type Differences, selectDifferences, selectNames } from '../../store/snapshots/differences.js'
import { readOneSnapshot } from '../../store/snapshots/insert.js'
import { disableTimeouts, lockSnapshots, selectSnapshot } from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, unitFor } from '../unit-of-work.js'
import { noSuchSnapshot } from './snapshots.js'

/** Records listed per collection. The rest are only counted. */
const maxNamed = 1_000

export interface SnapshotDiff {
  readonly isSame: boolean
  /** Collections with changed documents, by name. */
  readonly documents: readonly (Differences & { readonly collection: string })[]
  readonly collections: Differences
  readonly users: Differences
  readonly files: Differences
  readonly accounts: Differences
  /** Names of changed settings. */
  readonly settings: readonly string[]
}

/** @throws {SvcError} `NOT_FOUND` */
export async function diffSnapshots(
  backend: Backend,
  id: string,
  { from, to }: { readonly from: string; readonly to?: string | undefined },
): Promise<SnapshotDiff> {
  const project = (await requireProject(backend, id)).id
  return inTransaction(unitFor(backend), async ({ db: tx }) => {
    await readOneSnapshot(tx)
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    const getId = async (name: string) => ((await selectSnapshot(tx, project, name)) ?? noSuchSnapshot(name)).id
    const sides = {
      project,
      from: await getId(from),
      to: to === undefined ? undefined : await getId(to),
      most: maxNamed,
    }
    const names = await selectNames(tx, sides)
    const documents = await selectDifferences(tx, 'documents', sides)
    const collections = await selectDifferences(tx, 'collections', sides)
    const users = await selectDifferences(tx, 'users', sides)
    const files = await selectDifferences(tx, 'files', sides)
    const accounts = await selectDifferences(tx, 'idp_accounts', sides)
    const settings = await selectDifferences(tx, 'projects', sides)
    const all = [documents, collections, users, files, accounts, settings]
    return {
      isSame: all.every(({ length }) => length === 0),
      documents: documents
        .map((each) => ({ ...each, collection: names.get(each.collection ?? '') ?? '' }))
        .sort((one, other) => (one.collection < other.collection ? -1 : 1)),
      collections: only(collections),
      users: only(users),
      files: only(files),
      accounts: only(accounts),
      settings: only(settings).records.flatMap(({ fields }) => fields),
    }
  })
}

function only([first]: readonly Differences[]): Differences {
  return first ?? { collection: null, counts: { added: 0, removed: 0, changed: 0 }, records: [] }
}
