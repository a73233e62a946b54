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

/** A larger collection takes more than the ten seconds that a statement may. */
const maxPieces = 150

/** Each piece returns as many ids as the page and what comes before it. */
const maxLastRow = 1_000

interface PieceRow {
  /** The last document of the piece; null behind the last piece. */
  readonly last: string | null
  readonly total: number
  /** Whether the collection has not changed since the list began. */
  readonly is_same: boolean
  /** The first matches in the order of the list, as JSON. */
  readonly ids: string
}

/**
 * Whether the list is worth it: it scans over two pieces, or a collection that has not been counted yet, and only this database
 * makes others wait for that.
 */
export function isInPieces(
  { capabilities }: Pick<Database, 'capabilities'>,
  { isScan, scope, query }: ListPlan,
): boolean {
  const { documents, bytes = 0 } = scope.known ?? {}
  const isLarge = documents === undefined || bytes > 2 * pieceBytes
  return isScan && isLarge && !capabilities.runsTransactionsTogether && lastRow(query) <= maxLastRow
}

/** Returns the rows of a page, or nothing if the collection is too large or changes in between. Contract 4.8. */
export async function selectInPieces<Row>(
  db: Database,
  plan: ListPlan,
  maxBytes = pieceBytes,
): Promise<Row[] | undefined> {
  const { scope, query, ordering } = plan
  const [begun] = await db.query<{ seq: number | null }>(sql`select ${lastSeq(scope.project)} as seq`)
  const seq = begun?.seq ?? undefined
  if (seq === undefined) return undefined
  let ids: string[] = []
  let total = 0
  let last: string | null = null
  let pieceCount = 0
  do {
    const [piece]: PieceRow[] = await db.query<PieceRow>(selectPiece(plan, { last, seq, maxBytes }))
    if (!piece?.is_same || ++pieceCount > maxPieces) return undefined
    last = piece.last
    total += piece.total
    // By id, the first pieces have the page.
    if (!ordering.isById || ids.length < lastRow(query)) ids.push(...(JSON.parse(piece.ids) as string[]))
    if (!ordering.isById && ids.length >= 2 * lastRow(query)) ids = await keepFirst(db, plan, ids)
  } while (last !== null && (query.count || !ordering.isById || ids.length < lastRow(query)))
  const counted = { total, seq }
  const rows = await db.query<Row>(pageOfMatches(plan, hasId(ids), counted))
  const [state] = await db.query<{ is_same: boolean }>(sql`select ${isUnchanged(scope, counted)} as is_same`)
  return state?.is_same ? rows : undefined
}

interface PieceStart {
  /** The last document of the piece before. */
  readonly last: string | null
  /** The number of the last change when the list began. */
  readonly seq: number
  readonly maxBytes: number
}

/** Searches the documents behind `last`, in the order of the list if that is by id. */
function selectPiece(plan: ListPlan, { last, seq, maxBytes }: PieceStart): Fragment {
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
    select (select id from ending) as last, (select count(*)::int from matched) as total,
      ${isUnchanged(scope, { total: 0, seq })} as is_same, coalesce((
        select jsonb_agg(id) from (${selectFirst(plan, sql`matched`)}) as first
      ), '[]')::text as ids`)
}

/** Keeps the ids that may be on the page, so that the last statement reads few documents again. */
async function keepFirst(db: Database, plan: ListPlan, ids: readonly string[]): Promise<string[]> {
  const from = sql`from documents d where ${hasId(ids)}`
  const rows = await db.query<{ id: string }>(selectFirst(plan, sql`(${plan.ordering.select(from)}) as found`))
  return rows.map(({ id }) => id)
}

function selectFirst({ ordering, query }: ListPlan, from: Fragment): Fragment {
  return sql`select id from ${from} order by ${ordering.order} limit ${lastRow(query)}::bigint`
}

function hasId(ids: readonly string[]): Fragment {
  return sql`d.id = any(${ids}::uuid[])`
}

/** Position of the last row of the page among all matches, from 1. */
function lastRow({ limit, offset }: ListPlan['query']): number {
  return limit + offset
}
