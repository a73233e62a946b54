import { isId } from '../../../client/protocol/model/document.js'
import { canHold, type OwnField, type PlainTest } from '../../../client/protocol/model/where.js'
import { type Fragment, sql } from '../../database/port.js'
import { anyOf, comparisons, escaped, isLike, isLikeAnyCase, type Order } from '../sql-fragments.js'
import { ownTimes } from './fields.js'
import { timeTest } from './time-test.js'

/**
 * Compiles a test of a built-in field. Each is a text that always exists; times are ISO 8601 UTC with milliseconds.
 * Times of linked records are compared as texts.
 */
export function ownFieldTest(field: OwnField, test: PlainTest): Fragment {
  if (test.isTime && field !== 'id') return timeTest(ownTimes[field], test)
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
    case 'exists':
      return test.exists ? sql`true` : sql`false`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return canHold(test.value) ? compares(field, test.operator, test.value) : sql`false`
    case 'contains':
      return like(ownTexts[field], `%${escaped(test.value)}%`)
    case 'icontains':
      return like(ownTexts[field], `%${escaped(test.value)}%`, { ignoresCase: true })
    case 'startswith':
      return like(ownTexts[field], `${escaped(test.value)}%`, test)
    case 'endswith':
      return like(ownTexts[field], `%${escaped(test.value)}`, test)
  }
}

const iso = (time: Fragment) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** The texts of built-in fields, as answers have them. */
export const ownTexts: Readonly<Record<OwnField, Fragment>> = {
  id: sql`d.id::text`,
  createdAt: iso(ownTimes.createdAt),
  updatedAt: iso(ownTimes.updatedAt),
}

/** A text in any other format than the service's matches no document. */
function equals(field: OwnField, values: readonly string[]): Fragment {
  if (field === 'id') return anyOf(values.filter(isId).map((id) => sql`d.id = ${id}::uuid`))
  return anyOf(values.filter((text) => isMoment(text)).map((time) => sql`${ownTimes[field]} = ${time}::timestamptz`))
}

function compares(field: OwnField, order: Order, text: string): Fragment {
  if (field === 'id') {
    if (isId(text)) return sql`d.id ${comparisons[order]} ${text}::uuid`
    return sql`d.id::text collate "C" ${comparisons[order]} ${text}`
  }
  const time = ownTimes[field]
  if (isMoment(text)) return sql`${time} ${comparisons[order]} ${text}::timestamptz`
  const test = sql`${ownTexts[field]} collate "C" ${comparisons[order]} ${text}`
  const day = `${text.slice(0, 10)}T00:00:00.000Z`
  if (!isMoment(day)) return test
  // Adds a condition for an index: the text only decides among the times of its day.
  return order === 'gt' || order === 'gte'
    ? sql`(${time} >= ${day}::timestamptz and ${test})`
    : sql`(${time} < ${day}::timestamptz + interval '24 hours' and ${test})`
}

/** Whether a text is a time in the format of the service. PostgreSQL has no year 0. */
function isMoment(text: string): boolean {
  const time = new Date(text)
  return /^\d{4}-/.test(text) && text >= '0001' && !Number.isNaN(time.getTime()) && time.toISOString() === text
}

function like(subject: Fragment, pattern: string, { ignoresCase }: { readonly ignoresCase?: true } = {}): Fragment {
  if (!canHold(pattern)) return sql`false`
  return ignoresCase ? isLikeAnyCase(subject, pattern) : isLike(subject, pattern)
}
