/**
 * Builds the statement of a plan. It returns the rows of a page, or one row without an id for the total of an empty
 * page.
 */
import type { ListQuery } from '../../../client/protocol/model/page.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, literal, naming, plannedEachTime, sql } from '../../database/port.js'
import { isExactly, pageEnd } from '../sql-fragments.js'
import { splitEquality } from './equality.js'
import { inCollection, isOdd, isRegular } from './fields.js'
import { sortKind } from './indexes.js'
import type { ListPlan, Strategy } from './plan.js'
import { type CountedTotal, collectionTotal, lastSeq, matchTotal } from './totals.js'
import { compileWhere } from './where.js'

export function buildPage(plan: ListPlan): Fragment {
  const statement = statements[plan.strategy](plan)
  if (plan.planned === 'each time') return plannedEachTime(statement)
  return plan.planned === 'once' ? statement : namingIndex(plan, statement)
}

/**
 * Inserts collection and paths as literals, so that a prepared plan can use the index for any values. The condition of
 * a partial index cannot be proven for parameters. Planning each time would take several times as long as reading.
 */
function namingIndex({ scope }: ListPlan, statement: Fragment): Fragment {
  // Only paths are arrays here: values are compared as JSON and as texts.
  return naming(statement, (value) => value === scope.collection || Array.isArray(value))
}

const statements = {
  walk: walked,
  sort: sorted,
  'find all': found,
  'look near': foundNear,
  'look only near': foundOnlyNear,
  'sort matches': sortedMatches,
  'read index': readFromIndex,
} as const satisfies Record<Strategy, (plan: ListPlan) => Fragment>

/** The most common list, and the pages of an export. Its text never changes, so it is prepared once. */
function walked(plan: ListPlan): Fragment {
  const { scope, query, ordering } = plan
  const { direction } = ordering
  if (query.offset >= deepOffset && query.where.all.length === 0) return walkedDeep(plan)
  return sql`
    select counted.total, counted.seq, d.id, ${returned(query)}, d.version, d.created_at, d.updated_at
    from (${collectionTotal(scope, query.count)}) as counted
    left join (
      select d.id, d.data, d.version, d.created_at, d.updated_at
      from documents d
      where ${inCollectionIndex(scope.collection)} and ${compileWhere(query.where, scope)}
      order by d.collection_id ${direction}, d.id ${direction}
      ${pageEnd(query)}
    ) d on true
    order by d.id ${direction}`
}

/** From here on, skipping costs more than the page. */
const deepOffset = 1_000

/**
 * Skips by reading only the index, from the nearer end, because the total is known at the same moment. Then loads the
 * documents of the page by their ids.
 */
function walkedDeep({ scope, query, ordering }: ListPlan): Fragment {
  const { limit, offset, count } = query
  const { direction, opposite } = ordering
  const from = (way: Fragment, page: Fragment) => sql`
      (select d.id
      from documents d
      where ${inCollectionIndex(scope.collection)}
      order by d.collection_id ${way}, d.id ${way}
      ${page})`
  const ifAny = (value: Fragment, condition: Fragment) =>
    sql`(select coalesce(max(${value}), 0) from counted where ${condition})`
  return plannedEachTime(sql`
    with counted as materialized (${collectionTotal(scope, true)}), page as (
      select id from (
      ${from(direction, sql`limit ${ifAny(sql`${limit}::bigint`, sql`total >= 2 * ${offset}::bigint`)} offset ${offset}::bigint`)}
      union all
      ${from(
        opposite,
        sql`limit ${ifAny(sql`least(total - ${offset}::bigint, ${limit}::bigint)`, sql`${offset}::bigint < total and total < 2 * ${offset}::bigint`)}
        offset ${ifAny(sql`total - ${offset}::bigint - ${limit}::bigint`, sql`total > ${offset}::bigint + ${limit}::bigint`)}`,
      )}
      ) as either
      limit ${limit}::bigint
    )
    select ${count ? sql`counted.total` : sql`null::int as total`}, counted.seq, d.id, ${returned(query)}, d.version, d.created_at, d.updated_at
    from counted
    left join page on true
    left join documents d on d.id = page.id
    order by d.id ${direction}`)
}

