/** Plans how a list of documents is read, once, from the query and the available indexes. */
import type { Collection } from '../../../client/protocol/model/collection.js'
import { operatorKinds } from '../../../client/protocol/model/operator-kinds.js'
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { canHold, ownField, type Test, type Where } from '../../../client/protocol/model/where.js'
import type { Planned } from '../../database/port.js'
import { type Equality, parseEquality } from './equality.js'
import { isComparison, looksUpValues } from './field-test.js'
import { creatorUse, type FieldIndexes, type FieldUse, type KnownFields, type OrderKind, sortKind } from './indexes.js'
import { buildOrdering, type Ordering } from './order.js'
import type { CountedTotal, Totals } from './totals.js'
import { fieldTestAlone, isLinked, type Reach, type Reader } from './where.js'

/** The caller and the collection of a list. */
export interface ListTarget extends Pick<Reach, 'project'>, Reader {
  readonly collection: Pick<Collection, 'id' | 'name'>
  readonly indexes?: FieldIndexes | undefined
  /** Only documents that this user created. */
  readonly creator?: string | undefined
  /** Only the documents that a permission covers. */
  readonly part?: Reach['part']
  /** Omitted in a transaction, whose changes may be rolled back. */
  readonly totals?: Totals | undefined
}

/** The first step of the statement. `page.ts` has a statement for each. */
export type Strategy =
  /** Walks the index over collection and id for a page of everything, or of a range of ids. */
  | 'walk'
  /** Sorts the whole collection, or reads an ordered index. */
  | 'sort'
  /** Finds all matches, for the total, or because few are likely to be near the beginning. */
  | 'find all'
  /** Searches where the page begins, and finds all matches if that gives too few. */
  | 'look near'
  /** Searches only where the page begins. If that gives too few, the list is planned again. */
  | 'look only near'
  /** Sorts the matches without counting them. */
  | 'sort matches'
  /** Reads the page from an index over the filter's fields and then the sort field. */
  | 'read index'

export interface ListPlan {
  readonly strategy: Strategy
  readonly scope: Reach & { readonly collection: string }
  readonly query: ListQuery
  readonly ordering: Ordering
  /** Conditions on the id, which the index over collection and id supports. */
  readonly bounds: Where
  /** All other conditions. */
  readonly others: Where
  /** The filter, if it consists only of equality clauses and an index serves it. */
  readonly equality: Equality | undefined
  /** The number of documents to search where the page begins, before finding all matches instead. */
  readonly nearDocuments: number
  /**
   * The cache key of the total. Undefined if caching is not worth it, or if the total depends on other collections too.
   */
  readonly totalKey: string | undefined
  readonly remembered: CountedTotal | undefined
  /**
   * For few documents, planning would take the longest. For many, the best plan depends on the values, unless an index
   * serves any values.
   */
  readonly planned: Planned
  /** Whether no index serves it, and reading it in pieces gives the same page. */
  readonly isScan: boolean
}

/**
 * Pages that only look near do not use an index or ask for one: a loop over a collection has hundreds of them. `isFar`
 * means that looking near gave too few.
 */
export function planList(
  { collection, indexes, totals, ...reach }: ListTarget,
  query: ListQuery,
  { isFar = false } = {},
): ListPlan {
  const scope = { ...reach, collection: collection.id, populate: query.populate, links: query.links }
  const asked = { query, scope, ordering: buildOrdering(query.sort), ...splitBounds(query.where) }
  const plain = {
    equality: undefined,
    nearDocuments: minNear,
    totalKey: undefined,
    remembered: undefined,
    isScan: false,
  }
  if (isLimited(scope)) return { ...asked, ...plain, strategy: 'find all', ...planForPart(scope, indexes) }
  if (isWalk(asked)) return { ...asked, ...plain, strategy: 'walk', planned: 'once' }
  const equality = equalityIn(query)
  const use = equality && inEquality(equality, query.sort)
  const uses = use ? [use] : listUses(query)
  const isNear = !isFar && isLikelyNear(query, asked.ordering)
  const known = indexes?.request(collection.id, isNear ? [] : uses)
  const isIndexed = use !== undefined && known?.has(use.path, use.kind, use.equal) === true
  if (isNear && !isIndexed && !fitsOnPage(query, known)) {
    return { ...asked, ...plain, strategy: 'look only near', planned: 'once' }
  }
  if (isNear) indexes?.request(collection.id, uses)
  const isWorthIt = isIndexed || known?.isSmall === false
  const totalKey = isWorthIt && canRemember(query) ? formatKey(collection.id, query) : undefined
  const remembered = totalKey === undefined ? undefined : totals?.get(totalKey)
  const plan = {
    ...asked,
    ...plain,
    scope: { ...scope, known },
    totalKey,
    remembered,
    planned: plannedFor(query, known),
  }
  if (isIndexed) return { ...plan, equality, strategy: 'read index', planned: 'once, of many' }
  const nearDocuments = nearCount(query, remembered, known?.documents)
  const strategy = chooseStrategy(plan, nearDocuments)
  return { ...plan, nearDocuments, strategy, isScan: isScan(strategy, query, known) }
}

