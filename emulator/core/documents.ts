import type { Changes, Fields, OutgoingDocument } from '../../client/model/document.js'
import { mergeFields } from '../../client/model/document.js'
import type { ListQuery, Page } from '../../client/model/page.js'
import type { Path } from '../../client/model/path.js'
import { selectDocument } from '../store/documents.js'
import { selectPage } from '../store/lists.js'
import { changeDocuments, createDocuments, removeDocuments, type VersionGuard } from './batches.js'
import { noSuchDocument, requireOpenCollection } from './collections.js'
import type { Context } from './context.js'
import { isId } from './ids.js'
import { rolesOf } from './permissions.js'
import { populate } from './populate.js'

/** Spec, "List query parameters". Page and total come from the same moment. */
export async function listDocuments(ctx: Context, name: string, query: ListQuery): Promise<Page<OutgoingDocument>> {
  const collection = await requireOpenCollection(ctx, name, 'read')
  const { caller, project, backend } = ctx
  const reach = { mayReadAll: caller.secret, roles: rolesOf(caller) }
  const place = { project: project.id, collection, ...reach, indexes: backend.indexes }
  const page = await selectPage(ctx.db, place, query)
  return { ...page, items: await populate(ctx, page.items, query.populate) }
}

/** @throws {SvcError} `NOT_FOUND` */
export async function getDocument(
  ctx: Context,
  name: string,
  id: string,
  paths: readonly Path[] = [],
): Promise<OutgoingDocument> {
  const collection = await requireOpenCollection(ctx, name, 'read')
  const document = isId(id) ? await selectDocument(ctx.db, collection, id) : undefined
  if (!document) throw noSuchDocument(collection, id)
  if (paths.length === 0) return document
  const [populated = document] = await populate(ctx, [document], paths)
  return populated
}

/** Creates a document from its fields and the schema's defaults. */
export async function createDocument(ctx: Context, name: string, fields: Fields): Promise<OutgoingDocument> {
  return only(await createDocuments(ctx, name, [fields]))
}

/** Changes some fields of a document and keeps the others. */
export async function updateDocument(
  ctx: Context,
  name: string,
  id: string,
  changes: Changes,
  guard: VersionGuard = 'any',
): Promise<OutgoingDocument> {
  return only(await changeDocuments(ctx, name, new Map([[id, (before) => mergeFields(before, changes)]]), guard))
}

/** Puts other fields in the place of all of a document's. */
export async function replaceDocument(
  ctx: Context,
  name: string,
  id: string,
  fields: Fields,
  guard: VersionGuard = 'any',
): Promise<OutgoingDocument> {
  return only(await changeDocuments(ctx, name, new Map([[id, () => fields]]), guard))
}

export async function removeDocument(
  ctx: Context,
  name: string,
  id: string,
  guard: VersionGuard = 'any',
): Promise<{ id: string }> {
  await removeDocuments(ctx, name, [id], guard)
  return { id }
}

function only<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('A write of one document answered none.')
  return item
}
