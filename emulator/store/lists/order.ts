import type { Sort } from '../../../client/protocol/model/page.js'
import { type OwnField, ownField } from '../../../client/protocol/model/where.js'
import { type Fragment, identifier, joinSql, nothing, sql } from '../../database/port.js'
import { fieldInstant, fieldValue, inOrder, ownTimes } from './fields.js'

/** The order of a list: how to read what decides it from `documents d`, and the order itself. */
export interface Ordering {
  /** The column `value`, null if the field is missing. Only for a sort by one field. */
  readonly value: Fragment
  /** The names of the columns that `order` needs besides the id. */
  readonly names: Fragment
  /** An `order by` list over `id` and these columns. */
  readonly order: Fragment
  readonly direction: Fragment
  readonly opposite: Fragment
  /** The order of the documents in an index, apart from those it excludes. Only for a sort by one field. */
  readonly inIndex: Fragment
  /** Ends a select of `value` if it should be computed only once, although the order uses it several times. */
  readonly fence: Fragment
  /** Whether the order is by id only. */
  readonly isById: boolean
  /** Selects `id` and the columns of `names`, from `from documents d …`. */
  select(from: Fragment): Fragment
}

/** Returns the order of contract 4.1 and 13.5. Fields after the id decide nothing. */
export function buildOrdering(sort: readonly Sort[]): Ordering {
  const [first, second] = sort
  if (first && second && ownField(first.path) !== 'id') return orderByFields(sort)
  const ordering = orderByField(first)
  return {
    ...ordering,
    names: sql`value`,
    select: (from) => sql`select d.id, ${ordering.value} as value ${from} ${ordering.fence}`,
  }
}

/**
 * Returns the order by one field. It is that of jsonb except for the empty array, which jsonb sorts before
 * everything. The first key sets arrays and objects apart, so that the empty array comes first among the arrays.
 */
function orderByField(sort: Sort | undefined): Omit<Ordering, 'names' | 'select'> {
  const isAscending = sort?.direction === 'asc'
  const ways = isAscending ? { direction: sql`asc`, opposite: sql`desc` } : { direction: sql`desc`, opposite: sql`asc` }
  const { direction } = ways
  const own = sort ? ownField(sort.path) : 'id'
  if (!sort || own === 'id') {
    return {
      value: sql`null::text`,
      order: sql`id ${direction}`,
      inIndex: sql`d.id ${direction}`,
      ...ways,
      fence: nothing,
      isById: true,
    }
  }
  if (own)
    return {
      value: ownTimes[own],
      order: sql`value ${direction}, id`,
      inIndex: sql`${ownTimes[own]} ${direction}, d.id`,
      ...ways,
      fence: nothing,
      isById: false,
    }
  if (sort.isTime) {
    const value = fieldInstant(sort.path)
    return {
      value,
      order: sql`value ${direction} nulls last, id`,
      inIndex: sql`${value} ${direction} nulls last, d.id`,
      ...ways,
      fence: sql`offset 0`,
      isById: false,
    }
  }
  return {
    value: inOrder(fieldValue(sort.path)),
    order: sql`(value > ${inOrder(sql`'true'::jsonb`)} or value = ${inOrder(sql`'[]'::jsonb`)}) ${direction} nulls last, value ${direction} nulls last, id`,
    ...ways,
    inIndex: sql`${inOrder(fieldValue(sort.path))} ${direction} nulls last, d.id`,
    fence: sql`offset 0`,
    isById: false,
  }
}

/** A column that one of several fields is sorted by. */
interface SortColumn {
  /** The value as `documents d` have it. */
  readonly raw: Fragment
  /** The columns made of it, as `field.<column>`. */
  readonly columns: readonly { readonly name: Fragment; readonly value: Fragment }[]
  readonly keys: readonly Fragment[]
}

/**
 * Returns the order by several fields: later ones decide where earlier ones are equal, and finally the id. Reading takes most of
 * the time, so each document is decompressed once, which `|| '{}'` does without a copy, and each field is read once.
 */
function orderByFields(sort: readonly Sort[]): Ordering {
  const byId = sort.findIndex(({ path }) => ownField(path) === 'id')
  const fields = (byId === -1 ? sort : sort.slice(0, byId)).map(sortColumn)
  const idDirection = sort[byId]?.direction === 'desc' ? sql`desc` : sql`asc`
  const columns = fields.flatMap((field) => field.columns)
  const list = (fragments: readonly Fragment[]) => joinSql(fragments, ', ')
  return {
    value: sql`null::text`,
    names: list(columns.map(({ name }) => name)),
    order: sql`${list(fields.flatMap(({ keys }) => keys))}, id ${idDirection}`,
    direction: sql`asc`,
    opposite: sql`desc`,
    inIndex: sql`d.id`,
    fence: sql`offset 0`,
    isById: false,
    select: (from) => sql`select field.id, ${list(columns.map(({ name, value }) => sql`${value} as ${name}`))}
      from (
        select d.id, ${list(fields.map(({ raw }, at) => sql`${raw} as ${rawName(at)}`))}
        from (
          select d.id, d.created_at, d.updated_at, d.data || '{}' as data ${from}
          offset 0
        ) as d
        offset 0
      ) as field
      offset 0`,
  }
}

const rawName = (at: number) => identifier(`raw_${at}`)

function sortColumn({ path, direction: way, isTime, asText }: Sort, at: number): SortColumn {
  const direction = way === 'asc' ? sql`asc` : sql`desc`
  const name = identifier(`value_${at}`)
  const raw = sql`field.${rawName(at)}`
  const own = ownField(path)
  if (isTime || isOwnTime(own)) {
    return {
      raw: isOwnTime(own) ? ownTimes[own] : fieldInstant(path),
      columns: [{ name, value: raw }],
      keys: [sql`${name} ${direction} nulls last`],
    }
  }
  if (asText) {
    return {
      raw: fieldValue(path),
      columns: [{ name, value: sql`(${raw} #>> '{}') collate "C"` }],
      keys: [sql`${name} ${direction} nulls last`],
    }
  }
  // The empty array, which jsonb sorts before everything, becomes the least array of one item, and stays before that itself.
  // Of all values, only it and the empty object are this small, and telling by size costs half as much as comparing.
  const apart = identifier(`apart_${at}`)
  const [field, below] = path
  return {
    raw: below === undefined ? sql`d.data -> ${field}::text` : fieldValue(path),
    columns: [
      {
        name,
        value: inOrder(sql`case when pg_column_size(${raw}) <= 8 and ${raw} = '[]' then '[null]' else ${raw} end`),
      },
      { name: apart, value: sql`pg_column_size(${raw}) > 8` },
    ],
    keys: [sql`${name} ${direction} nulls last`, sql`${apart} ${direction}`],
  }
}

function isOwnTime(own: OwnField | undefined): own is keyof typeof ownTimes {
  return own !== undefined && own !== 'id'
}
