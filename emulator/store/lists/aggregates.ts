/** Aggregates and groups all documents that a list would find. Contract 13.7. */
import type { AggregateOperation, Group, MatchQuery } from '../../../client/protocol/model/aggregate.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Database, type Fragment, literal, plannedEachTime, sql } from '../../database/port.js'
import { fieldValue, inCollection } from './fields.js'
import { ownTexts } from './own-field-test.js'
import { isLongScan, isStillSame, readPieces } from './pieces.js'
import { type ListPlan, type ListTarget, planList } from './plan.js'
import { compileWhere } from './where.js'

/** The number in `value`, null if it is anything else. */
const number = sql`case jsonb_typeof(value) when 'number' then value::numeric end`

/** Aggregates, joined to what other documents gave. Sums are exact, as decimals. */
const operations: { readonly [Operation in AggregateOperation]: (before: Fragment) => Fragment } = {
  count: (before) => sql`coalesce(${before}, 0) + count(*) filter (where jsonb_typeof(value) <> 'null')`,
  sum: (before) => sql`coalesce(${before}, 0) + coalesce(sum(${number}), 0)`,
  avg: (before) => sql`coalesce(${before}, 0) + coalesce(sum(${number}), 0)`,
  min: (before) => sql`least(${before}, min(${number}))`,
  max: (before) => sql`greatest(${before}, max(${number}))`,
}

interface Aggregated {
  readonly result: string | null
  /** How many of the values are numbers. */
  readonly numbers: number
}

interface Aggregating {
  readonly path: Path
  readonly operation: AggregateOperation
}

/**
 * Returns null if there are no numbers, except for `count` and `sum`. A sum may be infinite.
 *
 * @param pieceBytes size of a piece, where the documents are read in pieces
 */
export async function selectAggregate(
  db: Database,
  target: ListTarget,
  query: MatchQuery,
  asked: Aggregating,
  pieceBytes?: number,
): Promise<number | null> {
  const plan = planOf(target, query)
  const inPieces = isScanned(db, target, plan) ? await aggregateInPieces(db, plan, asked, pieceBytes) : undefined
  const found = inPieces
    ? averaged(asked, sql`(select ${inPieces.result}::text as result, ${inPieces.numbers}::int as numbers)`)
    : averaged(asked, sql`(${aggregated(asked, matches(plan), null)})`)
  const [row] = await db.query<{ result: string | null }>(plannedEachTime(found))
  const result = row?.result ?? null
  return result === null ? null : Number(result)
}

/** Returns nothing if the collection changes in between. */
async function aggregateInPieces(
  db: Database,
  { scope, query }: ListPlan,
  asked: Aggregating,
  maxBytes: number | undefined,
): Promise<Aggregated | undefined> {
  let found: Aggregated = { result: null, numbers: 0 }
  const seq = await readPieces<Aggregated>(db, {
    ...{ scope, maxBytes },
    read: (documents) => aggregated(asked, sql`${documents} and ${compileWhere(query.where, scope)}`, found.result),
    take({ result, numbers }) {
      found = { result, numbers: found.numbers + numbers }
      return true
    },
  })
  return seq === undefined ? undefined : found
}

function aggregated({ operation, path }: Aggregating, documents: Fragment, before: string | null): Fragment {
  const result = operations[operation](sql`${before}::numeric`)
  return sql`
    select (${result})::text as result, count(${number})::int as numbers
    from (select ${valueAt(path)} as value ${documents} offset 0) as found`
}

function averaged({ operation }: Aggregating, found: Fragment): Fragment {
  const result = operation === 'avg' ? sql`(result::numeric / nullif(numbers, 0))::text` : sql`result`
  return sql`select ${result} as result from ${found} as found`
}

/** A group's value appears twice in the answer. */
const maxValueBytes = sizes.maxAnswerBytes / 2

/**
 * Returns the most frequent values, and of equally frequent ones the oldest first; `too large` if the values exceed an
 * answer. Groups by a digest and loads each value once, because a value may take a megabyte.
 */
export async function selectGroups(
  db: Database,
  target: ListTarget,
  query: MatchQuery,
  path: Path,
  pieceBytes?: number,
): Promise<Group[] | 'too large'> {
  const plan = planOf(target, query)
  const inPieces = isScanned(db, target, plan) ? await groupInPieces(db, plan, path, pieceBytes) : undefined
  return inPieces ?? groupAtOnce(db, plan, path)
}

