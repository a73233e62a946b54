import { aggregateDocuments, countDocuments, groupDocuments } from '../../core/documents/door.js'
import { aggregateQuery, groupQuery, matchQuery } from '../request/read-list.js'
import { route } from '../route.js'

/** Contract 13.7. */
export const aggregateRoutes = [
  route({
    id: 'documents.count',
    summary: 'Count the documents that match a filter.',
    method: 'get',
    paths: {
      any: ['/collections/:collection/query/documents/count', '/api/collections/:collection/query/documents/count'],
    },
    needs: 'caller',
    scope: 'in collection',
    query: matchQuery,
    reply: 'matchCount',
    handle: (ctx, { params, query }) => countDocuments(ctx, params.collection, query),
  }),
  route({
    id: 'documents.aggregate',
    summary: 'Compute the count, sum, average, minimum or maximum of a field.',
    method: 'get',
    paths: {
      any: [
        '/collections/:collection/query/documents/aggregate',
        '/api/collections/:collection/query/documents/aggregate',
      ],
    },
    needs: 'caller',
    scope: 'in collection',
    query: aggregateQuery,
    reply: 'aggregate',
    handle: (ctx, { params, query }) => aggregateDocuments(ctx, params.collection, query),
  }),
  route({
    id: 'documents.groupBy',
    summary: 'Count the documents of each value of a field, the most frequent value first.',
    method: 'get',
    paths: {
      any: [
        '/collections/:collection/query/documents/group-by',
        '/api/collections/:collection/query/documents/group-by',
      ],
    },
    needs: 'caller',
    scope: 'in collection',
    query: groupQuery,
    reply: 'groups',
    handle: (ctx, { params, query }) => groupDocuments(ctx, params.collection, query),
  }),
]
