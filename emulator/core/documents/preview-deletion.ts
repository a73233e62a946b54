/** Counts what a deletion takes along, for people who are about to delete. Contract 13.3. */
import { type StoredCollection, usersWord } from '../../../client/protocol/model/collection.js'
import { isId } from '../../../client/protocol/model/document.js'
import { selectCollection } from '../../store/collections.js'
import { noSuchCollection } from '../access/missing.js'
import { countLeftLinks, requireUnlinked } from '../collections/linked-collections.js'
import type { Backend, Context } from '../context.js'
import { callerAsOwner } from '../identity.js'
import { requireProject } from '../projects/require-project.js'
import { withCurrentRules } from '../unique-values.js'
import { inTransaction, unitFor } from '../unit-of-work.js'
import { planDependants } from './dependants.js'

/** Documents of one collection that link to what is deleted. */
export interface Dependants {
  readonly collection: string
  readonly deleted: number
  readonly changed: number
  /** Documents that stay as they are, with a link that leads nowhere. Counted only where a collection is deleted. */
  readonly left: number
}

/** Records to delete: of a collection, by its name or id, or `users`. Without ids, the collection itself. */
interface Previewed {
  readonly to: string
  readonly ids?: readonly string[] | undefined
}

/**
 * Changes nothing. A deletion a moment later may find other documents.
 *
 * @throws {SvcError} `NOT_FOUND`, and `DOCUMENT_IN_USE` or `RESULT_TOO_LARGE` if the deletion would fail
 */
export async function previewDeletion(
  backend: Backend,
  projectId: string,
  { to, ids }: Previewed,
): Promise<Dependants[]> {
  const project = await requireProject(backend, projectId)
  const isUsers = to === usersWord && ids !== undefined
  const collection = isUsers ? undefined : await selectCollection(backend.db, project.id, to)
  if (!isUsers && !collection) throw noSuchCollection(to)
  const ctx: Context = { project, caller: callerAsOwner(project.id), ...unitFor(backend) }
  if (ids === undefined) return collection ? previewCollection(ctx, collection) : []
  const deleted = { to: collection?.id ?? usersWord, ids: ids.filter(isId) }
  const plan = await withCurrentRules(ctx, () => inTransaction(ctx, (ctx) => planDependants(ctx, deleted)))
  const counts = new Map<string, { deleted: number; changed: number }>()
  const add = (name: string, kind: 'deleted' | 'changed', number: number) => {
    const before = counts.get(name) ?? { deleted: 0, changed: 0 }
    counts.set(name, { ...before, [kind]: before[kind] + number })
  }
  for (const { collection, ids } of plan?.levels ?? []) add(collection.name, 'deleted', ids.length)
  for (const { collection, documents } of plan?.unset.values() ?? []) {
    const staying = [...documents.keys()].filter((id) => !plan?.isDeleted.has(id))
    if (staying.length > 0) add(collection.name, 'changed', staying.length)
  }
  return [...counts].map(([collection, counted]) => ({ collection, ...counted, left: 0 }))
}

async function previewCollection(ctx: Context, collection: Pick<StoredCollection, 'id'>): Promise<Dependants[]> {
  await requireUnlinked(ctx, collection)
  const left = await countLeftLinks(ctx, collection)
  return left.map(({ name, documents }) => ({ collection: name, deleted: 0, changed: 0, left: documents }))
}
