/**
 * Writes one document, without a transaction unless something needs one. The write is a single statement that applies only if
 * the document is as it was read. On the embedded database, a transaction would hold the only connection from its first
 * statement to the commit.
 */

import { isId, parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { type NewData, selectDocumentVersion } from '../../store/documents.js'
import { deleteDocument, updateDocument } from '../../store/single-documents.js'
import { listClaims, listUniqueRules } from '../../store/unique-rules.js'
import { type Grant, type Memberships, partFor, requireAllowed } from '../access/grant.js'
import { findMemberships, memberFields } from '../access/memberships.js'
import { noSuchDocument } from '../access/missing.js'
import { requireGrant } from '../collections/collections.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { mentionsFiles } from '../files/owned-files.js'
import { compareClaims, refusingDuplicates } from '../unique-values.js'
import { type Adopt, changeDocuments, removeGuarded } from './batches.js'
import { openChanges } from './merging.js'
import { withDocument } from './read-document.js'
import {
  checkAndSerialize,
  type Edit,
  place,
  publishRecorded,
  requireVersion,
  shownTo,
  type VersionGuard,
} from './writing.js'

interface ChangeOptions {
  readonly guard: VersionGuard
  readonly adopt: Adopt | undefined
  /** Whether the new fields replace the whole document, so that required fields get their defaults. */
  readonly isWhole?: boolean
}

/** How often to retry a change that lost a race, before locking the document and waiting. */
const maxAttempts = 3

/**
 * Refuses a change that would be refused whatever its content.
 *
 * @throws {SvcError} `NOT_FOUND`, `UNAUTHORIZED`, `FORBIDDEN`, `CONFLICT`
 */
export async function requireChangeable(ctx: Context, name: string, id: string, guard: VersionGuard): Promise<void> {
  const grant = await requireGrant(ctx, name, 'update')
  const { collection } = grant
  const found = isId(id) ? await selectDocumentVersion(ctx.db, collection, id, memberFields(grant)) : undefined
  if (!found) throw noSuchDocument(collection, id)
  const document = { id, ...found }
  const memberships = await findMemberships(ctx.db, grant, [document])
  requireAllowed(grant, 'update', document, memberships)
  requireVersion(grant, document, guard, memberships)
}

/** Computes the new fields of a document from the old ones, and writes them. */
export async function changeDocument(
  ctx: Context,
  name: string,
  id: string,
  edit: Edit,
  { guard, adopt, isWhole = false }: ChangeOptions,
): Promise<StoredDocument> {
  const grant = await requireGrant(ctx, name, 'update')
  const { collection } = grant
  const attempts = ctx.pending || adopt ? 0 : maxAttempts
  for (let attempt = 0; attempt < attempts; attempt++) {
    const written = await withDocument(ctx, collection, id, async (before, ctx) => {
      if (!before) throw noSuchDocument(collection, id)
      const memberships = await findMemberships(ctx.db, grant, [before])
      requireAllowed(grant, 'update', before, memberships)
      requireVersion(grant, before, guard, memberships)
      // Files that the new fields no longer mention are deleted too, which needs a transaction.
      if (mentionsFiles(before.data.text)) return 'has files'
      return changeAsRead(ctx, grant, before, { edit, isWhole, memberships })
    })
    if (written === 'has files') break
    if (written) return written
  }
  const [written] = await workLong(ctx, (ctx) =>
    changeDocuments(ctx, name, new Map([[id, edit]]), { guard, adopt, isWhole }),
  )
  if (!written) throw new Error('A change of one document returned none.')
  return written
}

/** Returns undefined if the document has changed since it was read. */
async function changeAsRead(
  ctx: Context,
  grant: Grant,
  before: StoredDocument,
  { edit, isWhole, memberships }: { edit: Edit; isWhole: boolean; memberships: Memberships },
): Promise<StoredDocument | undefined> {
  const { id, version } = before
  const { collection } = grant
  const { checked, links, change } = openChanges(grant, 1, isWhole)
  const rules = listUniqueRules(collection)
  const fieldsAfter = () => change(before, edit, memberships)
  const [serialized] = await checkAndSerialize(checked, [before], fieldsAfter, rules, () => edit)
  if (!serialized) return undefined
  const [linked = []] = await links.resolve(ctx)
  const { claims = [], ...text } = serialized.text
  const values = rules.length > 0 ? compareClaims(id, listClaims(rules, parseFields(before)), claims) : undefined
  const data: NewData = { id, ...text, links: linked }
  const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
  const write = () => publishRecorded(ctx, () => updateDocument(ctx.db, here, data, version, values))
  const { documents } = await refusingDuplicates(collection, values?.claimed ?? [], () => [], write)
  // The document or a linked record has changed.
  if (documents.length === 0) await links.require(ctx)
  const [shown] = await shownTo(ctx, grant, documents)
  return shown
}

export async function removeOneDocument(ctx: Context, name: string, id: string, guard: VersionGuard): Promise<void> {
  const grant = await requireGrant(ctx, name, 'delete')
  if (!ctx.pending && isId(id)) {
    const here = place(ctx, grant.collection, ctx.backend.now(ctx.project.id))
    const part = partFor(grant, 'delete')
    const { isDeleted } = await publishRecorded(ctx, () => deleteDocument(ctx.db, here, id, guard, part))
    if (isDeleted) return
  }
  // Takes the long way if the document has files, or to report why it was not removed.
  await removeGuarded(ctx, name, [id], { guard, skipsMissing: false })
}
