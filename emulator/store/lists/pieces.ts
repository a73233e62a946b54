/**
 * Reads a list that no index serves in several short statements. The embedded database runs one statement at a time, so a scan
 * of 54 MB in one would make every other caller wait for a second. Decision 69.
 */
import { type Database, type Fragment, plannedEachTime, sql } from '../../database/port.js'
import { inCollectionIndex, pageOfMatches } from './page.js'
import type { ListPlan } from './plan.js'
import { isUnchanged, lastSeq } from './totals.js'
import { compileWhere } from './where.js'

/** Takes some 50 ms. */
const pieceBytes = 4 * 1024 * 1024
const maxPieceDocuments = 10_000

/** Each piece returns as many ids as the page and what comes before it. */
const maxPageEnd = 1_000

interface PieceRow {
  /** The last document of the piece; null behind the last piece. */
  readonly last: string | null
  readonly total: number
  /** The first matches in the order of the list, as JSON. */
  readonly ids: string
}

/** Whether the list is worth it: it scans over two pieces, and only this database makes others wait for that. */
export function isInPieces(
  { capabilities }: Pick<Database, 'capabilities'>,
  { isScan, scope, query }: ListPlan,
): boolean {
  const { known: { bytes = 0 } = {} } = scope
  return isScan && !capabilities.runsTransactionsTogether && bytes > 2 * pieceBytes && pageEnd(query) <= maxPageEnd
}

/** Returns the rows of a page, or nothing if the collection changed in between. Contract 4.8. */
export async function selectInPieces<Row>(
  db: Database,
  plan: ListPlan,
  maxBytes = pieceBytes,
): Promise<Row[] | undefined> {
  const { scope, query, ordering } = plan
  const [begun] = await db.query<{ seq: number | null }>(sql`select ${lastSeq(scope.project)} as seq`)
  const seq = begun?.seq ?? undefined
  if (seq === undefined) return undefined
  const ids: string[] = []
  let total = 0
  let last: string | null = null
  do {
    const [piece]: PieceRow[] = await db.query<PieceRow>(selectPiece(plan, last, maxBytes))
    last = piece?.last ?? null
    total += piece?.total ?? 0
    ids.push(...(JSON.parse(piece?.ids ?? '[]') as string[]))
  } while (last !== null && (query.count || !ordering.isById || ids.length < pageEnd(query)))
  const counted = { total, seq }
  const rows = await db.query<Row>(pageOfMatches(plan, sql`d.id = any(${ids}::uuid[])`, counted))
  const [state] = await db.query<{ is_same: boolean }>(sql`select ${isUnchanged(scope, counted)} as is_same`)
  return state?.is_same ? rows : undefined
}

/** Searches the documents behind `last`, in the order of the list if that is by id. */
function selectPiece(plan: ListPlan, last: string | null, maxBytes: number): Fragment {
  const { scope, query, ordering } = plan
  const isDescending = ordering.isById && query.sort[0]?.direction !== 'asc'
  const [way, after, upTo] = isDescending ? [sql`desc`, sql`<`, sql`>=`] : [sql`asc`, sql`>`, sql`<=`]
  const rest = last === null ? sql`true` : sql`d.id ${after} ${last}::uuid`
  const inCollection = inCollectionIndex(scope.collection)
  return plannedEachTime(sql`
    with piece as materialized (
      select id, place
      from (
        select d.id, row_number() over own as place, sum(pg_column_size(d.data)) over own as bytes
        from documents d
        where ${inCollection} and ${rest}
        window own as (order by d.collection_id ${way}, d.id ${way})
        order by d.collection_id ${way}, d.id ${way}
        limit ${maxPieceDocuments}::bigint
      ) as documents
      where place = 1 or bytes <= ${maxBytes}::bigint
    ), ending as materialized (
      select id from piece order by place desc limit 1
    ), matched as materialized (
      ${ordering.select(sql`from documents d where ${inCollection} and ${rest} and d.id ${upTo} (select id from ending)
        and ${compileWhere(query.where, scope)}`)}
    )
    select (select id from ending) as last, (select count(*)::int from matched) as total, coalesce((
      select jsonb_agg(id)
      from (select id from matched order by ${ordering.order} limit ${pageEnd(query)}::bigint) as first
    ), '[]')::text as ids`)
}

function pageEnd({ limit, offset }: ListPlan['query']): number {
  return limit + offset
}
