/** A project taken away, with all that it keeps. Contract 11. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteProject, selectAllFileIds } from '../../store/project-state.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { projectEvent } from '../events/happenings.js'
import { lockSnapshotsAndState } from '../snapshots/replace-state.js'
import { happened, identityChanged, inTransaction, publish, settingsChanged, unitOf } from '../unit-of-work.js'
import { requireProject, unknownProject } from './require-project.js'

/** Files whose bytes are removed in one go. */
const piece = 500

/**
 * Deletes a project with its keys, collections, users, files, mails and snapshots. What was opened with its keys and tokens ends.
 * Its audit log stays for as long as entries are kept.
 *
 * @throws {SvcError} `NOT_FOUND`, `CONFLICT` for the project that the service was opened for
 */
export async function removeProject(backend: Backend, id: string): Promise<void> {
  const { keyring } = backend
  const project = await requireProject(backend, id)
  if (id === backend.about.project) {
    throw new SvcError('CONFLICT', `The emulator runs for the project "${id}". A reset empties it.`)
  }
  const files = await keyring.changing(async () => {
    // Out of the folder first: what it has kept comes back at the next start.
    if (keyring.hasData && (await keyring.keysOf(id)).length > 0) await keyring.keep(id, [])
    return inTransaction(unitOf(backend), async (unit) => {
      await lockSnapshotsAndState(unit.db, id)
      const files = await selectAllFileIds(unit.db, id)
      if (!(await deleteProject(unit.db, id))) throw unknownProject(id)
      publish(unit, settingsChanged())
      publish(unit, identityChanged())
      happened(unit, projectEvent(project, 'removed'))
      await audit(unit, { project: id, operation: 'project.removed', subject: { names: [project.name] } })
      return files
    })
  })
  // Their rows are gone with the project's. Should the process end before the bytes are, the next comparison finds them.
  for (let from = 0; from < files.length; from += piece) backend.discardLater(id, files.slice(from, from + piece))
  backend.sweepSoon()
  backend.sweepFilesSoon()
}
