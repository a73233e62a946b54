/** Documents: shapes, bodies, writes and their effect, batches, operators, and failures. */
import type { Json } from '../../../client/protocol/model/json.js'
import { type Look, type ParityCase, type Step, sharedFields } from '../case.js'

const at = '/collections/{fresh}/documents'
const one = `${at}/{id}`
const missing = `${at}/01999999-9999-7999-8999-999999999999`
const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
/** Every service has this route. */
const creating = '/collections/documents?collection={fresh}'
const create = (body: Json, more: Partial<Step> = {}): Step => ({
  ...{ method: 'POST', path: creating, body, bind: 'id' },
  ...more,
})
const read: Step = { method: 'GET', path: one }
const sample = { n: 1, title: 'Tea' }

interface More {
  readonly compare?: readonly Look[]
  readonly change?: string
  readonly needs?: ParityCase['needs']
}

/** A case on a new collection with one document. */
function onDocument(id: string, steps: readonly Step[], { compare = ['outcome'], ...more }: More = {}): ParityCase {
  return { ...onCollection(id, [create(sample), ...steps], { compare, ...more }) }
}

function onCollection(
  id: string,
  steps: readonly Step[],
  { compare = ['outcome'], needs = [], ...more }: More = {},
): ParityCase {
  const [axis = ''] = id.split('.')
  return { id, axis, needs: ['collections', ...needs], steps: [setUp, ...steps], compare, ...more }
}

const useBareFields = 'Send the fields of a document without "data" around them.'
const ofDocument = { compare: ['document'], change: sharedFields } as const
const readBack = { compare: ['fields'] } as const

/** Routes that create a document. */
const createRoutes: readonly (readonly [id: string, path: string])[] = [
  ['create-below-documents', at],
  ['create-at-the-collection', '/collections/{fresh}'],
  ['create-with-the-collection-as-parameter', creating],
  ['create-below-api', `/api${at}`],
]

/** Routes of one document. */
const documentRoutes: readonly (readonly [id: string, step: Step])[] = [
  ['get-below-the-collection', { method: 'GET', path: '/collections/{fresh}/{id}' }],
  ['update-below-the-collection', { method: 'PATCH', path: '/collections/{fresh}/{id}', body: { title: 'Milk' } }],
  ['delete-below-the-collection', { method: 'DELETE', path: '/collections/{fresh}/{id}' }],
  ['get-below-documents', read],
  ['put', { method: 'PUT', path: one, body: { title: 'Milk' } }],
]

const batchRoutes: readonly (readonly [id: string, path: string, body: Json])[] = [
  ['batch', '/collections/{fresh}/batch', { documents: [{ n: 2 }] }],
  ['batch-documents', '/collections/{fresh}/batch/documents', { documents: [{ n: 2 }] }],
  ['batch-create', '/collections/{fresh}/batch/documents/create', { documents: [{ n: 2 }] }],
  ['batch-update', '/collections/{fresh}/batch/documents/update', { updates: { '{id}': { data: { n: 3 } } } }],
  ['batch-delete', '/collections/{fresh}/batch/documents/delete', { document_ids: ['{id}'] }],
  ['batch-delete-short', '/collections/{fresh}/batch-delete', { document_ids: ['{id}'] }],
]

/** Bodies whose fields are read back. `axis` is the part before the dot. */
const operators: readonly (readonly [id: string, body: Json])[] = [
  ['append-beside-data', { $append: { tags: ['b'] } }],
  ['append-inside-data', { data: { $append: { tags: ['b'] } } }],
  ['append-what-is-there', { $append: { tags: ['a'] } }],
  ['remove', { $remove: { tags: 'a' } }],
  ['unset', { $unset: ['title'] }],
]

const values: readonly (readonly [id: string, value: Json])[] = [
  ['nested-object', { b: { c: 1 } }],
  ['array', [1, 'two', null, { three: 3 }]],
  ['null', null],
  ['large-number', 9007199254740991],
  ['fraction', 0.1],
  ['emoji', 'Tea 🍵 \u00e9'],
  ['empty-text', ''],
  ['long-text', 'x'.repeat(2_000)],
]

