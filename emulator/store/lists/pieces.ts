/**
 * Reads a list that no index serves in several short statements. The embedded database runs one statement at a time, so a scan
 * of 54 MB in one would make every other caller wait for a second. Decision 69.
 */
import { type Database, type Fragment, plannedEachTime, sql } from '../../database/port.js'
import type { KnownFields } from './indexes.js'
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

/**
 * Whether pieces are worth it: only this database makes others wait, and the collection has over two of them, or has not been
 * counted yet.
 */
export function isLongScan(
  { capabilities }: Pick<Database, 'capabilities'>,
  { documents, bytes = 0 }: Partial<KnownFields> = {},
): boolean {
  const isLarge = documents === undefined || bytes > 2 * pieceBytes
  return isLarge && !capabilities.runsTransactionsTogether
}

export function isInPieces(db: Pick<Database, 'capabilities'>, { isScan, scope, query }: ListPlan): boolean {
  return isScan && isLongScan(db, scope.known) && lastRow(query) <= maxLastRow
}

/** A scan of the documents of a collection. */
export interface Scan<Row> {
  readonly scope: ListPlan['scope']
  readonly isDescending?: boolean
  readonly maxBytes?: number | undefined
  /** Returns a query of one row, given the documents of a piece as `from documents d where …`. */
  read(documents: Fragment): Fragment
  /** Takes what a piece gave. Returns whether to go on. */
  take(row: Row): boolean | Promise<boolean>
}

interface PieceRow {
  /** The last document of the piece; null behind the last piece. */
  readonly last: string | null
  /** Whether the collection has not changed since the scan began. */
  readonly is_same: boolean
}

/**
 * Reads piece after piece. Returns the number of the project's last change when it began, or nothing if the collection is too
 * large or changes in between.
 */
export async function readPieces<Row>(db: Database, scan: Scan<Row>): Promise<number | undefined> {
  const [begun] = await db.query<{ seq: number | null }>(sql`select ${lastSeq(scan.scope.project)} as seq`)
  const seq = begun?.seq ?? undefined
  if (seq === undefined) return undefined
  let last: string | null = null
  let pieceCount = 0
  do {
    const [piece]: (PieceRow & Row)[] = await db.query<PieceRow & Row>(selectPiece(scan, { last, seq }))
    if (!piece?.is_same || ++pieceCount > maxPieces) return undefined
    last = piece.last
    if (!(await scan.take(piece))) break
  } while (last !== null)
  return seq
}

interface PieceStart {
  /** The last document of the piece before. */
  readonly last: string | null
  /** The number of the last change when the scan began. */
  readonly seq: number
}

/** Searches the documents behind `last`. */
function selectPiece<Row>(scan: Scan<Row>, { last, seq }: PieceStart): Fragment {
  const { scope, isDescending, maxBytes = pieceBytes } = scan
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
    )
    select (select id from ending) as last, ${isUnchanged(scope, { total: 0, seq })} as is_same, part.*
    from (${scan.read(sql`from documents d where ${inCollection} and ${rest} and d.id ${upTo} (select id from ending)`)}) as part`)
}

interface FoundIds {
  readonly total: number
  /** The first matches in the order of the list, as JSON. */
  readonly ids: string
}

/** Returns the rows of a page, or nothing if the collection is too large or changes in between. Contract 4.8. */
export async function selectInPieces<Row>(db: Database, plan: ListPlan, maxBytes?: number): Promise<Row[] | undefined> {
  const { scope, query, ordering } = plan
  let ids: string[] = []
  let total = 0
  const seq = await readPieces<FoundIds>(db, {
    ...{ scope, maxBytes, isDescending: ordering.isById && query.sort[0]?.direction !== 'asc' },
    read: (documents) => sql`
      with matched as materialized (
        ${ordering.select(sql`${documents} and ${compileWhere(query.where, scope)}`)}
      )
      select (select count(*)::int from matched) as total, coalesce((
        select jsonb_agg(id) from (${selectFirst(plan, sql`matched`)}) as first
      ), '[]')::text as ids`,
    async take(found) {
      total += found.total
      // By id, the first pieces have the page.
      if (!ordering.isById || ids.length < lastRow(query)) ids.push(...(JSON.parse(found.ids) as string[]))
      if (!ordering.isById && ids.length >= 2 * lastRow(query)) ids = await keepFirst(db, plan, ids)
      return query.count || !ordering.isById || ids.length < lastRow(query)
    },
  })
  if (seq === undefined) return undefined
  const counted = { total, seq }
  const rows = await db.query<Row>(pageOfMatches(plan, hasId(ids), counted))
  return (await isStillSame(db, scope, seq)) ? rows : undefined
}

/** Whether the collection has not changed since a scan began. */
export async function isStillSame(db: Database, scope: ListPlan['scope'], seq: number): Promise<boolean> {
  const [state] = await db.query<{ is_same: boolean }>(sql`select ${isUnchanged(scope, { total: 0, seq })} as is_same`)
  return state?.is_same === true
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
