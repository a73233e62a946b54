import { z } from 'zod'
import {
  changeCollection,
  createCollection,
  getCollection,
  listCollections,
  removeCollection,
} from '../../core/collections/collections.js'
import { strictBody } from '../request/body-forms.js'
import { collectionSettings as settings } from '../request/collection-settings.js'
import { route } from '../route.js'

const noWebhook = z.null().optional().describe('Always null, because no webhooks are called.')

/** Spec, "Endpoints / Collections". */
export const collectionRoutes = [
  route({
    id: 'collections.create',
    summary: 'Create a collection.',
    method: 'post',
    paths: { any: ['/collections', '/api/collections'] },
    needs: 'caller',
    scope: 'in collection',
    body: strictBody(z.strictObject({ name: z.string(), webhook_url: noWebhook, ...settings })),
    isCreating: true,
    status: 201,
    reply: 'collection',
    handle: (ctx, { body: { webhook_url: _, ...body } }) => createCollection(ctx, body),
  }),
  route({
    id: 'collections.list',
    summary: 'List all collections, oldest first.',
    method: 'get',
    paths: { any: ['/collections', '/api/collections'] },
    needs: 'caller',
    scope: 'in collection',
    reply: 'collections',
    handle: (ctx) => listCollections(ctx),
  }),
  route({
    id: 'collections.get',
    summary: 'Get a collection with its exact number of documents.',
    method: 'get',
    paths: { any: ['/api/collections/:collection'], nested: ['/collections/:collection'] },
    needs: 'caller',
    scope: 'in collection',
    reply: 'countedCollection',
    handle: (ctx, { params }) => getCollection(ctx, params.collection),
  }),
  route({
    id: 'collections.update',
    summary: 'Rename a collection or change its settings. Stored documents stay as they are.',
    method: 'patch',
    paths: { any: ['/collections/:collection', '/api/collections/:collection'] },
    needs: 'caller',
    scope: 'in collection',
    body: strictBody(z.strictObject({ name: z.string().optional(), webhook_url: noWebhook, ...settings })),
    reply: 'collection',
    handle: (ctx, { params, body: { webhook_url: _, ...body } }) => changeCollection(ctx, params.collection, body),
  }),
  route({
    id: 'collections.remove',
    summary: 'Delete a collection and all its documents.',
    method: 'delete',
    paths: { any: ['/collections/:collection', '/api/collections/:collection'] },
    needs: 'caller',
    scope: 'in collection',
    reply: 'removedCollection',
    handle: (ctx, { params }) => removeCollection(ctx, params.collection),
  }),
]
