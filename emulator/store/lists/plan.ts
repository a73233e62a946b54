/** How a list of documents is read: decided once, from what is asked for and which indexes there are. */
import type { Collection } from '../../../client/protocol/model/collection.js'
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { canHold, type Operator, ownField, type Test, type Where } from '../../../client/protocol/model/where.js'
import type { Planned } from '../../database/port.js'
import { type Equality, equalityOf } from './equality.js'
import { looksManyUp } from './field-test.js'
import {
  creatorUse,
  type FieldIndexes,
  type FieldUse,
  type KnownFields,
  kindOfSort,
  type OrderKind,
} from './indexes.js'
import { type Ordering, orderingOf } from './order.js'
import type { CountedTotal, Totals } from './totals.js'
import { fieldTestAlone, isLinked, type Reach, type Reader } from './where.js'

/** Who lists where. */
export interface ListPlace extends Pick<Reach, 'project'>, Reader {
  readonly collection: Pick<Collection, 'id' | 'name'>
  readonly indexes?: FieldIndexes | undefined
  /** Only documents that this user created. */
  readonly creator?: string | undefined
  /** Left out in a transaction, whose changes may be rolled back. */
  readonly totals?: Totals | undefined
}

/** What the statement does first; `page.ts` has a statement for each. */
export type Strategy =
  /** Walks the index over collection and id, which has the page: everything, or what lies between ids. */
  | 'walk'
  /** Sorts the whole collection, or reads the index in that order. */
  | 'sort'
  /** Finds all matches, for the total or because few are likely to be among the first documents. */
  | 'find all'
  /** Looks at the documents where the page begins, and finds all matches where these are too few. */
  | 'look near'
  /** Looks at these alone. Where they are too few to fill the page, it is planned again with what is found by then. */
  | 'look only near'
  /** Sorts the matches, and counts none. */
  | 'sort matches'
  /** Reads the page from an index over the fields that the filter compares and then the one that sorts. */
  | 'read index'

export interface ListPlan {
  readonly strategy: Strategy
  readonly scope: Reach & { readonly collection: string }
  readonly query: ListQuery
  readonly ordering: Ordering
  /** Conditions on the id alone, which the index over collection and id understands. */
  readonly bounds: Where
  /** All other conditions. */
  readonly others: Where
  /** The whole filter, where it is nothing else and an index serves it. */
  readonly equality: Equality | undefined
  /** How many documents are looked at where the page begins, before all matches are found instead. */
  readonly nearDocuments: number
  /** The name of the total among those that are remembered; undefined for one that is not worth it, or depends on more than the collection. */
  readonly totalKey: string | undefined
  readonly remembered: CountedTotal | undefined
  /** Among few documents planning would take longest; among many the best plan depends on the values, unless an index serves any. */
  readonly planned: Planned
}

/**
 * What only looks near is of no use to an index, and asks for none: a loop over a collection has hundreds of such pages.
 * `isFar` says that the page has been looked for there.
 */
