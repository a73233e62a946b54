/**
 * Deletes documents. A single deletion is one statement, unless something else has to change with the document or it
 * does not apply. All other deletions lock their documents in a transaction.
 */
import { isId } from '../../../client/protocol/model/document.js'
import { deleteDocuments, lockDocumentVersions } from '../../store/documents.js'
import { deleteDocument } from '../../store/single-documents.js'
import { partFor } from '../access/grant.js'
import { memberFields } from '../access/memberships.js'
import { requireGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { keepOwned } from '../files/owned-files.js'
import { withCurrentRules } from '../unique-values.js'
import { inTransaction } from '../unit-of-work.js'
import { removeDependants } from './dependants.js'
import { lockTargets } from './lock-targets.js'
import { requireWritable, type VersionGuard } from './plan-write.js'
import { place, publishRecorded } from './writing.js'

/** @throws {SvcError} `NOT_FOUND`, `FORBIDDEN`, `CONFLICT`, `DOCUMENT_IN_USE` */
export async function removeDocument(
  ctx: Context,
  name: string,
  id: string,
  guard: VersionGuard = 'any',
): Promise<{ id: string }> {
  const grant = await requireGrant(ctx, name, 'delete')
  if (!ctx.pending && isId(id)) {
    const here = place(ctx, grant.collection, ctx.backend.now(ctx.project.id))
    const part = partFor(grant, 'delete')
    const { isDeleted } = await publishRecorded(ctx, () => deleteDocument(ctx.db, here, id, guard, part))
    if (isDeleted) return { id }
  }
  // The document has files or dependants, or this reports why it was not deleted.
  await removeLocked(ctx, name, [id], { guard, skipsMissing: false })
  return { id }
}

/** Removes all of these documents, or none if one of them does not exist. */
export function removeDocuments(
  ctx: Context,
  name: string,
  ids: readonly string[],
): Promise<{ ids: readonly string[] }> {
  return removeLocked(ctx, name, ids, { guard: 'any', skipsMissing: ctx.leniency?.skipsMissing === true })
}

interface Removal {
  readonly guard: VersionGuard
  /** Whether ids that no document has are left out. */
  readonly skipsMissing: boolean
}

function removeLocked(ctx: Context, name: string, ids: readonly string[], removal: Removal) {
  return withCurrentRules(ctx, () => removeAsKnown(ctx, name, ids, removal))
}

async function removeAsKnown(ctx: Context, name: string, ids: readonly string[], { guard, skipsMissing }: Removal) {
  const grant = await requireGrant(ctx, name, 'delete')
  const { collection } = grant
  let removed: readonly string[] = []
  const hasFiles = await inTransaction(ctx, async (ctx) => {
    const asked = [...new Set(ids)].map((id) => ({ id }))
    const { targets, memberships } = await lockTargets(ctx, grant, { asked, skipsMissing }, (ids) =>
      lockDocumentVersions(ctx.db, collection, ids, memberFields(grant)),
    )
    const locked = targets.map((target) => requireWritable(grant, 'delete', target, { guard, memberships }))
    removed = targets.map(({ id }) => id)
    if (removed.length === 0) return false
    const hasDeletedMore = await removeDependants(ctx, { to: collection.id, ids: removed })
    await keepOwned(ctx, removed)
    const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
    await publishRecorded(ctx, () => deleteDocuments(ctx.db, here, removed))
    return hasDeletedMore || locked.some(({ hasFiles }) => hasFiles)
  })
  // The database has detached the files from their documents.
  if (hasFiles) ctx.backend.sweepFilesSoon()
  return { ids: removed }
}