const batchDocuments = { documents: [{ n: 1 }, { n: 2 }, { n: 3 }] }
const unknownId = '01999999-9999-7999-8999-999999999999'

export const documentCases: readonly ParityCase[] = [
  onCollection('document.created', [create(sample)], ofDocument),
  onDocument('document.read', [read], ofDocument),
  onDocument('document.updated', [{ method: 'PATCH', path: one, body: { title: 'Milk' } }], ofDocument),
  onCollection('document.collection', [], ofDocument),
  onDocument('record.created', [read], { compare: ['record'] }),
  onDocument('record.updated', [{ method: 'PATCH', path: one, body: { title: 'Milk' } }], { compare: ['record'] }),
  { id: 'record.collection', axis: 'record', needs: ['collections'], steps: [setUp], compare: ['record'] },

  onCollection(
    'body.create-with-data',
    [create({ data: { n: 1, title: 'Wrapped' } }), { method: 'GET', path: `${at}?title=Wrapped` }],
    { compare: ['count'], change: useBareFields },
  ),
  onDocument(
    'body.update-with-data',
    [
      { method: 'PATCH', path: one, body: { data: { title: 'Wrapped' } } },
      { method: 'GET', path: `${at}?title=Wrapped` },
    ],
    { compare: ['count'], change: useBareFields },
  ),
  onCollection('bodies.data-beside-others', [create({ data: { n: 1 }, title: 'x' }), read], {
    compare: ['outcome'],
    change: useBareFields,
  }),
  onCollection('bodies.empty', [create({})], { change: 'Send at least one field.' }),
  onDocument('bodies.update-with-nothing', [{ method: 'PATCH', path: one, body: {} }], {
    change: 'Send at least one field.',
  }),
  onCollection('bodies.list', [create([])]),
  onCollection('bodies.text', [create('tea')]),

  ...createRoutes.map(([id, path]) =>
    onCollection(`routes.${id}`, [create(sample, { path }), { method: 'GET', path: `${at}?n=1` }], {
      compare: ['count'],
      change: 'Create documents with POST /collections/documents?collection=<c>.',
    }),
  ),
  ...documentRoutes.map(([id, step]) =>
    onDocument(`routes.${id}`, [step], { change: 'Use the path below /collections/<c>/documents, and PATCH.' }),
  ),
  ...batchRoutes.map(([id, path, body]) =>
    onDocument(`routes.${id}`, [{ method: 'POST', path, body }], {
      change: 'Use the routes below /collections/<c>/batch/documents.',
    }),
  ),

  onDocument('put.other-fields', [{ method: 'PUT', path: one, body: { n: 1, views: 9 } }, read], {
    ...readBack,
    needs: ['put'],
    change: 'Use PATCH, and send null for fields that shall be empty.',
  }),
  onDocument('put.answer', [{ method: 'PUT', path: one, body: { n: 1, views: 9 } }], { ...readBack, needs: ['put'] }),

  onDocument('writes.update-merges', [{ method: 'PATCH', path: one, body: { views: 9 } }, read], readBack),
  onCollection(
    'writes.update-replaces-nested',
    [create({ n: 1, a: { b: 1, c: 2 } }), { method: 'PATCH', path: one, body: { a: { b: 9 } } }, read],
    readBack,
  ),
  onDocument('writes.null', [{ method: 'PATCH', path: one, body: { title: null } }, read], readBack),
  onDocument('writes.deleted-is-gone', [{ method: 'DELETE', path: one }, read]),
  onDocument(
    'writes.deleted-from-list',
    [
      { method: 'DELETE', path: one },
      { method: 'GET', path: at },
    ],
    {
      compare: ['count'],
    },
  ),
  onDocument('acks.delete', [{ method: 'DELETE', path: one }], { compare: ['status', 'body'] }),
  ...operators.map(([id, body]) =>
    onCollection(
      `operators.${id}`,
      [create({ n: 1, title: 'Tea', tags: ['a'] }), { method: 'PATCH', path: one, body }, read],
      { ...readBack, change: 'Read the array, change it in the app, and write the whole array.' },
    ),
  ),
  ...values.map(([id, value]) =>
    onCollection(`kept.${id}`, [create({ n: 1, value }), read], {
      ...readBack,
      change: 'Store such a value as text.',
    }),
  ),

  onCollection(
    'batches.create',
    [
      { method: 'POST', path: '/collections/{fresh}/batch/documents/create', body: batchDocuments },
      { method: 'GET', path: at },
    ],
    { compare: ['rows'], needs: ['batch'] },
  ),
  onDocument(
    'batches.update',
    [
      {
        method: 'POST',
        path: '/collections/{fresh}/batch/documents/update',
        body: { updates: { '{id}': { data: { n: 7 } } } },
      },
      { method: 'GET', path: at },
    ],
    { compare: ['rows'], needs: ['batch'] },
  ),
  onDocument(
    'batches.delete',
    [
      { method: 'POST', path: '/collections/{fresh}/batch/documents/delete', body: { document_ids: ['{id}'] } },
      { method: 'GET', path: at },
    ],
    { compare: ['rows'], needs: ['batch'] },
  ),
  onDocument(
    'batches.update-unknown-id',
    [
      {
        method: 'POST',
        path: '/collections/{fresh}/batch/documents/update',
        body: { updates: { [unknownId]: { data: { n: 7 } } } },
      },
    ],
    { needs: ['batch'], change: 'Read the ids before you send the batch.' },
  ),
  onDocument(
    'batches.delete-unknown-id',
    [{ method: 'POST', path: '/collections/{fresh}/batch/documents/delete', body: { document_ids: [unknownId] } }],
    { needs: ['batch'], change: 'Read the ids before you send the batch.' },
  ),
  onCollection(
    'batches.empty',
    [{ method: 'POST', path: '/collections/{fresh}/batch/documents/create', body: { documents: [] } }],
    { needs: ['batch'], change: 'Do not send an empty batch.' },
  ),

  onCollection('errors.document-missing', [{ method: 'GET', path: missing }], { compare: ['error'] }),
  onCollection('errors.update-missing', [{ method: 'PATCH', path: missing, body: { n: 2 } }], { compare: ['error'] }),
  onCollection('errors.delete-missing', [{ method: 'DELETE', path: missing }], { compare: ['error'] }),
  {
    id: 'errors.user-missing',
    axis: 'errors',
    steps: [{ method: 'GET', path: `/auth-collections/users/${unknownId}` }],
    compare: ['error'],
  },
  {
    id: 'collections.missing',
    axis: 'collections',
    needs: ['quiet reads'],
    steps: [{ method: 'GET', path: '/collections/parity_never_made/documents' }],
    compare: ['outcome'],
  },
  onCollection('collections.twice', [setUp], { compare: ['outcome'] }),
  onCollection('collections.bad-name', [{ method: 'POST', path: '/collections', body: { name: '{fresh} b' } }]),
  onCollection('collections.deleted', [{ method: 'DELETE', path: '/collections/{fresh}' }]),
  onCollection('collections.renamed', [
    { method: 'PATCH', path: '/collections/{fresh}', body: { name: '{fresh}_b' } },
    { method: 'PATCH', path: '/collections/{fresh}_b', body: { name: '{fresh}' } },
  ]),
  onDocument('collections.by-id-of-another', [
    { method: 'POST', path: '/collections', body: { name: '{fresh}_b' } },
    { method: 'GET', path: '/collections/{fresh}_b/documents/{id}' },
  ]),

  onDocument(
    'versions.unchanged-since',
    [
      { method: 'GET', path: one, bind: 'tag' },
      { method: 'PATCH', path: one, body: { n: 2 } },
      { method: 'PATCH', path: one, body: { n: 3 }, headers: { 'if-match': '{tag}' } },
    ],
    { change: 'Compare the document before you write it. The service does not obey if-match.' },
  ),
  onDocument(
    'versions.not-modified',
    [
      { method: 'GET', path: one, bind: 'tag' },
      { method: 'GET', path: one, headers: { 'if-none-match': '{tag}' } },
    ],
    { compare: ['status'], change: 'Do not rely on 304.' },
  ),
]
