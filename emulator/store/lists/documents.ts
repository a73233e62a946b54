import type { ListedDocument } from '../../../client/protocol/model/document.js'
import type { ListQuery, Page } from '../../../client/protocol/model/page.js'
import type { Database } from '../../database/port.js'
import { type DocumentRow, listedFromRow } from '../documents.js'
import { buildPage } from './page.js'
import { isInPieces, selectInPieces } from './pieces.js'
import { type ListPlan, type ListTarget, planList } from './plan.js'

type PageRow = { total: number | null; seq: number | null } & ({ id: null } | Omit<DocumentRow, 'created_by'>)

async function selectRows(db: Database, plan: ListPlan): Promise<PageRow[]> {
  const rows = isInPieces(db, plan) ? await selectInPieces<PageRow>(db, plan) : undefined
  return rows ?? db.query<PageRow>(buildPage(plan))
}

/** Returns a page of a collection and, if asked, the total, from one snapshot of the database. Contract 4. */
export async function selectPage(db: Database, target: ListTarget, query: ListQuery): Promise<Page<ListedDocument>> {
  let plan = planList(target, query)
  let rows = await selectRows(db, plan)
  if (plan.strategy === 'look only near' && rows.length < query.limit) {
    plan = planList(target, query, { isFar: true })
    rows = await selectRows(db, plan)
  }
  const { total, seq } = rows[0] ?? {}
  if (plan.totalKey !== undefined && typeof total === 'number' && typeof seq === 'number') {
    target.totals?.keep(plan.totalKey, { total, seq })
  }
  return {
    items: rows.filter((row) => row.id !== null).map((row) => listedFromRow(row, target.collection)),
    total: query.count ? (rows[0]?.total ?? 0) : null,
    limit: query.limit,
    offset: query.offset,
    seq: seq ?? undefined,
  }
}
