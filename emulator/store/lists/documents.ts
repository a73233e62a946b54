import type { Collection } from '../../../client/protocol/model/collection.js'
import type { StoredDocument } from '../../../client/protocol/model/document.js'
import type { ListQuery, Page } from '../../../client/protocol/model/page.js'
import { type Database, type Fragment, plannedEachTime } from '../../database/port.js'
import { type DocumentRow, fromRow } from '../documents.js'
import { looksManyUp } from './field-test.js'
import { usesOf } from './field-uses.js'
import type { FieldIndexes } from './indexes.js'
import { isInIdOrder, matchedPage, pageInIdOrder, sortedPage, uncountedPage } from './page.js'

/** Who lists where. */
export interface ListPlace {
  readonly project: string
  readonly collection: Pick<Collection, 'id' | 'name'>
  /** Whether related filters may look into collections whatever role they ask for. */
  readonly mayReadAll: boolean
  readonly roles: readonly string[]
  readonly indexes?: FieldIndexes
}

type PageRow = { total: number | null } & ({ id: null } | DocumentRow)

/** One page of a collection and, if asked, the number of all matches, from the same moment. Contract 4. */
export async function selectPage(db: Database, place: ListPlace, query: ListQuery): Promise<Page<StoredDocument>> {
  const { collection } = place
  const rows = await db.query<PageRow>(statementFor(place, query))
  return {
    items: rows.filter((row) => row.id !== null).map((row) => fromRow(row, collection)),
    total: query.count ? (rows[0]?.total ?? 0) : null,
    limit: query.limit,
    offset: query.offset,
  }
}

/** Among many documents the best plan depends on what is asked; among few, planning would take longest. */
function statementFor({ project, collection, mayReadAll, roles, indexes }: ListPlace, query: ListQuery): Fragment {
  const reach = { collection: collection.id, project, mayReadAll, roles, populate: query.populate }
  if (isInIdOrder(query)) return pageInIdOrder(reach, query)
  const known = indexes?.asked(collection.id, usesOf(query))
  const scope = { ...reach, known }
  const page = query.where.all.length === 0 ? sortedPage : wantsAllMatches(query) ? matchedPage : uncountedPage
  return known?.isSmall ? page(scope, query) : plannedEachTime(page(scope, query))
}

/** For the total; and of many values few are likely to be among the first documents. */
function wantsAllMatches({ where, count }: ListQuery): boolean {
  return count || where.all.some(({ any }) => any.some(looksManyUp))
}