/** Uses the collection's total, because the list is unfiltered. */
function sorted(plan: ListPlan): Fragment {
  const { scope, query } = plan
  const total = collectionTotal(scope, query.count)
  return withPage(plan, sql`page as (${cut(plan, matchesInOrder(plan, sql`true`))})`, total)
}

/**
 * Finds all matches first (ids and sort values only), then counts them, if asked, and takes the page. So the filter
 * runs once, with the index that suits it. Searching for the page alone could walk the whole collection in list order.
 */
function found(plan: ListPlan): Fragment {
  const { scope, query, ordering } = plan
  return withPage(
    plan,
    sql`matched as materialized (
      ${ordering.select(sql`from documents d where ${inCollection(scope.collection)} and ${compileWhere(query.where, findingAll(plan))}`)}
    ), page as (${cut(plan, sql`matched`)})`,
    matchTotal({ ...plan, remembered: undefined }, sql`(select count(*)::int from matched)`),
  )
}

/** Need not find every match if a page fills up early. */
function sortedMatches(plan: ListPlan): Fragment {
  const matches = matchesInOrder(plan, compileWhere(plan.query.where, plan.scope))
  return withPage(plan, sql`page as (${cut(plan, matches)})`, matchTotal(plan, countMatches(plan)))
}

/**
 * Searches the documents where the page begins, and stops when it is full. If too few match, finds all matches with the
 * index that suits the filter. Bounds on the id, as used by cursors, tell where the page begins.
 */
function foundNear(plan: ListPlan): Fragment {
  const { scope, query, bounds, others, nearDocuments } = plan
  const { direction, value } = plan.ordering
  const within = compileWhere(bounds, scope)
  const wanted = query.limit + query.offset
  const either = sql`(
        select id, ${value} as value from near where (select count(*) from near) >= ${wanted}::bigint
        union all
        select id, ${value} from everywhere
      ) as found`
  return withPage(
    plan,
    sql`near as materialized (
      select d.id
      from (
        select d.id, d.collection_id, d.data, d.created_at, d.updated_at
        from documents d
        where ${inCollectionIndex(scope.collection)} and ${within}
        order by d.collection_id ${direction}, d.id ${direction}
        limit ${nearDocuments}
      ) as d
      where ${compileWhere(others, scope)}
      order by d.collection_id ${direction}, d.id ${direction}
      limit ${wanted}::bigint
    ), everywhere as materialized (
      select d.id
      from documents d
      where ${inCollection(scope.collection)} and ${within} and ${compileWhere(others, findingAll(plan))}
        and (select count(*) from near) < ${wanted}::bigint
    ), page as (${cut(plan, either)})`,
    matchTotal(plan, countMatches(plan)),
  )
}

/** Its text and plan never change: the index over collection and id, up to the end of the page. */
function foundOnlyNear({ scope, query, bounds, others, ordering, nearDocuments }: ListPlan): Fragment {
  const { direction } = ordering
  return sql`
    select ${lastSeq(scope.project)} as seq, d.id, ${returned(query)}, d.version, d.created_at, d.updated_at
    from (
      select d.id, d.collection_id, d.data, d.version, d.created_at, d.updated_at
      from documents d
      where ${inCollectionIndex(scope.collection)} and ${compileWhere(bounds, scope)}
      order by d.collection_id ${direction}, d.id ${direction}
      limit ${literal(nearDocuments)}
    ) as d
    where ${compileWhere(others, scope)}
    order by d.collection_id ${direction}, d.id ${direction}
    ${pageEnd(query)}`
}

function countMatches(plan: ListPlan): Fragment {
  const { scope, query } = plan
  const condition = compileWhere(query.where, findingAll(plan))
  return sql`(select count(*)::int from documents d where ${inCollection(scope.collection)} and ${condition})`
}

function findingAll({ scope }: ListPlan): ListPlan['scope'] {
  return { ...scope, foundIn: scope.collection }
}

/**
 * Returns ids and sort values of the matches. If the field has an ordered index, it reads one page from it, and the few
 * documents that the index excludes.
 */
