import type { OutgoingDocument } from '../../../client/protocol/model/document.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import type { PutMeaning } from '../../../client/protocol/wire/put/decode.js'
import { requireCreateGrant } from '../../core/collections/collections.js'
import type { Context } from '../../core/context.js'
import {
  createDocument,
  type DocumentWrite,
  getDocument,
  listDocuments,
  removeDocument,
  replaceDocument,
  updateDocument,
} from '../../core/documents/documents.js'
import { requireChangeable } from '../../core/documents/single-writes.js'
import { documentChanges, newDocument } from '../request/body-forms.js'
import { documentForm } from '../request/file-forms.js'
import { placesInDocument } from '../request/issue-places.js'
import { listQuery, recordQuery, textQuery } from '../request/read-list.js'
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

/** Spec, "Endpoints / Documents". */
export const documentRoutes = [
  route({
    id: 'documents.create',
    summary: 'Create a document.',
    method: 'post',
    paths: { any: all },
    needs: 'caller',
    scope: 'in collection',
    body: newDocument,
    form: documentForm,
    beforeFiles: (ctx, { params }) => requireCreateGrant(ctx, params.collection),
    isCreating: true,
    status: 201,
    reply: 'document',
    handle: (ctx, { params, body, uploads }) => createDocument(ctx, params.collection, body, uploads),
  }),
  route({
    id: 'documents.createIn',
    summary: 'Create a document in the collection that the query names.',
    method: 'post',
    paths: { any: ['/collections/documents', '/api/collections/documents'] },
    sharesPaths: true,
    needs: 'caller',
    scope: 'in collection',
    query: textQuery('collection', 'Name or id of the collection.'),
    body: newDocument,
    form: documentForm,
    beforeFiles: (ctx, { query }) => requireCreateGrant(ctx, query),
    isCreating: true,
    status: 201,
    reply: 'document',
    handle: (ctx, { query, body, uploads }) => createDocument(ctx, query, body, uploads),
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
    handle: (ctx, { params, body, guard, uploads }) =>
      updateDocument(ctx, params.collection, params.id, body, { guard, uploads }),
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