function isScan(strategy: Strategy, { where, sort, populate }: ListQuery, known: KnownFields | undefined): boolean {
  if (!known || strategy === 'look near') return false
  const isServed = (test: Test) => {
    // The index over all data serves equality.
    if (ownField(test.path) || ((test.operator === 'eq' || test.operator === 'in') && !test.isTime)) return true
    const kind = testKind(test)
    return kind !== undefined && servingKinds[kind].some((one) => known.has(test.path, one))
  }
  // Linked records change without a change of the collection.
  if (where.all.some(({ any }) => any.some(({ path }) => isLinked(path, populate)))) return false
  const [first, another] = sort
  const isInOrder = !another && first && (ownField(first.path) || known.has(first.path, sortKind(first)))
  // It walks the index until the page is full.
  if (isInOrder && (where.all.length === 0 || strategy === 'sort matches')) return false
  return where.all.every(({ any }) => any.some((test) => !isServed(test)))
}

/** Whether the list shows only documents of one creator, or those that a permission covers. */
function isLimited({ creator, part }: ListPlan['scope']): boolean {
  return creator !== undefined || part !== undefined
}

/**
 * A user's documents are few. They are found by creator, or through the index over all data by member. Totals are not
 * cached, because each user has another.
 */
function planForPart(scope: ListPlan['scope'], indexes: FieldIndexes | undefined) {
  const isByCreator = scope.creator !== undefined || scope.part?.own === true
  const known = indexes?.request(scope.collection, isByCreator ? [creatorUse] : [])
  return { scope: { ...scope, known }, planned: known?.isSmall ? 'once' : 'each time' } as const
}

function plannedFor(query: ListQuery, known: KnownFields | undefined): Planned {
  if (!known) return 'each time'
  if (known.isSmall || isLookUp(query)) return 'once'
  return isServed(query, known) ? 'once, of many' : 'each time'
}

/** Whether many values of one field are looked up separately in the index over all data. */
function isLookUp({ where, populate }: ListQuery): boolean {
  const [clause, another] = splitBounds(where).others.all
  const [test, orTest] = clause?.any ?? []
  return test !== undefined && !another && !orTest && looksUpValues(test) && !isLinked(test.path, populate)
}

/** Whether one index serves the list, whatever the values: a sort, or tests of one field. */
function isServed({ where, sort, populate }: ListQuery, known: KnownFields): boolean {
  const [first, another] = sort
  if (where.all.length === 0)
    return first !== undefined && !another && !ownField(first.path) && known.has(first.path, sortKind(first))
  const uses = where.all.map((clause) => {
    const test = fieldTestAlone(clause, populate)
    return test && { path: test.path, kind: testKind(test) }
  })
  const [use] = uses
  if (!use?.kind || !uses.every((one) => one && one.kind === use.kind && isSame(one.path, use.path))) return false
  const serving = servingKinds[use.kind]
  if (!first || ownField(first.path) === 'id') return serving.some((kind) => known.has(use.path, kind))
  const kind = sortKind(first)
  return !another && serving.includes(kind) && isSame(first.path, use.path) && known.has(first.path, kind)
}

function isSame(path: Path, other: Path): boolean {
  return path.length === other.length && path.every((segment, at) => segment === other[at])
}

type ListRequest = Pick<ListPlan, 'query' | 'ordering' | 'bounds' | 'others'>