export function planList(
  { collection, indexes, totals, ...reach }: ListPlace,
  query: ListQuery,
  { isFar = false } = {},
): ListPlan {
  const scope = { ...reach, collection: collection.id, populate: query.populate }
  const asked = { query, scope, ordering: orderingOf(query.sort), ...splitBounds(query.where) }
  const plain = { equality: undefined, nearDocuments: leastNear, totalKey: undefined, remembered: undefined }
  if (scope.creator !== undefined) return { ...asked, ...plain, strategy: 'find all', ...ofCreator(scope, indexes) }
  if (isWalk(asked)) return { ...asked, ...plain, strategy: 'walk', planned: 'once' }
  const equality = equalityIn(query)
  const use = equality && inEquality(equality, query.sort)
  const uses = use ? [use] : usesOf(query)
  const isNear = !isFar && isLikelyNear(query, asked.ordering)
  const known = indexes?.asked(collection.id, isNear ? [] : uses)
  const isIndexed = use !== undefined && known?.has(use.path, use.kind, use.equal) === true
  if (isNear && !isIndexed && !fitsOnPage(query, known)) {
    return { ...asked, ...plain, strategy: 'look only near', planned: 'once' }
  }
  if (isNear) indexes?.asked(collection.id, uses)
  const isWorthIt = isIndexed || known?.isSmall === false
  const totalKey = isWorthIt && canRemember(query) ? keyOf(collection.id, query) : undefined
  const remembered = totalKey === undefined ? undefined : totals?.of(totalKey)
  const plan = {
    ...asked,
    ...plain,
    scope: { ...scope, known },
    totalKey,
    remembered,
    planned: plannedFor(query, known),
  }
  if (isIndexed) return { ...plan, equality, strategy: 'read index', planned: 'once, of many' }
  const nearDocuments = nearOf(query, remembered, known?.documents)
  return { ...plan, nearDocuments, strategy: strategyOf(plan, nearDocuments) }
}

/** Those of one user are few, and are found by who created them. Their total is one for each user: none is remembered. */
function ofCreator(scope: ListPlan['scope'], indexes: FieldIndexes | undefined) {
  const known = indexes?.asked(scope.collection, [creatorUse])
  return { scope: { ...scope, known }, planned: known?.isSmall ? 'once' : 'each time' } as const
}

function plannedFor(query: ListQuery, known: KnownFields | undefined): Planned {
  if (!known) return 'each time'
  if (known.isSmall || isLookUp(query)) return 'once'
  return isServed(query, known) ? 'once, of many' : 'each time'
}

/** Many values of one field, each of which is looked up for itself in the index over all data. */
function isLookUp({ where, populate }: ListQuery): boolean {
  const [clause, another] = splitBounds(where).others.all
  const [test, orTest] = clause?.any ?? []
  return test !== undefined && !another && !orTest && looksManyUp(test) && !isLinked(test.path, populate)
}

/** Whether one index serves it, so that the planner has nothing to choose by the values: a sort, or tests of one field. */
function isServed({ where, sort, populate }: ListQuery, known: KnownFields): boolean {
  if (where.all.length === 0)
    return sort !== undefined && !ownField(sort.path) && known.has(sort.path, kindOfSort(sort))
  const uses = where.all.map((clause) => {
    const test = fieldTestAlone(clause, populate)
    return test && { path: test.path, kind: kindOfTest(test) }
  })
  const [use] = uses
  if (!use?.kind || !uses.every((one) => one && one.kind === use.kind && isSame(one.path, use.path))) return false
  const serving = servingKinds[use.kind]
  if (!sort || ownField(sort.path) === 'id') return serving.some((kind) => known.has(use.path, kind))
  const kind = kindOfSort(sort)
  return serving.includes(kind) && isSame(sort.path, use.path) && known.has(sort.path, kind)
}

function isSame(path: Path, other: Path): boolean {
  return path.length === other.length && path.every((segment, at) => segment === other[at])
}

type Asked = Pick<ListPlan, 'query' | 'ordering' | 'bounds' | 'others'>

function isWalk({ query, ordering, bounds, others }: Asked): boolean {
  return ordering.isById && others.all.length === 0 && !(query.count && bounds.all.length > 0)
}

/** Without a total, nothing but the page has to be found. */
function isLikelyNear({ where, count, limit, offset }: ListQuery, { isById }: Ordering): boolean {
  return !count && isById && limit + offset <= leastNear && !looksManyUpIn(where)
}

/** Then the documents where it begins would hardly fill it. */
function fitsOnPage({ limit, offset }: ListQuery, known: ListPlan['scope']['known']): boolean {
  return known?.documents !== undefined && known.documents <= limit + offset
}

