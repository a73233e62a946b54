/** Brings a project back to a snapshot. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteAnswers, lockState, selectCountedNames } from '../../store/project-state.js'
import { lockSnapshots, type StoredSnapshot, selectSnapshot, takeTime } from '../../store/snapshots/registry.js'
import { isTakenElsewhere, restoreState, selectLacking } from '../../store/snapshots/restore.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/projects.js'
import { restartChanges } from '../projects/reset.js'
import { identityChanged, inTransaction, publish, unitOf } from '../unit-of-work.js'
import { noSuchSnapshot } from './snapshots.js'

export interface Loaded {
  readonly snapshot: StoredSnapshot
  /** Secrets of providers that neither the snapshot nor the project has. */
  readonly lacking: readonly string[]
}

/**
 * Replaces everything that a project keeps, in one transaction; its keys stay. Whoever subscribes begins anew.
 *
 * @throws {SvcError} `NOT_FOUND`; `FORBIDDEN` where another project has what is in it
 */
export async function loadSnapshot(backend: Backend, id: string, name: string): Promise<Loaded> {
  const project = (await requireProject(backend, id)).id
  const loaded = await inTransaction(unitOf(backend), async (unit) => {
    const tx = unit.db
    await takeTime(tx)
    await lockSnapshots(tx)
    await lockState(tx)
    const snapshot = (await selectSnapshot(tx, project, name)) ?? noSuchSnapshot(name)
    if (await isTakenElsewhere(tx, project, snapshot.id)) throw takenElsewhere(name)
    const before = await selectCountedNames(tx, project)
    await restoreState(tx, project, snapshot.id)
    const after = await selectCountedNames(tx, project)
    await deleteAnswers(tx, project)
    const collections = [...new Set([...before, ...after].map((collection) => collection.id))]
    await restartChanges(unit, { project, isWhole: true, collections })
    publish(unit, identityChanged())
    return { snapshot, lacking: await selectLacking(tx, project, snapshot.missing) }
  })
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return loaded
}

function takenElsewhere(name: string): SvcError {
  return new SvcError(
    'FORBIDDEN',
    `Another project of this emulator has what is in "${name.slice(0, 80)}"; a document can be in one project only.`,
  )
}