function isWalk({ query, ordering, bounds, others }: ListRequest): boolean {
  return ordering.isById && others.all.length === 0 && !(query.count && bounds.all.length > 0)
}

/** Without a total, only the page has to be found. */
function isLikelyNear({ where, count, limit, offset }: ListQuery, { isById }: Ordering): boolean {
  return !count && isById && limit + offset <= minNear && !looksUpValuesIn(where)
}

/** If so, searching where the page begins would hardly fill it. */
function fitsOnPage({ limit, offset }: ListQuery, known: ListPlan['scope']['known']): boolean {
  return known?.documents !== undefined && known.documents <= limit + offset
}

function chooseStrategy(
  { query, ordering, remembered }: ListRequest & Pick<ListPlan, 'remembered'>,
  nearDocuments: number,
): Strategy {
  const { where, count } = query
  if (where.all.length === 0) return 'sort'
  const isFar = nearDocuments > maxNear
  if ((count && !remembered) || isFar || looksUpValuesIn(where)) return 'find all'
  if (!ordering.isById) return 'sort matches'
  return count ? 'look near' : 'find all'
}

function looksUpValuesIn({ all }: Where): boolean {
  return all.some(({ any }) => any.some(looksUpValues))
}

const minNear = 1_000
const maxNear = 20_000

/**
 * If the number of matches is known, expects the page within four times as many documents as an even spread would need.
 */
function nearCount(
  { limit, offset }: ListQuery,
  remembered: CountedTotal | undefined,
  documents: number | undefined,
): number {
  if (!remembered || documents === undefined) return minNear
  return Math.max(minNear, Math.ceil((4 * (limit + offset) * documents) / Math.max(remembered.total, 1)))
}

/** A filter on linked records depends on other collections and on the caller. */
function canRemember({ where, count, populate }: ListQuery): boolean {
  return (
    count && where.all.length > 0 && where.all.every(({ any }) => any.every(({ path }) => !isLinked(path, populate)))
  )
}

function formatKey(collection: string, { where }: ListQuery): string {
  return JSON.stringify([collection, where])
}

function splitBounds({ all }: Where): { bounds: Where; others: Where } {
  const isBound = ({ any: [test, another] }: Where['all'][number]) =>
    test !== undefined && !another && ownField(test.path) === 'id' && isComparison(test)
  return { bounds: { all: all.filter(isBound) }, others: { all: all.filter((clause) => !isBound(clause)) } }
}

function equalityIn({ where, populate }: ListQuery): Equality | undefined {
  const equality = parseEquality(where)
  return equality?.some(({ path }) => isLinked(path, populate)) ? undefined : equality
}

/** The index for such a list. One ordered by id is read in both directions. */
function inEquality(equality: Equality, [sort, another]: readonly Sort[]) {
  const equal = equality.map(({ path }) => path)
  if (!sort || ownField(sort.path) === 'id') return { path: ['id'], kind: 'desc', equal } as const
  return !another && !sort.isTime && sort.path.every(canHold)
    ? ({ path: sort.path, kind: sort.direction, equal } as const)
    : undefined
}

/** The indexes that any other list could use. Equality needs none: the index over all data serves it. */
function listUses({ where, sort, populate }: ListQuery): readonly FieldUse[] {
  const tests = where.all.flatMap(({ any }) => any)
  return [
    // An index over one field gives no order by several.
    ...(sort.length === 1 ? sort.map((one) => ({ path: one.path, kind: sortKind(one) })) : []),
    ...tests.flatMap((test) => {
      const { path } = test
      const kind = testKind(test)
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

/** The index that a test could use. Built-in times have one kind, whatever they are compared as. */
function testKind(test: Test): TestKind | undefined {
  if (test.operator === 'not') return undefined
  const { path, operator, isTime } = test
  const kind = operatorKinds[operator]
  if (!isTime || ownField(path)) return plainKinds[kind]
  return kind === 'inequality' ? undefined : 'time range'
}

const plainKinds = {
  equality: undefined,
  inequality: undefined,
  order: 'range',
  search: 'text',
  presence: undefined,
} as const

function canBeIndexed(path: Path, kind: FieldUse['kind']): boolean {
  const own = ownField(path)
  return own ? own !== 'id' && kind !== 'text' : path.every(canHold)
}
