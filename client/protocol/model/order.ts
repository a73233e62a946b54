/**
 * Compares documents in the order of a list, contract 4.1 and 13.5. `emulator/store/lists/order.ts` does the same in SQL,
 * and test/emulator/store/order-parity.test.ts compares the two.
 */
import { compareTexts } from './code-points.js'
import { parseInstant } from './instant.js'
import { type Json, type JsonObject, jsonType } from './json.js'
import type { Matchable } from './matching.js'
import type { Sort } from './page.js'
import { valueAt } from './path.js'
import { ownField } from './where.js'

export type Comparator = (one: Matchable, other: Matchable) => number

type Key = Json | undefined

/** Compiles a sort. Without fields, the newest documents come first. Ties are decided by the id. */
export function compileOrder(sort: readonly Sort[]): Comparator {
  const fields = sort[0] ? sort : newestFirst
  const byId = fields.findIndex(({ path }) => ownField(path) === 'id')
  const idSign = fields[byId]?.direction === 'desc' ? -1 : 1
  // Fields after the id decide nothing.
  const comparators = (byId < 0 ? fields : fields.slice(0, byId)).map(compileField)
  return (one, other) => {
    for (const compare of comparators) {
      const order = compare(one, other)
      if (order) return order
    }
    return idSign * compareTexts(one.id, other.id)
  }
}

const newestFirst: readonly Sort[] = [
  { path: ['createdAt'], direction: 'desc' },
  { path: ['id'], direction: 'desc' },
]

function compileField({ path, direction, isTime }: Sort): Comparator {
  const own = ownField(path)
  const sign = direction === 'desc' ? -1 : 1
  const read = (document: Matchable): Key => {
    if (own) return document[own]
    const value = valueAt(document.data, path)
    if (!isTime) return value
    return typeof value === 'string' ? parseInstant(value) : undefined
  }
  return (one, other) => {
    const [a, b] = [read(one), read(other)]
    // Missing values come last in both directions.
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return sign * compareValues(a, b)
  }
}

/** Types from least to greatest. */
const ranks = ['null', 'string', 'number', 'boolean', 'array', 'object']

function compareValues(one: Json, other: Json): number {
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  const type = jsonType(one)
  const order = ranks.indexOf(type) - ranks.indexOf(jsonType(other))
  if (order || type === 'null') return order
  if (type === 'array') return compareLists(one as Json[], other as Json[])
  if (type === 'object') return compareLists(toMembers(one as JsonObject), toMembers(other as JsonObject))
  return Number(one) - Number(other) || 0
}

/** Compares by size, then by content. */
function compareLists(one: readonly Json[], other: readonly Json[]): number {
  let order = one.length - other.length
  for (let at = 0; !order && at < one.length; at++) order = compareValues(one[at] ?? null, other[at] ?? null)
  return order
}

/** Lists names and values in the order of jsonb: shorter names first, in bytes of UTF-8. */
function toMembers(object: JsonObject): Json[] {
  const bytes = (name: string) => new TextEncoder().encode(name).length
  return Object.keys(object)
    .sort((one, other) => bytes(one) - bytes(other) || compareTexts(one, other))
    .flatMap((name) => [name, object[name] ?? null])
}
