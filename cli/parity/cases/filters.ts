/** Filters: every suffix in both spellings, prefixes and values. All ask the collection {@link rows}. */
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import type { SuffixOperator } from '../../../client/protocol/wire/filters/suffixes.js'
import type { ParityCase } from '../case.js'

/** Documents of the collection `{rows}`. Each is known by its number `n`. */
export const rows: readonly JsonObject[] = [
  { n: 1, title: 'Green tea', status: 'draft', views: 9, active: true, tags: ['hot', 'new'], user_id: 'u1' },
  { n: 2, title: 'Black tea', status: 'live', views: 41, active: false, tags: ['hot'], user_id: 'u2' },
  { n: 3, title: 'coffee', status: 'live', views: 100, active: true, tags: [], user_id: 'u1' },
  { n: 4, title: 'Milk', status: 'old', views: 2.5, active: false, author: { name: 'Ada' } },
  { n: 5, title: 'Tea cake', status: null, views: 41, author: { name: 'Bob' } },
  { n: 6, title: 'Water', views: 0 },
]

/** A value for each suffix, and a field that is not `status`. The values match some documents, but not all. */
const suffixes: Readonly<Record<SuffixOperator, readonly [value: string, field?: string]>> = {
  eq: ['live'],
  ne: ['live'],
  gt: ['41', 'views'],
  gte: ['41', 'views'],
  lt: ['41', 'views'],
  lte: ['41', 'views'],
  contains: ['Tea', 'title'],
  icontains: ['TEA', 'title'],
  startswith: ['Tea', 'title'],
  endswith: ['tea', 'title'],
  in: ['live,old'],
  notin: ['live,old'],
  isnull: ['true'],
}

const spellings = [
  ['double', '__'],
  ['single', '_'],
] as const

const bySuffix = spellings.flatMap(([spelling, mark]) =>
  Object.entries(suffixes).map(([suffix, [value, field = 'status']]) =>
    filtered(`${spelling}-${suffix}`, `${field}${mark}${suffix}=${value}`),
  ),
)

const others: readonly (readonly [id: string, query: string])[] = [
  ['double-unknown-word', 'status__near=live'],
  ['single-in-a-name', 'user_id=u1'],
  ['double-or', 'title__or__status__eq=live'],
  ['single-or', 'title__or__status_eq=live'],
  ['double-or-starts', 'title__or__status__startswith=Tea'],
  ['double-nested', 'author.name__eq=Ada'],
  ['double-or-group', '[or]status__eq=live&[or]views__gt=40'],
]

/** These are the same in every spelling. */
const plain: readonly (readonly [id: string, query: string])[] = [
  ['text', 'status=draft'],
  ['number', 'views=41'],
  ['boolean', 'active=true'],
  ['item-of-an-array', 'tags=hot'],
  ['null', 'status=null'],
  ['two-fields', 'status=live&active=true'],
  ['nobody-has-the-field', 'missing=1'],
  ['nested', 'author.name=Ada'],
  ['or', '[or]status=draft&[or]status=old'],
  ['or-two-groups', '[or:a]n=1&[or:a]n=2&[or:b]n=2&[or:b]n=3'],
  ['not', '[not]status=live'],
  ['exists', '[exists]status=false'],
  ['case', 'status=LIVE'],
]

export const filterCases: readonly ParityCase[] = [
  ...bySuffix,
  ...others.map(([id, query]) => filtered(id, query)),
  ...plain.map(([id, query]) => ({ ...filtered(id, query), id: `values.${id}`, axis: 'values' })),
]

function filtered(id: string, query: string): ParityCase {
  return {
    id: `filters.${id}`,
    axis: 'filters',
    steps: [{ method: 'GET', path: `/collections/{rows}/documents?limit=50&${query}` }],
    compare: ['rows'],
    change: `Do not send "${query.replaceAll('{rows}', '')}". Read more documents and filter them in the app.`,
  }
}

/** Documents of the collection `{many}`: more than the largest page of the form `small`. */
export const many: readonly Json[] = Array.from({ length: 120 }, (_, at) => ({ n: at + 1 }))
