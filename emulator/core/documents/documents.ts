import type { Collection } from '../../../client/protocol/model/collection.js'
import type {
  DocumentUpdate,
  Fields,
  OutgoingDocument,
  StoredDocument,
} from '../../../client/protocol/model/document.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { type ListQuery, type Page, type RecordQuery, wholeRecord } from '../../../client/protocol/model/page.js'
import { markSort } from '../../../client/protocol/model/times.js'
import { selectPage } from '../../store/lists/documents.js'
import { requireSelectable, visibleTo, withoutFields } from '../access/closed-fields.js'
import { allows, type Grant } from '../access/grant.js'
import { findMemberships } from '../access/memberships.js'
import { noSuchDocument } from '../access/missing.js'
import { requireGrant } from '../collections/collections.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'
import { noUploads, type Uploads, withUploads } from '../files/uploads.js'
import { inTransaction } from '../unit-of-work.js'
import { changeDocument } from './change-documents.js'
import { createDocuments } from './create-documents.js'
import { type Edit, mergeEdit } from './edit.js'
import { openListing } from './listing.js'
import type { VersionGuard } from './plan-write.js'
import { populate } from './populate.js'
import { withDocument } from './read-document.js'
import { requireLight } from './weight.js'

/** Reads the page and its total at the same moment. Spec, "List query parameters". */
export async function listDocuments(ctx: Context, name: string, query: ListQuery): Promise<Page<OutgoingDocument>> {
  const sortPaths = query.sort.map(({ path }) => path)
  const { grant, target, query: listed } = await openListing(ctx, name, query, sortPaths)
  requireSelectable(grant, query.select)
  const { itemSizes } = ctx.backend
  const sorted = { ...listed, sort: markSort(listed.sort, grant.collection.schema) }
  async function read() {
    const page = await selectPage(ctx.db, target, sorted)
    itemSizes.learn(
      grant.collection.id,
      page.items.map(({ data }) => data.text),
    )
    const items = await visibleTo(grant, page.items)
    const { length } = page.items
    const learn = (bytes: number) => itemSizes.learnPopulated(grant.collection.id, length, bytes)
    return { ...page, items: await populate(ctx, items, query, learn) }
  }
  return workLong(ctx, read, itemSizes.expect(grant.collection.id, query))
}

/** @throws {SvcError} `NOT_FOUND` */
export async function getDocument(
  ctx: Context,
  name: string,
  id: string,
  query: RecordQuery = wholeRecord,
): Promise<OutgoingDocument> {
  const grant = await requireGrant(ctx, name, 'read')
  requireSelectable(grant, query.select)
  const { collection } = grant
  const maxBytes = query.populate.length > 0 ? sizes.maxAnswerBytes : sizes.maxDocumentBytes
  async function read(document: StoredDocument | undefined, ctx: Context) {
    if (!document || !(await mayRead(ctx, grant, document))) throw noSuchDocument(collection, id)
    const visible = withoutFields(document, grant.hidden)
    if (query.populate.length === 0 && query.select.length === 0) return visible
    const [populated = visible] = await workLong(ctx, () => populate(ctx, [visible], query))
    return populated
  }
  return withDocument(ctx, collection, id, read, maxBytes)
}

async function mayRead({ db }: Context, grant: Grant, document: StoredDocument): Promise<boolean> {
  return allows(grant, 'read', document, await findMemberships(db, grant, [document]))
}

/** Creates a document from its fields, the files that came with them, and the schema's defaults. */
export async function createDocument(
  ctx: Context,
  name: string,
  fields: Fields,
  uploads: Uploads = noUploads,
): Promise<OutgoingDocument> {
  if (uploads.files.length === 0) return only(await createDocuments(ctx, name, [fields]))
  const whole = withUploads(ctx.backend, fields, uploads)
  requireLight(whole)
  return inTransaction(ctx, async (ctx) => {
    const document = only(await createDocuments(ctx, name, [whole]))
    await uploads.adopt(ctx, { document: document.id, collection: document.collectionId })
    return document
  })
}

/** Options for writing one document: the versions it may have, and the files sent with the request. */
export interface DocumentWrite {
  readonly guard?: VersionGuard
  readonly uploads?: Uploads
}

/** Changes some fields of a document and keeps the others. */
export async function updateDocument(
  ctx: Context,
  name: string,
  id: string,
  changes: DocumentUpdate,
  { guard = 'any', uploads = noUploads }: DocumentWrite = {},
): Promise<OutgoingDocument> {
  const fields = withUploads(ctx.backend, changes.fields, uploads)
  const edit = mergeEdit({ ...changes, fields })
  return changeDocument(ctx, name, id, edit, { guard, adopt: adoptFor(id, uploads) })
}

/** Replaces all fields of a document. Required fields that are left out get their defaults. */
export async function replaceDocument(
  ctx: Context,
  name: string,
  id: string,
  fields: Fields,
  { guard = 'any', uploads = noUploads }: DocumentWrite = {},
): Promise<OutgoingDocument> {
  const whole = withUploads(ctx.backend, fields, uploads)
  const edit: Edit = { applyTo: () => whole, sent: () => whole }
  return changeDocument(ctx, name, id, edit, { guard, adopt: adoptFor(id, uploads), isWhole: true })
}

function adoptFor(document: string, uploads: Uploads) {
  if (uploads.files.length === 0) return undefined
  return (ctx: Context, { id }: Collection) => uploads.adopt(ctx, { document, collection: id })
}

function only<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('A write of one document returned none.')
  return item
}
