/** Resets a project or parts of it. Contract 11. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Database } from '../../database/port.js'
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
  const parts = chooseParts(choice)
  const report = await inTransaction(makingRoom(unitFor(backend)), async (unit) => {
    const tx = unit.db
    await lockState(tx, project)
    const emptied = await emptyCollections(unit, project, parts.collections)
    const report = {
      collections: emptied.map(({ name, documents }) => ({ name, documents })),
      users: parts.users ? await emptyUsers(unit, project) : 0,
      files: await parts.orphanFiles(tx, project),
      mails: parts.mail ? await deleteMails(tx, { project }) : 0,
    }
    await deleteAnswers(tx, project)
    const { isWhole, names } = parts
    if (isWhole || emptied.length > 0) await restartChanges(unit, { project, isWhole, collections: pickIds(emptied) })
    happened(unit, projectEvent(found, 'reset', names))
    await audit(unit, { project, operation: 'project.reset', subject: { names: [...new Set(names)] } })
    return report
  })
  // Deletes rows and files that are now unreachable.
  backend.sweepSoon()
  backend.sweepFilesSoon()
  return report
}

interface Parts {
  readonly isWhole: boolean
  readonly collections: readonly string[] | 'all'
  readonly users: boolean
  readonly mail: boolean
  /** Returns how many. */
  readonly orphanFiles: (tx: Database, project: string) => Promise<number>
  /** For the event and the audit log. */
  readonly names: readonly string[]
}

/** Chooses everything if nothing is named. An empty list names no collection. */
function chooseParts({ collections, users, files, mail }: ResetChoice): Parts {
  if (!(collections || users || files || mail)) {
    const all = { collections: 'all', users: true, mail: true, orphanFiles: orphanAllFiles } as const
    return { isWhole: true, ...all, names: ['everything'] }
  }
  const named = collections ?? []
  return {
    isWhole: false,
    collections: named,
    users: users === true,
    mail: mail === true,
    orphanFiles: files ? orphanStandingFiles : async () => 0,
    names: [...named, ...(users ? ['users'] : []), ...(files ? ['files'] : []), ...(mail ? ['mail'] : [])],
  }
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
