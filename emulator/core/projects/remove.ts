/** A project taken away, with all that it keeps. Contract 11. */
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
  unitOf,
} from '../unit-of-work.js'
import { outOfFolder } from './keys.js'
import { requireProject, unknownProject } from './require-project.js'

/** How many rows are deleted in one statement: some tens of milliseconds. Much hangs on a user. */
const pieces = [
  { part: 'pending_changes', most: 2_000 },
  { part: 'changes', most: 2_000 },
  { part: 'idempotency', most: 1_000 },
  { part: 'recent_attempts', most: 2_000 },
  { part: 'mails', most: 1_000 },
  { part: 'users', most: 200 },
] as const satisfies readonly { readonly part: LongPart; readonly most: number }[]

/**
 * Deletes a project with its keys, collections, users, files, mails and snapshots. What was opened with its keys and tokens ends.
 * Its audit log stays for as long as entries are kept.
 *
 * Other projects use the same tables, so it goes in pieces. Its own row is the last: where this fails half-way, the project is
 * there without its keys, and deleting it again goes on.
 *
 * @throws {SvcError} `NOT_FOUND`, `CONFLICT` for the project that the service was opened for
 */
export async function removeProject(backend: Backend, id: string): Promise<void> {
  const project = await requireProject(backend, id)
  if (id === backend.about.project) {
    throw new SvcError('CONFLICT', `The emulator runs for the project "${id}". A reset empties it.`)
  }
  await close(backend, project)
  // Their addresses need no key. Bytes take longer than rows, and may not be removable at all for a while.
  await orphanEach(backend, id)
  do {
    await removeAllSnapshots(backend, id)
    await removeAllFiles(backend, id)
    for (const piece of pieces) while ((await deleteSome(backend.db, id, piece)) > 0);
  } while (!(await finish(backend, project)))
  // In memory only, where nothing else would look for them again.
  backend.clocks.closeOwn(id)
  backend.faults.clear(id)
}

type Named = Awaited<ReturnType<typeof requireProject>>

/** From here on, nobody reads or writes what it keeps. */
async function close(backend: Backend, { id, name }: Named): Promise<void> {
  const { keyring } = backend
  const closeIt = () =>
    inTransaction(makingRoom(unitOf(backend)), async (unit) => {
      if (!(await closeProject(unit.db, id))) throw unknownProject(id)
      publish(unit, settingsChanged())
      publish(unit, identityChanged())
      await audit(unit, { project: id, operation: 'project.removed', subject: { names: [name] } })
    })
  await keyring.changing(() => outOfFolder(backend, id, () => keyring.keep(id, []), closeIt))
  backend.sweepSoon()
}

/** Whether it is gone; not where an upload that had begun before has brought another file. */
function finish(backend: Backend, project: Named): Promise<boolean> {
  return inTransaction(unitOf(backend), async (unit) => {
    const outcome = await deleteProject(unit.db, project.id)
    if (outcome !== 'deleted') return outcome === 'gone'
    publish(unit, settingsChanged())
    publish(unit, identityChanged())
    happened(unit, projectEvent(project, 'removed'))
    return true
  })
}
