/** Aggregates and groups all documents that a list would find. Contract 13.7. */
import type { AggregateOperation, Group, MatchQuery } from '../../../client/protocol/model/aggregate.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'
import { type Database, type Fragment, literal, plannedEachTime, sql } from '../../database/port.js'
import { fieldValue, inCollection } from './fields.js'
import { ownTexts } from './own-field-test.js'
import { type ListTarget, planList } from './plan.js'
import { compileWhere } from './where.js'

/** The number in `value`, null if it is anything else. */
const number = sql`case jsonb_typeof(value) when 'number' then value::numeric end`

/** Sums are exact, as decimals. */
const operations: { readonly [Operation in AggregateOperation]: Fragment } = {
  count: sql`count(*) filter (where jsonb_typeof(value) <> 'null')`,
  sum: sql`coalesce(sum(${number}), 0)`,
  avg: sql`avg(${number})`,
  min: sql`min(${number})`,
  max: sql`max(${number})`,
}

/** Returns null if there are no numbers, except for `count` and `sum`. A sum may be infinite. */
export async function selectAggregate(
  db: Database,
  target: ListTarget,
  query: MatchQuery,
  { path, operation }: { readonly path: Path; readonly operation: AggregateOperation },
): Promise<number | null> {
  const [row] = await db.query<{ result: string | null }>(
    plannedEachTime(sql`
    select (${operations[operation]})::text as result
    from (select ${valueAt(path)} as value ${matches(target, query)} offset 0) as found`),
  )
  const result = row?.result ?? null
  return result === null ? null : Number(result)
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
): Promise<Group[] | 'too large'> {
  const rows = await db.query<{ count: number | null; value: string; bytes: number }>(
    plannedEachTime(sql`
    with groups as materialized (
      select count(*)::int as count, min(id) as first, max(octet_length(value)) as bytes
      from (select d.id::text collate "C" as id, ${valueAt(path)}::text as value ${matches(target, query)} offset 0) as found
      where value <> 'null'
      group by sha256(convert_to(value, 'UTF8'))
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

function valueAt(path: Path): Fragment {
  const own = ownField(path)
  return own ? sql`to_jsonb(${ownTexts[own]})` : fieldValue(path)
}

function matches(target: ListTarget, query: MatchQuery): Fragment {
  const { scope } = planList(target, { ...query, sort: [], select: [], limit: 0, offset: 0, count: true })
  const condition = compileWhere(query.where, { ...scope, foundIn: scope.collection })
  return sql`from documents d where ${inCollection(scope.collection)} and ${condition}`
}
