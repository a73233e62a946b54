/**
 * Changes documents. A single change is one statement that applies only if the document is as it was read: on the embedded
 * database, a transaction would hold the only connection from its first statement to the commit. All other changes lock
 * their documents in a transaction.
 */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { type DocumentUpdate, isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import { lockDocuments, selectDocumentVersion, updateDocumentData } from '../../store/documents.js'
import { updateDocument } from '../../store/single-documents.js'
import type { Grant } from '../access/grant.js'
import { findMemberships, memberFields } from '../access/memberships.js'
import { requireGrant } from '../collections/collections.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { mentionsFiles, orphanForgotten } from '../files/owned-files.js'
import { changeUniqueValues, refusingDuplicates, withCurrentRules } from '../unique-values.js'
import { inTransaction } from '../unit-of-work.js'
import { bytesInAnswer, requireAnswerable } from './check-and-serialize.js'
import { type Edit, mergeEdit } from './edit.js'
import { lockTargets } from './lock-targets.js'
import { planChanges, requireWritable, type VersionGuard } from './plan-write.js'
import { withDocument } from './read-document.js'
import { place, publishRecorded, shownTo } from './writing.js'

interface ChangeOptions {
  /** Default: `any`. */
  readonly guard?: VersionGuard
  /** Assigns files to the documents, in the transaction that writes these. */
  readonly adopt?: ((ctx: Context, collection: StoredCollection) => Promise<unknown>) | undefined
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
  const before = isId(id) ? await selectDocumentVersion(ctx.db, grant.collection, id, memberFields(grant)) : undefined
  const memberships = await findMemberships(ctx.db, grant, before ? [{ id, ...before }] : [])
  requireWritable(grant, 'update', { id, before }, { guard, memberships })
}

/** Changes some fields of several documents: all of them or none. */
export async function updateDocuments(
  ctx: Context,
  name: string,
  updates: ReadonlyMap<string, DocumentUpdate>,
): Promise<StoredDocument[]> {
  const edits = [...updates].map(([id, changes]) => [id, mergeEdit(changes)] as const)
  return workLong(ctx, (ctx) => changeLocked(ctx, name, new Map(edits), {}, ctx.leniency?.skipsMissing))
}

/** Computes the new fields of a document from the old ones, and writes them. */
export async function changeDocument(
  ctx: Context,
  name: string,
  id: string,
  edit: Edit,
  options: ChangeOptions,
): Promise<StoredDocument> {
  const grant = await requireGrant(ctx, name, 'update')
  const attempts = ctx.pending || options.adopt ? 0 : maxAttempts
  for (let attempt = 0; attempt < attempts; attempt++) {
    const written = await changeAsRead(ctx, grant, { id, edit }, options)
    if (written === 'has files') break
    if (written) return written
  }
  const [written] = await workLong(ctx, (ctx) => changeLocked(ctx, name, new Map([[id, edit]]), options))
  if (!written) throw new Error('A change of one document returned none.')
  return written
}

/** Returns undefined if the document has changed since it was read. */
function changeAsRead(
  ctx: Context,
  grant: Grant,
  { id, edit }: { readonly id: string; readonly edit: Edit },
  { guard = 'any', isWhole }: ChangeOptions,
): Promise<StoredDocument | 'has files' | undefined> {
  const { collection } = grant
  return withDocument(ctx, collection, id, async (before, ctx) => {
    // Files that the new fields no longer mention are deleted too, which needs a transaction.
    if (before && mentionsFiles(before.data.text)) return 'has files'
    const memberships = await findMemberships(ctx.db, grant, before ? [before] : [])
    const { rows, links, values } = await planChanges(grant, [{ id, before, edit }], { guard, isWhole, memberships })
    const [row] = rows
    if (!row) return undefined
    const [linked] = await links.resolve(ctx)
    const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
    const data = { id, json: row.json, links: linked }
    const write = () => publishRecorded(ctx, () => updateDocument(ctx.db, here, data, row.before.version, values))
    const { documents } = await refusingDuplicates(collection, values.claimed, () => [], write)
    // The document or a linked record has changed.
    if (documents.length === 0) await links.require(ctx)
    const [shown] = await shownTo(ctx, grant, documents)
    return shown
  })
}

/** Locks documents, and changes them. Returns them in the order of the request. */
function changeLocked(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, Edit>,
  options: ChangeOptions,
  skipsMissing = false,
): Promise<StoredDocument[]> {
  return withCurrentRules(ctx, () => changeAsKnown(ctx, name, edits, { ...options, skipsMissing }))
}

async function changeAsKnown(
  ctx: Context,
  name: string,
  edits: ReadonlyMap<string, Edit>,
  { guard = 'any', adopt, isWhole, skipsMissing }: ChangeOptions & { readonly skipsMissing: boolean },
): Promise<StoredDocument[]> {
  const grant = await requireGrant(ctx, name, 'update')
  const { collection } = grant
  let hasForgotten = false
  const documents = await inTransaction(ctx, async (ctx) => {
    const asked = [...edits].map(([id, edit]) => ({ id, edit }))
    const { targets, memberships } = await lockTargets(ctx, grant, { asked, skipsMissing }, (ids) =>
      lockDocuments(ctx.db, collection, ids),
    )
    const { rows, links, values } = await planChanges(grant, targets, { guard, isWhole, memberships })
    await links.require(ctx)
    if (rows.length === 0) return []
    await changeUniqueValues(ctx, collection, rows, values)
    const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
    const { documents: written } = await publishRecorded(ctx, () => updateDocumentData(ctx.db, here, rows))
    // Counts the JSON as the database writes it, with spaces.
    requireAnswerable(written.reduce((sum, document) => sum + bytesInAnswer(document.data.text), 0))
    await adopt?.(ctx, collection)
    hasForgotten = await orphanForgotten(
      ctx,
      rows.map(({ id, before, json }) => ({ id, before: before.data.text, after: json })),
    )
    const byId = new Map(written.map((document) => [document.id, document]))
    return rows.flatMap(({ id }) => byId.get(id) ?? [])
  })
  if (hasForgotten) ctx.backend.sweepFilesSoon()
  return shownTo(ctx, grant, documents)
}
