/** A project back to its beginning, or a part of it. Contract 11. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteMails } from '../../store/accounts/mails.js'
import {
  type CountedName,
  deleteAllDocuments,
  deleteAnswers,
  deleteCollections,
  deleteUsers,
  lockState,
  orphanAllFiles,
  orphanStandingFiles,
  selectCountedNames,
} from '../../store/project-state.js'
import { insertResets } from '../../store/realtime/changes.js'
import { deleteLeftNames } from '../../store/realtime/left-names.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { projectEvent } from '../events/happenings.js'
import {
  happened,
  identityChanged,
  inTransaction,
  makingRoom,
  publish,
  settingsChanged,
  type UnitOfWork,
  unitOf,
} from '../unit-of-work.js'
import { requireProject } from './require-project.js'

/** What to delete; nothing chosen is everything. */
export interface ResetChoice {
  /** Names of collections, which stay and lose their documents. */
  readonly collections?: readonly string[] | undefined
  readonly users?: true | undefined
  /** Those that belong to no document and no user; the others go with their owner. */
  readonly files?: true | undefined
  readonly mail?: true | undefined
}

/** What was deleted. */
export interface ResetReport {
  readonly collections: readonly { readonly name: string; readonly documents: number }[]
  readonly users: number
  readonly files: number
  readonly mails: number
}

/**
 * Deletes everything that a project keeps, or what is chosen of it; its keys and settings stay. Subscribers of what was
 * emptied receive `RESYNC`.
 *
 * @throws {SvcError} `NOT_FOUND` for a project or collection that does not exist; nothing is deleted then
 */
export async function resetProject(backend: Backend, id: string, choice: ResetChoice): Promise<ResetReport> {
  const found = await requireProject(backend, id)
  const project = found.id
  const { collections, users, files, mail } = choice
  const isWhole = !(collections || users || files || mail)
  const report = await inTransaction(makingRoom(unitOf(backend)), async (unit) => {
    const tx = unit.db
    await lockState(tx, project)
    const emptied = await emptyCollections(unit, project, isWhole ? 'all' : (collections ?? []))
    const report = {
      collections: emptied.map(({ name, documents }) => ({ name, documents })),
      users: users || isWhole ? await emptyUsers(unit, project) : 0,
      files: isWhole ? await orphanAllFiles(tx, project) : files ? await orphanStandingFiles(tx, project) : 0,
      mails: mail || isWhole ? await deleteMails(tx, { project }) : 0,
    }
    await deleteAnswers(tx, project)
    if (isWhole || emptied.length > 0) await restartChanges(unit, { project, isWhole, collections: idsOf(emptied) })
    const parts = [
      ...(collections ?? []),
      ...(users ? ['users'] : []),
      ...(files ? ['files'] : []),
      ...(mail ? ['mail'] : []),
    ]
    happened(unit, projectEvent(found, 'reset', isWhole ? ['everything'] : parts))
    const names = isWhole ? ['everything'] : [...new Set(parts)]
    await audit(unit, { project, operation: 'project.reset', subject: { names } })
    return report
  })
  // The rows and bytes that are unreachable then.
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return report
}

/** Draws new numbers: subscribers of these collections receive `RESYNC`, and subscriptions to one that is gone end. */
export async function restartChanges(
  unit: UnitOfWork & { readonly backend: Pick<Backend, 'now'> },
  { project, collections, isWhole }: { project: string; collections: readonly string[]; isWhole: boolean },
): Promise<void> {
  const at = unit.backend.now(project).toISOString()
  const seq = await insertResets(unit.db, { project, collections, at, isWhole })
  if (isWhole) await deleteLeftNames(unit.db, project)
  publish(unit, settingsChanged())
  publish(unit, { kind: 'changes', project, seq })
}

/** Of all collections nothing stays, of some their definition. */
async function emptyCollections(
  { db }: UnitOfWork,
  project: string,
  names: readonly string[] | 'all',
): Promise<readonly CountedName[]> {
  if (names.length === 0) return []
  const all = await selectCountedNames(db, project)
  if (names === 'all') {
    await deleteCollections(db, project)
    return all
  }
  const chosen = names.map((name) => {
    const found = all.find((collection) => collection.name === name)
    if (!found) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
    return found
  })
  const unique = [...new Set(chosen)]
  await deleteAllDocuments(db, idsOf(unique))
  return unique
}

async function emptyUsers(unit: UnitOfWork, project: string): Promise<number> {
  publish(unit, identityChanged())
  return deleteUsers(unit.db, project)
}

function idsOf(collections: readonly CountedName[]): string[] {
  return collections.map(({ id }) => id)
}
