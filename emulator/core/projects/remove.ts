/** Deletes a project with all its data. Contract 11. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { closeProject, deleteProject, deleteSome, type LongPart } from '../../store/project-state.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { projectEvent } from '../events/happenings.js'
import { orphanEach, removeAllFiles } from '../files/orphans.js'
import { removeAllSnapshots } from '../snapshots/remove-all.js'
import {
  happened,
  identityChanged,
  inTransaction,
  makingRoom,
  publish,
  settingsChanged,
  unitFor,
} from '../unit-of-work.js'
import { removeFromFolder } from './keys.js'
import { requireProject, unknownProject } from './require-project.js'

/** Rows deleted per statement, which takes some tens of milliseconds. Users have many dependent rows. */
const pieces = [
  { part: 'pending_changes', most: 2_000 },
  { part: 'changes', most: 2_000 },
  { part: 'idempotency', most: 1_000 },
  { part: 'recent_attempts', most: 2_000 },
  { part: 'mails', most: 1_000 },
  { part: 'users', most: 200 },
] as const satisfies readonly { readonly part: LongPart; readonly most: number }[]

/**
 * Deletes a project with its keys, collections, users, files, mails and snapshots. Ends everything opened with its keys
 * and tokens. Keeps its audit log until the entries expire.
 *
 * Deletes in batches, because other projects use the same tables. Deletes the project's own row last: if this fails
 * half-way, the project remains without keys, and you can delete it again.
 *
 * @throws {SvcError} `NOT_FOUND`, `CONFLICT` for the project that the service was opened for
 */
export async function removeProject(backend: Backend, id: string): Promise<void> {
  const project = await requireProject(backend, id)
  if (id === backend.about.project) {
    throw new SvcError(
      'CONFLICT',
      `The emulator runs for project "${id}", so you cannot delete it. To empty it, run svc reset.`,
    )
  }
  await close(backend, project)
  // Orphans the files first, because their URLs need no key. Removing their bytes takes longer and may fail for a
  // while.
  await orphanEach(backend, id)
  do {
    await removeAllSnapshots(backend, id)
    await removeAllFiles(backend, id)
    for (const piece of pieces) while ((await deleteSome(backend.db, id, piece)) > 0);
  } while (!(await finish(backend, project)))
  // Closes the in-memory clock, because nothing else would clean it up.
  backend.clocks.closeOwn(id)
  backend.faults.clear(id)
}

type Named = Awaited<ReturnType<typeof requireProject>>

/** Revokes the keys, so that nobody reads or writes the project from here on. */
async function close(backend: Backend, { id, name }: Named): Promise<void> {
  const { keyring } = backend
  const closeIt = () =>
    inTransaction(makingRoom(unitFor(backend)), async (unit) => {
      if (!(await closeProject(unit.db, id))) throw unknownProject(id)
      publish(unit, settingsChanged())
      publish(unit, identityChanged())
      await audit(unit, { project: id, operation: 'project.removed', subject: { names: [name] } })
    })
  await keyring.changing(() => removeFromFolder(backend, id, () => keyring.keep(id, []), closeIt))
  backend.sweepSoon()
}

/** Deletes the project's row. Resolves to false if an upload that started earlier added another file. */
function finish(backend: Backend, project: Named): Promise<boolean> {
  return inTransaction(unitFor(backend), async (unit) => {
    const outcome = await deleteProject(unit.db, project.id)
    if (outcome !== 'deleted') return outcome === 'gone'
    publish(unit, settingsChanged())
    publish(unit, identityChanged())
    happened(unit, projectEvent(project, 'removed'))
    return true
  })
}
