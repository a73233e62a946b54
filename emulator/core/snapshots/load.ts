/** Loads a snapshot into its project. */

import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteAnswers } from '../../store/project-state.js'
import { type StoredSnapshot, selectSnapshot } from '../../store/snapshots/registry.js'
import { isTakenElsewhere, restoreState, selectLacking } from '../../store/snapshots/restore.js'
import { openRestoring } from '../../store/snapshots/restoring.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { rebuildUniqueValues } from '../unique-values.js'
import { replaceState } from './replace-state.js'
import { noSuchSnapshot } from './snapshots.js'

export interface Loaded {
  readonly snapshot: StoredSnapshot
  /** Provider secrets that neither the snapshot nor the project has. */
  readonly lacking: readonly string[]
}

/**
 * Replaces all data of a project in one transaction, except its keys. Subscribers receive `RESYNC`.
 *
 * @throws {SvcError} `NOT_FOUND`; `FORBIDDEN` if another project has the same documents; `DUPLICATE_VALUE` for an
 * imported file whose documents share a unique value
 */
export async function loadSnapshot(backend: Backend, id: string, name: string): Promise<Loaded> {
  const project = (await requireProject(backend, id)).id
  const loaded = await replaceState(backend, { project, isWhole: true }, async (unit) => {
    const { db: tx } = unit
    const snapshot = (await selectSnapshot(tx, project, name)) ?? noSuchSnapshot(name)
    if (await isTakenElsewhere(tx, project, snapshot.id)) throw takenElsewhere(name)
    await restoreState(await openRestoring(tx, project, snapshot.id))
    await rebuildUniqueValues(tx, project)
    await deleteAnswers(tx, project)
    await audit(unit, { project, operation: 'snapshot.loaded', subject: { snapshot: name } })
    return { snapshot, lacking: await selectLacking(tx, project, snapshot.missing) }
  })
  backend.events.add(snapshotEvent(project, 'loaded', name))
  return loaded
}

function takenElsewhere(name: string): SvcError {
  return new SvcError(
    'FORBIDDEN',
    `Another project of this emulator has the documents of "${name.slice(0, 80)}". A document can be in only one project.`,
  )
}