function matchesInOrder(plan: ListPlan, condition: Fragment): Fragment {
  const { scope, ordering, query } = plan
  const { sort, limit, offset } = query
  const from = sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
  const [first, another] = sort
  const isIndexed = first && !another && !ownField(first.path) && scope.known?.has(first.path, sortKind(first))
  if (!isIndexed) return sql`(${ordering.select(from)}) as found`
  const end = sql`order by ${ordering.inIndex} limit ${limit + offset}::bigint`
  if (first.isTime) return sql`(select d.id, ${ordering.value} as value ${from} ${end}) as found`
  return sql`(
      (select d.id, ${ordering.value} as value ${from} and ${isRegular(first.path)}
      ${end})
      union all
      select d.id, ${ordering.value} ${from} and ${isOdd(first.path)}
    ) as found`
}

/** Reads one page from each range of the index, and the few documents that it excludes. Adds the total. */
function readFromIndex(plan: ListPlan): Fragment {
  const { scope, ordering, query } = plan
  const { limit, offset, where } = query
  const [sort] = query.sort
  const sorted = sort && !ownField(sort.path) ? sort.path : undefined
  const { inOrder: ranges, odd } = splitEquality(plan.equality ?? [], sorted, compileWhere(where, scope))
  const from = (condition: Fragment) => sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
  const matches = [
    ...ranges.map(
      (range) => sql`
      (select d.id, ${ordering.value} as value ${from(range)}
      order by ${ordering.inIndex} limit ${limit + offset}::bigint)`,
    ),
    sql`
      select d.id, ${ordering.value} ${from(odd)}`,
  ]
  const counts = [...ranges, odd].map((condition) => sql`(select count(*) ${from(condition)})`)
  return withPage(
    plan,
    sql`page as (${cut(plan, sql`(${joinSql(matches, '\n      union all')}) as found`)})`,
    matchTotal(plan, sql`(${joinSql(counts, ' + ')})::int`),
  )
}

/** Takes the page out of some matches, whose total is known. */
export function pageOfMatches(plan: ListPlan, condition: Fragment, { total, seq }: CountedTotal): Fragment {
  const { scope, query, ordering } = plan
  const from = sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
  const counted = sql`select ${query.count ? total : null}::int as total, ${seq}::bigint as seq`
  return withPage(plan, sql`page as (${cut(plan, sql`(${ordering.select(from)}) as found`)})`, counted)
}

/** Cuts the page out of the matches. */
function cut({ ordering, query }: ListPlan, from: Fragment): Fragment {
  const { limit, offset } = query
  return sql`select id, ${ordering.names} from ${from} order by ${ordering.order} limit ${limit}::bigint offset ${offset}::bigint`
}

function withPage({ ordering: { order }, query }: ListPlan, parts: Fragment, total: Fragment): Fragment {
  return sql`
    with ${parts}
    select counted.total, counted.seq, d.id, ${returned(query)}, d.version, d.created_at, d.updated_at
    from (${total}) as counted
    left join page on true
    left join documents d on d.id = page.id
    order by ${order}`
}

/**
 * The data to return: all of it, or only the selected fields of the document. `core/documents/selecting.ts` selects the fields
 * below them. The names are one parameter, so that the text stays the same. `|| '{}'` decompresses the document once.
 */
function returned({ select, populate, links }: ListQuery): Fragment {
  if (select.length === 0) return sql`d.data`
  // A link may be selected by its name, and its ids stand in another field.
  const idFields = links ? populate.flatMap(([link]) => links(link)) : []
  const names = [...new Set([...select.map(([field]) => field), ...idFields])]
  return sql`(
      select coalesce(jsonb_object_agg(field.name, whole.data -> field.name) filter (where whole.data ? field.name), '{}')
      from (select d.data || '{}' as data offset 0) as whole
      cross join jsonb_array_elements_text(${JSON.stringify(names)}::jsonb) as field (name)
    ) as data`
}

/** Like `inCollection`, for a page in order of ids. */
export function inCollectionIndex(collection: string): Fragment {
  return isExactly(sql`d.collection_id`, sql`${collection}::uuid`)
}