function strategyOf(
  { query, ordering, remembered }: Asked & Pick<ListPlan, 'remembered'>,
  nearDocuments: number,
): Strategy {
  const { where, count } = query
  if (where.all.length === 0) return 'sort'
  const isFar = nearDocuments > mostNear
  if ((count && !remembered) || isFar || looksManyUpIn(where)) return 'find all'
  if (!ordering.isById) return 'sort matches'
  return count ? 'look near' : 'find all'
}

function looksManyUpIn({ all }: Where): boolean {
  return all.some(({ any }) => any.some(looksManyUp))
}

const leastNear = 1_000
const mostNear = 20_000

/** Where it is known how many match, the page is most likely among a few times as many documents as it would be if they were spread evenly. */
function nearOf(
  { limit, offset }: ListQuery,
  remembered: CountedTotal | undefined,
  documents: number | undefined,
): number {
  if (!remembered || documents === undefined) return leastNear
  return Math.max(leastNear, Math.ceil((4 * (limit + offset) * documents) / Math.max(remembered.total, 1)))
}

/** A filter on linked records depends on other collections, and on who asks. */
function canRemember({ where, count, populate }: ListQuery): boolean {
  return (
    count && where.all.length > 0 && where.all.every(({ any }) => any.every(({ path }) => !isLinked(path, populate)))
  )
}

function keyOf(collection: string, { where }: ListQuery): string {
  return JSON.stringify([collection, where])
}

function splitBounds({ all }: Where): { bounds: Where; others: Where } {
  const isBound = ({ any: [test, another] }: Where['all'][number]) =>
    test !== undefined && !another && ownField(test.path) === 'id' && ['gt', 'gte', 'lt', 'lte'].includes(test.operator)
  return { bounds: { all: all.filter(isBound) }, others: { all: all.filter((clause) => !isBound(clause)) } }
}

function equalityIn({ where, populate }: ListQuery): Equality | undefined {
  const equality = equalityOf(where)
  return equality?.some(({ path }) => isLinked(path, populate)) ? undefined : equality
}

/** The index that has such a list. One in the order of the ids is read in both directions. */
function inEquality(equality: Equality, sort: Sort | undefined) {
  const equal = equality.map(({ path }) => path)
  if (!sort || ownField(sort.path) === 'id') return { path: ['id'], kind: 'desc', equal } as const
  return !sort.isTime && sort.path.every(canHold)
    ? ({ path: sort.path, kind: sort.direction, equal } as const)
    : undefined
}

/** Which indexes any other list would have use for. Equality needs none: the index over all data serves it. */
function usesOf({ where, sort, populate }: ListQuery): readonly FieldUse[] {
  const tests = where.all.flatMap(({ any }) => any)
  return [
    ...(sort ? [{ path: sort.path, kind: kindOfSort(sort) }] : []),
    ...tests.flatMap((test) => {
      const { path } = test
      const kind = kindOfTest(test)
      return kind && !isLinked(path, populate) ? [{ path, kind }] : []
    }),
  ].filter(({ path, kind }) => canBeIndexed(path, kind))
}

type TestKind = 'range' | 'time range' | 'text'

const servingKinds: { readonly [Kind in TestKind]: readonly (OrderKind | 'text')[] } = {
  range: ['asc', 'desc'],
  'time range': ['time asc', 'time desc'],
  text: ['text'],
}

/** What a test has use for. Own times have one kind of index, whatever they are compared as. */
function kindOfTest({ path, operator, isTime }: Test): TestKind | undefined {
  if (!isTime || ownField(path)) return kinds[operator]
  return operator === 'ne' || operator === 'notin' ? undefined : 'time range'
}

const kinds: { readonly [Name in Operator]?: TestKind } = {
  gt: 'range',
  gte: 'range',
  lt: 'range',
  lte: 'range',
  contains: 'text',
  icontains: 'text',
  startswith: 'text',
  endswith: 'text',
}

function canBeIndexed(path: Path, kind: FieldUse['kind']): boolean {
  const own = ownField(path)
  return own ? own !== 'id' && kind !== 'text' : path.every(canHold)
}
