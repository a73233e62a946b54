import type { Fields, OutgoingDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { PutMeaning } from '../../../client/protocol/wire/put/decode.js'
import { badParameter } from '../../../client/protocol/wire/query/decode.js'
import { requireCreateGrant } from '../../core/collections/collections.js'
import type { Context } from '../../core/context.js'
import {
  createDocument,
  type DocumentWrite,
  getDocument,
  listDocuments,
  removeDocument,
  replaceDocument,
  requireChangeable,
  type SavedDocument,
  updateDocument,
  upsertDocument,
} from '../../core/documents/door.js'
import type { Uploads } from '../../core/files/uploads.js'
import { documentChanges, newDocument } from '../request/body-forms.js'
import { documentForm } from '../request/file-forms.js'
import { placesInDocument } from '../request/issue-places.js'
import { listQuery, namedQuery, recordQuery } from '../request/read-list.js'
import { type BodyForm, route } from '../route.js'

const all = [
  '/collections/:collection',
  '/collections/:collection/documents',
  '/api/collections/:collection',
  '/api/collections/:collection/documents',
] as const

const one = [
  '/collections/:collection/:id',
  '/collections/:collection/documents/:id',
  '/api/collections/:collection/:id',
  '/api/collections/:collection/documents/:id',
] as const

const upsertWords =
  'Unique field. Updates the document that has the value of the body in it (200), otherwise creates one (201).'

/** Refuses a form, because files are stored before their document is known. Contract 13.8. */
function requireNoUpsert(upsert: string | undefined): void {
  if (upsert === undefined) return
  const message = '"upsert" takes JSON. Send files in an update of the document.'
  throw new SvcError('INVALID_QUERY', message, [{ in: 'query', path: ['upsert'], message, type: 'form' }])
}

/** @throws {SvcError} `INVALID_BODY` for nothing to write, in dialects that refuse it */
function requireSomething({ refusals }: Dialect, written: readonly object[], { files }: Uploads): void {
  const isEmpty = files.length === 0 && written.every((part) => Object.keys(part).length === 0)
  if (isEmpty && axes.refusals[refusals].refusesEmpty) throw new SvcError('INVALID_BODY', 'There is nothing to write.')
}

/** @throws {SvcError} `VALIDATION_ERROR` */
function requireNamed(collection: string | undefined): string {
  if (collection !== undefined) return collection
  throw badParameter('collection', 'Name the collection with "collection".', 'VALIDATION_ERROR')
}

interface Save {
  readonly dialect: Dialect
  readonly upsert: string | undefined
  readonly fields: Fields
  readonly uploads: Uploads
}

async function saveDocument(
  ctx: Context,
  collection: string,
  { dialect, upsert, fields, uploads }: Save,
): Promise<SavedDocument> {
  requireSomething(dialect, [fields], uploads)
  if (upsert !== undefined) return upsertDocument(ctx, collection, upsert, fields)
  return { document: await createDocument(ctx, collection, fields, uploads), isCreated: true }
}

/** The write that a PUT means in its dialect. */
type Put = (ctx: Context, collection: string, id: string, options: DocumentWrite) => Promise<OutgoingDocument>

const puts: { readonly [Meaning in PutMeaning]: BodyForm<Put> } = {
  replace: {
    schema: newDocument.schema,
    read(dialect, body) {
      const fields = newDocument.read(dialect, body)
      return (ctx, collection, id, options) => replaceDocument(ctx, collection, id, fields, options)
    },
  },
  update: {
    schema: documentChanges.schema,
    read(dialect, body) {
      const changes = documentChanges.read(dialect, body)
      return (ctx, collection, id, options) => updateDocument(ctx, collection, id, changes, options)
    },
  },
}

const put: BodyForm<Put> = {
  schema: (dialect) => puts[axes.put[dialect.put].means].schema(dialect),
  read: (dialect, body) => puts[axes.put[dialect.put].means].read(dialect, body),
  places: placesInDocument,
}

export const createDocumentRoute = route({
  id: 'documents.create',
  summary: 'Create a document.',
  method: 'post',
  paths: { any: all },
  needs: 'caller',
  scope: 'in collection',
  query: namedQuery({ upsert: upsertWords }),
  body: newDocument,
  form: documentForm,
  async beforeFiles(ctx, { params, query }) {
    requireNoUpsert(query.upsert)
    await requireCreateGrant(ctx, params.collection)
  },
  isCreating: true,
  status: 201,
  reply: 'savedDocument',
  handle: (ctx, { params, query: { upsert }, body: fields, uploads, dialect }) =>
    saveDocument(ctx, params.collection, { dialect, upsert, fields, uploads }),
})

/** Spec, "Endpoints / Documents". */
export const documentRoutes = [
  createDocumentRoute,
  route({
    id: 'documents.createIn',
    summary: 'Create a document in the collection that the query names.',
    method: 'post',
    paths: { any: ['/collections/documents', '/api/collections/documents'] },
    sharesPaths: true,
    needs: 'caller',
    scope: 'in collection',
    query: namedQuery({ collection: 'Name or id of the collection.', upsert: upsertWords }),
    body: newDocument,
    form: documentForm,
    async beforeFiles(ctx, { query: { collection, upsert } }) {
      requireNoUpsert(upsert)
      await requireCreateGrant(ctx, requireNamed(collection))
    },
    isCreating: true,
    status: 201,
    reply: 'savedDocument',
    handle: (ctx, { query: { collection, upsert }, body: fields, uploads, dialect }) =>
      saveDocument(ctx, requireNamed(collection), { dialect, upsert, fields, uploads }),
  }),
  route({
    id: 'documents.list',
    summary: 'List documents, filtered, sorted and paged.',
    method: 'get',
    paths: {
      any: ['/collections/:collection/documents', '/api/collections/:collection/documents'],
      flat: ['/collections/:collection'],
    },
    needs: 'caller',
    scope: 'in collection',
    query: listQuery,
    reply: 'page',
    handle: (ctx, { params, query }) => listDocuments(ctx, params.collection, query),
  }),
  route({
    id: 'documents.get',
    summary: 'Get a document.',
    method: 'get',
    paths: { any: one },
    needs: 'caller',
    scope: 'in collection',
    query: recordQuery,
    reply: 'document',
    handle: (ctx, { params, query }) => getDocument(ctx, params.collection, params.id, query),
  }),
  route({
    id: 'documents.update',
    summary: 'Change some fields of a document and keep the others.',
    method: 'patch',
    paths: { any: one },
    needs: 'caller',
    scope: 'in collection',
    body: documentChanges,
    form: documentForm,
    beforeFiles: (ctx, { params, guard }) => requireChangeable(ctx, params.collection, params.id, guard),
    isGuarded: true,
    reply: 'document',
    handle(ctx, { params, body, guard, uploads, dialect }) {
      const { fields, append, remove, unset } = body
      requireSomething(dialect, [fields, append, remove, unset], uploads)
      return updateDocument(ctx, params.collection, params.id, body, { guard, uploads })
    },
  }),
  route({
    id: 'documents.put',
    summary: 'Replace a document, or merge into it, as the dialect says.',
    method: 'put',
    paths: { any: one },
    needs: 'caller',
    scope: 'in collection',
    body: put,
    form: documentForm,
    beforeFiles: (ctx, { params, guard }) => requireChangeable(ctx, params.collection, params.id, guard),
    isGuarded: true,
    reply: 'document',
    handle: (ctx, { params, body: write, guard, uploads }) =>
      write(ctx, params.collection, params.id, { guard, uploads }),
  }),
  route({
    id: 'documents.remove',
    summary: 'Delete a document.',
    method: 'delete',
    paths: { any: one },
    needs: 'caller',
    scope: 'in collection',
    isGuarded: true,
    reply: 'removedDocument',
    handle: (ctx, { params, guard }) => removeDocument(ctx, params.collection, params.id, guard),
  }),
]
