/** Lists: envelopes, pages, order, selected fields, links, and questions about a collection. */
import { type Look, type ParityCase, type Step, sharedFields } from '../case.js'

const documents = '/collections/{rows}/documents'
const creating = '/collections/documents?collection={fresh}'
const asks = (path: string): readonly Step[] => [{ method: 'GET', path }]

const paging: readonly (readonly [id: string, query: string])[] = [
  ['default', ''],
  ['above-the-small-maximum', '?limit=110'],
  ['offset', '?limit=5&offset=118'],
  ['past-the-end', '?limit=5&offset=500'],
]

const badPaging: readonly (readonly [id: string, query: string])[] = [
  ['limit-negative', '?limit=-1'],
  ['limit-no-number', '?limit=many'],
  ['limit-fraction', '?limit=1.5'],
  ['limit-zero', '?limit=0'],
  ['limit-too-large', '?limit=501'],
  ['offset-negative', '?offset=-1'],
]

const orders: readonly (readonly [id: string, query: string])[] = [
  ['newest-first', ''],
  ['sort-asc', 'sort=views&order=asc'],
  ['sort-desc', 'sort=views&order=desc'],
  ['sort-by-asc', 'sort_by=title&sort_order=asc'],
  ['order-by-desc', 'orderBy=title&order=desc'],
  ['sort-by-time', 'sort=created_at&order=asc'],
  ['sort-camel-time', 'sort=createdAt&order=asc'],
  ['sort-nested', 'sort=author.name&order=asc'],
  ['sort-missing-field', 'sort=missing&order=asc'],
  ['sort-two-fields', 'sort=-views,title'],
  ['bad-direction', 'sort=views&order=up'],
]

const questions: readonly (readonly [id: string, path: string, look: Look])[] = [
  ['count', 'count', 'value'],
  ['count-filtered', 'count?status=live', 'value'],
  ['sum', 'aggregate?field=views&operation=sum', 'value'],
  ['average', 'aggregate?field=views&operation=avg', 'value'],
  ['smallest', 'aggregate?field=views&operation=min', 'value'],
  ['sum-of-text', 'aggregate?field=title&operation=sum', 'value'],
  ['unknown-operation', 'aggregate?field=views&operation=median', 'outcome'],
  ['groups', 'group-by?field=status', 'value'],
]

const noRoute = 'The service has no such route. Use those below /collections/<c>/documents.'
const linkByPlural =
  'Name the collection of a link like its field, in the plural, and end the field with _id. Or read it by a second request.'

