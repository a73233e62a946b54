/** Reads and transfers the creator of a document. Only the owner of the project can do this. Decision 71. */
import { isId } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { selectUser } from '../../store/accounts/users.js'
import { selectCollection } from '../../store/collections.js'
import { updateCreator } from '../../store/creators.js'
import { lockDocumentVersions, selectDocument } from '../../store/documents.js'
import { noSuchCollection, noSuchDocument } from '../access/missing.js'
import { audit } from '../audit/audit-log.js'
import type { Backend, Context } from '../context.js'
import { callerAsOwner } from '../identity.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, unitFor } from '../unit-of-work.js'
import { place, publishRecorded } from './writing.js'

interface Named {
  readonly project: string
  /** Name or id. */
  readonly collection: string
  readonly document: string
}

interface Creator {
  readonly collection: string
  readonly id: string
  readonly createdBy: string | null
}

/** @throws {SvcError} `NOT_FOUND` */
export async function getCreator(
  backend: Backend,
  { project, collection: name, document: id }: Named,
): Promise<Creator> {
  const collection = await selectCollection(backend.db, (await requireProject(backend, project)).id, name)
  if (!collection) throw noSuchCollection(name)
  const document = isId(id) ? await selectDocument(backend.db, collection, id) : undefined
  if (!document) throw noSuchDocument(collection, id)
  return { collection: collection.name, id, createdBy: document.createdBy }
}

/** @throws {SvcError} `NOT_FOUND`, `USER_NOT_FOUND` */
export async function transferDocument(backend: Backend, named: Named, to: string | null): Promise<Creator> {
  const { document: id } = named
  const project = await requireProject(backend, named.project)
  const collection = await selectCollection(backend.db, project.id, named.collection)
  if (!collection) throw noSuchCollection(named.collection)
  if (to !== null && !(isId(to) && (await selectUser(backend.db, project.id, to)))) throw plainError('USER_NOT_FOUND')
  if (!isId(id)) throw noSuchDocument(collection, id)
  const ctx: Context = { project, caller: callerAsOwner(project.id), ...unitFor(backend) }
  const here = place(ctx, collection, backend.now(project.id))
  await inTransaction(ctx, async (ctx) => {
    // Locks first: a statement that waits for another write would record the state before that write.
    const found = await lockDocumentVersions(ctx.db, collection, [id])
    if (!found.has(id)) throw noSuchDocument(collection, id)
    await publishRecorded(ctx, () => updateCreator(ctx.db, here, id, to))
    const subject = { collection: collection.name, document: id, ...(to === null ? {} : { user: to }) }
    await audit(ctx, { project: project.id, operation: 'document.transferred', subject })
  })
  return { collection: collection.name, id, createdBy: to }
}
