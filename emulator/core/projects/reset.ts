/** Resets a project or parts of it. Contract 11. */
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
  unitFor,
} from '../unit-of-work.js'
import { requireProject } from './require-project.js'

/** The parts to delete; all of them if none is given. */
export interface ResetChoice {
  /** Names of collections to empty. The collections themselves stay. */
  readonly collections?: readonly string[] | undefined
  readonly users?: true | undefined
  /** Only files without an owner. The others are deleted with their document or user. */
  readonly files?: true | undefined
  readonly mail?: true | undefined
}

/** Counts of what was deleted. */
export interface ResetReport {
  readonly collections: readonly { readonly name: string; readonly documents: number }[]
  readonly users: number
  readonly files: number
  readonly mails: number
}

/**
 * Deletes everything in a project, or the given parts. Keeps its keys and settings. Subscribers to emptied collections
 * receive `RESYNC`.
 *
 * @throws {SvcError} `NOT_FOUND` for a project or collection that does not exist; then deletes nothing
 */
export async function resetProject(backend: Backend, id: string, choice: ResetChoice): Promise<ResetReport> {
  const found = await requireProject(backend, id)
  const project = found.id
  const { collections, users, files, mail } = choice
  const isWhole = !(collections || users || files || mail)
  const report = await inTransaction(makingRoom(unitFor(backend)), async (unit) => {
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
    if (isWhole || emptied.length > 0) await restartChanges(unit, { project, isWhole, collections: pickIds(emptied) })
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
  // Deletes rows and files that are now unreachable.
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return report
}

/**
 * Restarts the numbering: subscribers to these collections receive `RESYNC`, and subscriptions to removed collections
 * end.
 */
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

/** Deletes all collections, or empties the given ones and keeps their definitions. */
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
  await deleteAllDocuments(db, pickIds(unique))
  return unique
}

async function emptyUsers(unit: UnitOfWork, project: string): Promise<number> {
  publish(unit, identityChanged())
  return deleteUsers(unit.db, project)
}

function pickIds(collections: readonly CountedName[]): string[] {
  return collections.map(({ id }) => id)
}
