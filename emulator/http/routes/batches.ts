import { createDocuments, removeDocuments, updateDocuments } from '../../core/documents/door.js'
import { documentIds, documentUpdates, newDocuments } from '../request/body-forms.js'
import { withoutParameter } from '../request/read-list.js'
import { route } from '../route.js'

/** Contract 13.8. */
const query = withoutParameter('upsert', '"upsert" takes one document. Send the documents of a batch one by one.')

/** Spec, "Endpoints / Documents", the batches: each applies to all of its documents or to none. */
export const batchRoutes = [
  route({
    id: 'batches.create',
    summary: 'Create several documents, all of them or none.',
    method: 'post',
    paths: {
      any: [
        '/collections/:collection/batch',
        '/collections/:collection/batch/documents',
        '/collections/:collection/batch/documents/create',
        '/api/collections/:collection/batch',
        '/api/collections/:collection/batch/documents',
        '/api/collections/:collection/batch/documents/create',
      ],
    },
    needs: 'caller',
    scope: 'in collection',
    query,
    body: newDocuments,
    isCreating: true,
    status: 201,
    reply: 'documents',
    handle: (ctx, { params, body }) => createDocuments(ctx, params.collection, body),
  }),
  ...(['post', 'patch'] as const).map((method) =>
    route({
      id: method === 'post' ? 'batches.update' : 'batches.patch',
      summary: 'Change fields of several documents, all of them or none.',
      method,
      paths: {
        any: ['/collections/:collection/batch/documents/update', '/api/collections/:collection/batch/documents/update'],
      },
      needs: 'caller',
      scope: 'in collection',
      query,
      body: documentUpdates,
      reply: 'updatedDocuments',
      handle: (ctx, { params, body }) => updateDocuments(ctx, params.collection, body),
    }),
  ),
  route({
    id: 'batches.remove',
    summary: 'Delete several documents, all of them or none.',
    method: 'post',
    paths: {
      any: [
        '/collections/:collection/batch-delete',
        '/collections/:collection/batch/documents/delete',
        '/api/collections/:collection/batch-delete',
        '/api/collections/:collection/batch/documents/delete',
      ],
    },
    needs: 'caller',
    scope: 'in collection',
    query,
    body: documentIds,
    reply: 'allRemoved',
    handle: (ctx, { params, body }) => removeDocuments(ctx, params.collection, body),
  }),
  route({
    id: 'batches.delete',
    summary: 'Delete several documents, all of them or none.',
    method: 'delete',
    paths: { any: ['/collections/:collection/batch/documents/delete'] },
    needs: 'caller',
    scope: 'in collection',
    query,
    body: documentIds,
    reply: 'allRemoved',
    handle: (ctx, { params, body }) => removeDocuments(ctx, params.collection, body),
  }),
]
