/** The statements behind a list. Each answers rows of a page, or one row without an id, so that the total is always there. */
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import { ownField, type Where } from '../../../client/protocol/model/where.js'
import { type Fragment, sql } from '../../database/port.js'
import { isExactly, pageEnd } from '../sql-words.js'
import { fieldValue, inCollection, inOrder, isOdd, isRegular } from './fields.js'
import { type Ordering, orderingOf } from './order.js'
import { compileWhere, type Reach } from './where.js'

export interface Scope extends Reach {
  readonly collection: string
}

/** Whether the index over collection and id alone has the page: everything, or what lies between ids. */
export function isInIdOrder({ where, sort, count }: ListQuery): boolean {
  const [bounds, others] = splitBounds(where)
  return orderingOf(sort).isById && others.all.length === 0 && !(count && bounds.all.length > 0)
}

/** The commonest list, and the pages of whoever reads a collection to its end: always in the same words, prepared once. */
export function pageInIdOrder(scope: Scope, query: ListQuery): Fragment {
  const { direction } = orderingOf(query.sort)
  return sql`
    select counted.total, d.id, d.data, d.version, d.created_at, d.updated_at
    from (${totalOf(scope.collection, query.count)}) as counted
    left join (
      select d.id, d.data, d.version, d.created_at, d.updated_at
      from documents d
      where ${inIndexOf(scope.collection)} and ${compileWhere(query.where, scope)}
      order by d.collection_id ${direction}, d.id ${direction}
      ${pageEnd(query)}
    ) d on true
    order by d.id ${direction}`
}

/** Sorted, without a filter: the total is the collection's. */
export function sortedPage(scope: Scope, query: ListQuery): Fragment {
  const ordering = orderingOf(query.sort)
  return withPage(
    sql`page as (${pageOf(foundInOrder(scope, ordering, sql`true`, query), ordering, query)})`,
    totalOf(scope.collection, query.count),
    ordering,
  )
}

/**
 * All matches are found first, ids and sort values only, then counted, if asked, and paged. So the filter is evaluated once, by the
 * index that suits it; looking for the page on its own might walk the whole collection in list order.
 */
export function matchedPage(scope: Scope, query: ListQuery): Fragment {
  const ordering = orderingOf(query.sort)
  return withPage(
    sql`matched as materialized (
      select d.id, ${ordering.value} as value
      from documents d
      where ${inCollection(scope.collection)} and ${compileWhere(query.where, findingAll(scope))}
    ), page as (${pageOf(sql`matched`, ordering, query)})`,
    query.count ? sql`select count(*)::int as total from matched` : noTotal,
    ordering,
  )
}

/** Filtered, and nobody wants the total: it need not find everything if a page is soon full. */
export function uncountedPage(scope: Scope, query: ListQuery): Fragment {
  const ordering = orderingOf(query.sort)
  if (ordering.isById) return pageById(scope, query, ordering)
  const found = foundInOrder(scope, ordering, compileWhere(query.where, scope), query)
  return withPage(sql`page as (${pageOf(found, ordering, query)})`, noTotal, ordering)
}

/** Documents that are looked at in list order before all matches are found instead. */
const nearDocuments = 1_000

/**
 * Looks at the documents where the page begins; they are enough when many match. Where too few of them do, all matches
 * are found by the index that suits the filter. Bounds on the id, as of someone who reads a collection page by page,
 * say where the page begins.
 */
function pageById(scope: Scope, query: ListQuery, ordering: Ordering): Fragment {
  const { direction } = ordering
  const [bounds, others] = splitBounds(query.where)
  const within = compileWhere(bounds, scope)
  const wanted = query.limit + query.offset
  return withPage(
    sql`near as materialized (
      select d.id
      from (
        select d.id, d.data, d.created_at, d.updated_at
        from documents d
        where ${inIndexOf(scope.collection)} and ${within}
        order by d.collection_id ${direction}, d.id ${direction}
        limit ${nearDocuments}
      ) as d
      where ${compileWhere(others, scope)}
    ), everywhere as materialized (
      select d.id
      from documents d
      where ${inCollection(scope.collection)} and ${within} and ${compileWhere(others, findingAll(scope))}
        and (select count(*) from near) < ${wanted}::bigint
    ), page as (${pageOf(
      sql`(
        select id, ${ordering.value} as value from near where (select count(*) from near) >= ${wanted}::bigint
        union all
        select id, ${ordering.value} from everywhere
      ) as found`,
      ordering,
      query,
    )})`,
    noTotal,
    ordering,
  )
}

function findingAll(scope: Scope): Scope {
  return { ...scope, foundIn: scope.collection }
}

/** Conditions on the id alone that the index over collection and id understands, and the rest. */
function splitBounds(where: Where): [Where, Where] {
  const isBound = ({ any: [test, another] }: Where['all'][number]) =>
    test !== undefined && !another && ownField(test.path) === 'id' && ['gt', 'gte', 'lt', 'lte'].includes(test.operator)
  return [{ all: where.all.filter(isBound) }, { all: where.all.filter((clause) => !isBound(clause)) }]
}

/**
 * Ids and sort values of what meets the condition. Where the field has an index in order, the page's worth is read from it,
 * and beside it the few documents whose value may not stand there.
 */
function foundInOrder(
  scope: Scope,
  ordering: Ordering,
  condition: Fragment,
  { sort, limit, offset }: ListQuery,
): Fragment {
  const from = sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
  if (!isIndexed(scope, sort)) return sql`(select d.id, ${ordering.value} as value ${from} ${ordering.fence}) as found`
  return sql`(
      (select d.id, ${ordering.value} as value ${from} and ${isRegular(sort.path)}
      order by ${inOrder(fieldValue(sort.path))} ${ordering.direction} nulls last, d.id
      limit ${limit + offset}::bigint)
      union all
      select d.id, ${ordering.value} ${from} and ${isOdd(sort.path)}
    ) as found`
}

function isIndexed({ known }: Scope, sort: Sort | undefined): sort is Sort {
  return sort !== undefined && !ownField(sort.path) && known?.has(sort.path, sort.direction) === true
}

function pageOf(found: Fragment, { order }: Ordering, { limit, offset }: ListQuery): Fragment {
  return sql`select id, value from ${found} order by ${order} limit ${limit}::bigint offset ${offset}::bigint`
}

function withPage(parts: Fragment, total: Fragment, { order }: Ordering): Fragment {
  return sql`
    with ${parts}
    select counted.total, d.id, d.data, d.version, d.created_at, d.updated_at
    from (${total}) as counted
    left join page on true
    left join documents d on d.id = page.id
    order by ${order}`
}

const noTotal = sql`select null::int as total`

function totalOf(collection: string, isWanted: boolean): Fragment {
  if (!isWanted) return noTotal
  return sql`select c.documents as total from document_counts c where c.collection_id = ${collection}::uuid`
}

/** As `inCollection`, for a page in the order of the ids. */
function inIndexOf(collection: string): Fragment {
  return isExactly(sql`d.collection_id`, sql`${collection}::uuid`)
}