export const listCases: readonly ParityCase[] = [
  { id: 'paths.collection', axis: 'paths', steps: asks('/collections/{rows}'), compare: ['kind'], change: noRoute },
  { id: 'routes.list-of-documents', axis: 'routes', steps: asks(documents), compare: ['kind'] },
  {
    id: 'routes.record-of-collection',
    axis: 'routes',
    steps: asks('/api/collections/{rows}'),
    compare: ['kind'],
    change: noRoute,
  },
  { id: 'routes.slash-at-the-end', axis: 'routes', steps: asks(`${documents}/`), compare: ['kind'] },
  {
    id: 'routes.collections',
    axis: 'routes',
    needs: ['write'],
    steps: asks('/collections'),
    compare: ['outcome'],
    change: 'Keep the names of the collections in the app.',
  },
  { id: 'list.envelope', axis: 'list', steps: asks(documents), compare: ['list'] },
  { id: 'list.envelope-when-empty', axis: 'list', steps: asks(`${documents}?n=0`), compare: ['list'] },
  { id: 'list.envelope-of-a-page', axis: 'list', steps: asks(`${documents}?limit=2&offset=1`), compare: ['list'] },
  { id: 'record.list', axis: 'record', steps: asks(documents), compare: ['record'] },
  {
    id: 'document.item',
    axis: 'document',
    steps: asks(`${documents}?n=1`),
    compare: ['document'],
    change: sharedFields,
  },
  ...paging.map(([id, query]) => ({
    id: `paging.${id}`,
    axis: 'paging',
    steps: asks(`/collections/{many}/documents${query}`),
    compare: ['count'] as const,
    change: 'Send the limit with every list, and ask for the next page with offset.',
  })),
  ...badPaging.map(([id, query]) => ({
    id: `limits.${id}`,
    axis: 'limits',
    steps: asks(documents + query),
    compare: ['outcome'] as const,
    change: 'Check the number in the app before you send it.',
  })),
  ...orders.map(([id, query]) => ({
    id: `sorting.${id}`,
    axis: 'sorting',
    steps: asks(`${documents}?limit=50&${query}`),
    compare: ['order'] as const,
    change: 'Sort with sort and order, by one field, or sort in the app.',
  })),
  {
    id: 'order.sort-without-direction',
    axis: 'order',
    steps: asks(`${documents}?limit=50&sort=n`),
    compare: ['order'],
    change: 'Send order=asc or order=desc with every sort.',
  },
  ...questions.map(([id, path, look]) => ({
    id: `questions.${id}`,
    axis: 'questions',
    steps: asks(`/collections/{rows}/query/documents/${path}`),
    compare: [look],
    change: 'Read the documents and calculate in the app.',
  })),
  ...['title', 'title,views', 'author.name'].map((names) => ({
    id: `select.${names.replaceAll(/[,.]/g, '-')}`,
    axis: 'select',
    steps: asks(`${documents}?n=4&select=${names}`),
    compare: ['fields'] as const,
    change: 'Read whole documents, and leave fields out in the app.',
  })),
  {
    id: 'populate.by-field',
    axis: 'populate',
    ...linked('author_ref', '{target}', 'author_ref'),
  },
  {
    id: 'populate.by-id-field',
    axis: 'populate',
    ...linked('writer_id', '{target}', 'writer'),
  },
  {
    id: 'populate.user',
    axis: 'populate',
    needs: ['collections', 'users'],
    steps: [...linkedToUser('user_id'), { method: 'GET', path: '/collections/{fresh}/documents?n=1&populate=user' }],
    compare: ['links'],
    change: linkByPlural,
  },
  { id: 'links.filter-by-id-field', axis: 'links', ...filteredByUser('user_id') },
  { id: 'links.filter-by-field', axis: 'links', ...filteredByUser('user') },
  { id: 'links.to-nothing', axis: 'links', ...linked('author_ref', 'nobody', 'author_ref') },
]

/** Links one document to another, and asks for it with the link. */
function linked(field: string, value: string, populate: string): Omit<ParityCase, 'id' | 'axis'> {
  return {
    steps: [
      { method: 'POST', path: '/collections', body: { name: '{fresh}' } },
      { method: 'POST', path: creating, body: { n: 1 }, bind: 'target' },
      { method: 'POST', path: creating, body: { n: 2, [field]: value } },
      { method: 'GET', path: `/collections/{fresh}/documents?n=2&populate=${populate}` },
    ],
    needs: ['collections'],
    compare: ['links'],
    change: linkByPlural,
  }
}

function linkedToUser(field: string): readonly Step[] {
  return [
    { method: 'POST', path: '/collections', body: { name: '{fresh}' } },
    { method: 'GET', path: '/auth-collections/user', as: 'user', bind: 'target' },
    { method: 'POST', path: creating, body: { n: 1, [field]: '{target}' } },
  ]
}

/** Filters documents by a field of the user that they link to. */
function filteredByUser(field: string): Omit<ParityCase, 'id' | 'axis'> {
  return {
    steps: [
      ...linkedToUser(field),
      { method: 'POST', path: creating, body: { n: 2, [field]: 'nobody' } },
      { method: 'GET', path: '/collections/{fresh}/documents?populate=user&user.email={user}' },
    ],
    needs: ['collections', 'users'],
    compare: ['rows'],
    change: 'Save the id of a linked user in the field user_id.',
  }
}
