import type { Collection } from '../../client/model/collection.js'
import type { OutgoingDocument } from '../../client/model/document.js'
import type { ListQuery, Page } from '../../client/model/page.js'
import { type Database, type Fragment, plannedEachTime, sql } from '../database/database.js'
import { type DocumentRow, fromRow } from './documents.js'
import { orderingOf } from './sort-sql.js'
import { compileWhere } from './where-sql.js'

/** Who lists where. */
export interface ListPlace {
  readonly project: string
  readonly collection: Pick<Collection, 'id' | 'name'>
  /** Whether related filters may look into collections that ask for a role. */
  readonly mayReadAll: boolean
}

type PageRow = { total: number | null } & ({ id: null } | DocumentRow)

/** One page of a collection and, if asked, the number of all matches, from the same moment. Contract 4. */
export async function selectPage(
  db: Database,
  { project, collection, mayReadAll }: ListPlace,
  query: ListQuery,
): Promise<Page<OutgoingDocument>> {
  const { where, populate, limit, offset, count } = query
  const isFiltered = where.all.length > 0
  const statement =
    isFiltered || query.sort
      ? plannedEachTime(
          isFiltered
            ? filteredPage(collection.id, compileWhere(where, { project, populate, mayReadAll }), query)
            : sortedPage(collection.id, query),
        )
      : newestPage(collection.id, query)
  const rows = await db.query<PageRow>(statement)
  return {
    items: rows.filter((row) => row.id !== null).map((row) => fromRow(row, collection)),
    total: count ? (rows[0]?.total ?? 0) : null,
    limit,
    offset,
  }
}

/** The commonest list, in always the same words: prepared once, it walks the index over collection and id. */
function newestPage(collection: string, { limit, offset }: ListQuery): Fragment {
  return sql`
    select c.documents as total, d.id, d.data, d.version, d.created_at, d.updated_at
    from document_counts c
    left join lateral (
      select d.id, d.data, d.version, d.created_at, d.updated_at
      from documents d
      where d.collection_id = c.collection_id
      order by d.id desc
      limit ${limit}::int offset ${offset}::bigint
    ) d on true
    where c.collection_id = ${collection}::uuid
    order by d.id desc`
}

function sortedPage(collection: string, { sort, limit, offset }: ListQuery): Fragment {
  const { value, order } = orderingOf(sort)
  return sql`
    with page as (
      select id, value
      from (select d.id, ${value} as value from documents d where d.collection_id = ${collection}::uuid) as found
      order by ${order}
      limit ${limit}::int offset ${offset}::bigint
    )
    select c.documents as total, d.id, d.data, d.version, d.created_at, d.updated_at
    from document_counts c
    left join page on true
    left join documents d on d.id = page.id
    where c.collection_id = ${collection}::uuid
    order by ${order}`
}

/**
 * All matches are found first, ids and sort values only, then counted and paged. So the filter is evaluated once, by the
 * index that suits it; looking for the page on its own might walk the whole collection in list order.
 */
function filteredPage(collection: string, condition: Fragment, { sort, limit, offset, count }: ListQuery): Fragment {
  const { value, order } = orderingOf(sort)
  return sql`
    with matched as materialized (
      select d.id, ${value} as value
      from documents d
      where d.collection_id = ${collection}::uuid and ${condition}
    ), page as (
      select id, value
      from matched
      order by ${order}
      limit ${limit}::int offset ${offset}::bigint
    )
    select total, d.id, d.data, d.version, d.created_at, d.updated_at
    from (select ${count ? sql`(select count(*)::int from matched)` : sql`null::int`} as total) as counted
    left join page on true
    left join documents d on d.id = page.id
    order by ${order}`
}
