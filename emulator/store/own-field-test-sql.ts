import { canHold, type OwnField, type Test } from '../../client/model/where.js'
import { type Fragment, sql } from '../database/database.js'
import { anyOf, comparisons, escaped, isLikeAnyCase, type Order } from './sql-words.js'

/** One test of a field that the service sets. Each is a text that is always there; times are ISO 8601 UTC with milliseconds. */
export function ownFieldTest(field: OwnField, test: Test): Fragment {
  switch (test.operator) {
    case 'eq':
      return equals(field, [test.value])
    case 'ne':
      return sql`not ${equals(field, [test.value])}`
    case 'in':
      return equals(field, test.values)
    case 'notin':
      return sql`not ${equals(field, test.values)}`
    case 'isnull':
      return test.isNull ? sql`false` : sql`true`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return canHold(test.value) ? compares(field, test.operator, test.value) : sql`false`
    case 'contains':
      return like(texts[field], `%${escaped(test.value)}%`)
    case 'icontains':
      return canHold(test.value) ? isLikeAnyCase(texts[field], `%${escaped(test.value)}%`) : sql`false`
    case 'startswith':
      return like(texts[field], `${escaped(test.value)}%`)
    case 'endswith':
      return like(texts[field], `%${escaped(test.value)}`)
  }
}

const iso = (time: Fragment) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const texts: Readonly<Record<OwnField, Fragment>> = {
  id: sql`d.id::text`,
  createdAt: iso(sql`d.created_at`),
  updatedAt: iso(sql`d.updated_at`),
}

/** The column beside its type, which orders as its text does, and the texts that the type can take for what they are. */
const columns: Readonly<Record<OwnField, { column: Fragment; type: Fragment; takes(text: string): boolean }>> = {
  id: { column: sql`d.id`, type: sql`uuid`, takes: isCanonicalUuid },
  createdAt: { column: sql`d.created_at`, type: sql`timestamptz`, takes: isCanonicalTime },
  updatedAt: { column: sql`d.updated_at`, type: sql`timestamptz`, takes: isCanonicalTime },
}

function isCanonicalUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

function isCanonicalTime(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString() === text
}

/** A text that is not written as the service writes it is nobody's. */
function equals(field: OwnField, values: readonly string[]): Fragment {
  const { column, type, takes } = columns[field]
  return anyOf(values.filter(takes).map((text) => sql`${column} = ${text}::${type}`))
}

function compares(field: OwnField, order: Order, text: string): Fragment {
  const { column, type, takes } = columns[field]
  if (takes(text)) return sql`${column} ${comparisons[order]} ${text}::${type}`
  return sql`${texts[field]} collate "C" ${comparisons[order]} ${text}`
}

function like(subject: Fragment, pattern: string): Fragment {
  return canHold(pattern) ? sql`${subject} like ${pattern} escape '\\'` : sql`false`
}