async function groupAtOnce(db: Database, plan: ListPlan, path: Path): Promise<Group[] | 'too large'> {
  const rows = await db.query<{ count: number | null; value: string; bytes: number }>(
    plannedEachTime(sql`
    with groups as materialized (
      ${groupsOf(path, matches(plan))}
      order by count desc, first
      limit ${literal(sizes.maxGroups)}
    ), size as (
      select coalesce(sum(bytes), 0)::bigint as bytes from groups
    )
    select size.bytes, groups.count, ${valueAt(path)}::text as value
    from size
    left join groups on size.bytes <= ${literal(maxValueBytes)}
    left join documents d on d.id = groups.first::uuid
    order by groups.count desc, groups.first`),
  )
  if ((rows[0]?.bytes ?? 0) > maxValueBytes) return 'too large'
  return rows.flatMap(({ count, value }) => (count === null ? [] : [{ value: new JsonText(value), count }]))
}

/** Limits the groups of a scan, which are sorted in one turn of the event loop. More are counted in one statement. */
const maxGroupsInMemory = 15_000

type FoundGroup = readonly [digest: string, count: number, first: string, bytes: number]

/** Returns nothing if the collection changes in between, or there are too many groups. */
async function groupInPieces(
  db: Database,
  { scope, query }: ListPlan,
  path: Path,
  maxBytes: number | undefined,
): Promise<Group[] | 'too large' | undefined> {
  const found = new Map<string, FoundGroup>()
  const seq = await readPieces<{ groups: string }>(db, {
    ...{ scope, maxBytes },
    read: (documents) => sql`
      select coalesce(jsonb_agg(jsonb_build_array(encode(digest, 'base64'), count, first, bytes)), '[]')::text as groups
      from (${groupsOf(path, sql`${documents} and ${compileWhere(query.where, scope)}`)}) as groups`,
    take({ groups }) {
      for (const group of JSON.parse(groups) as FoundGroup[]) {
        const [digest, count, first, bytes] = group
        const known = found.get(digest)
        // Pieces come in the order of the ids.
        found.set(digest, known ? [digest, known[1] + count, known[2], bytes] : [digest, count, first, bytes])
      }
      return found.size <= maxGroupsInMemory
    },
  })
  if (seq === undefined || found.size > maxGroupsInMemory) return undefined
  const frequent = [...found.values()]
    .sort(([, count, first], [, other, second]) => other - count || (first < second ? -1 : 1))
    .slice(0, sizes.maxGroups)
  if (frequent.reduce((sum, [, , , bytes]) => sum + bytes, 0) > maxValueBytes) return 'too large'
  const ids = frequent.map(([, , first]) => first)
  const rows = await db.query<{ id: string; value: string }>(sql`
    select d.id, ${valueAt(path)}::text as value from documents d where d.id = any(${ids}::uuid[])`)
  if (!(await isStillSame(db, scope, seq))) return undefined
  const values = new Map(rows.map(({ id, value }) => [id, value]))
  return frequent.flatMap(([, count, first]) => {
    const value = values.get(first)
    return value === undefined ? [] : [{ value: new JsonText(value), count }]
  })
}

function groupsOf(path: Path, documents: Fragment): Fragment {
  return sql`
      select sha256(convert_to(value, 'UTF8')) as digest, count(*)::int as count, min(id) as first,
        max(octet_length(value)) as bytes
      from (select d.id::text collate "C" as id, ${valueAt(path)}::text as value ${documents} offset 0) as found
      where value <> 'null'
      group by digest`
}

function valueAt(path: Path): Fragment {
  const own = ownField(path)
  return own ? sql`to_jsonb(${ownTexts[own]})` : fieldValue(path)
}

function matches({ scope, query }: ListPlan): Fragment {
  const condition = compileWhere(query.where, { ...scope, foundIn: scope.collection })
  return sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
}

/** Without the remembered totals, with which a list looks near its page first. */
function planOf(target: ListTarget, query: MatchQuery): ListPlan {
  return planList(
    { ...target, totals: undefined },
    { ...query, sort: [], select: [], limit: 0, offset: 0, count: true },
  )
}

/**
 * Whether all documents of a large collection are read, where others wait for that. An index serves a filter with `eq`, `in` or a
 * time of the service, so these take one statement.
 */
function isScanned(db: Database, { indexes, collection }: ListTarget, { strategy, scope, isScan }: ListPlan): boolean {
  if (!isScan && strategy !== 'walk') return false
  return isLongScan(db, scope.known ?? indexes?.request(collection.id, []))
}
