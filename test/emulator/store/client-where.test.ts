import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toWhere } from '../../../client/collections/where.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { matches } from '../../../client/protocol/model/matching.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { decodeListQuery, parseQuery } from '../../../client/protocol/wire/query/decode.js'
import { encodeListQuery } from '../../../client/protocol/wire/query/encode.js'
import { formatQuery } from '../../../client/protocol/wire/query/format.js'

/** A filter as apps write it, for the fields `a` and `b`. */
interface Filter {
  readonly a?: Condition
  readonly b?: Condition
  readonly or?: readonly Filter[]
  readonly and?: readonly Filter[]
  readonly not?: Filter
}
interface Condition {
  readonly eq?: number
  readonly ne?: number
  readonly in?: readonly number[]
  readonly exists?: boolean
  readonly isnull?: boolean
}

const small = fc.integer({ min: 0, max: 2 })
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ eq: small }),
  fc.record({ ne: small }),
  fc.record({ in: fc.array(small, { maxLength: 2 }) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ isnull: fc.boolean() }),
)
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    fc.record({ a: condition, b: condition }, { requiredKeys: [] }),
    fc.record(
      {
        a: condition,
        or: fc.array(tie('filter'), { maxLength: 2 }),
        and: fc.array(tie('filter'), { maxLength: 2 }),
        not: tie('filter'),
      },
      { requiredKeys: [] },
    ),
  ),
}))
const field = fc.option(fc.oneof(small, fc.constant(null)), { nil: undefined })

test('contract 13.6 a filter of the client means what it says, before and after the wire', () => {
  fc.assert(
    fc.property(filter, fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 9 }), (asked, pairs) => {
      const where = toWhere(asked)
      // A query of over 200 tests is refused.
      fc.pre(where.all.reduce((sum, { any }) => sum + any.length, 0) < 60)
      const query = formatQuery(encodeListQuery(dialects.a, { where }))
      const read = decodeListQuery(dialects.a, parseQuery(query)).where

      for (const [a, b] of pairs) {
        const data: Record<string, Json> = { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) }
        const document = { id: 'x', createdAt: '', updatedAt: '', data }
        const wanted = holds(asked, data)
        expect([matches(where, document), matches(read, document)], query).toEqual([wanted, wanted])
      }
    }),
    { numRuns: 500 },
  )
})

function holds(filter: Filter, data: Record<string, Json>): boolean {
  const { or, and = [], not } = filter
  return (
    (['a', 'b'] as const).every((name) => meets(data[name], filter[name] ?? {})) &&
    (or === undefined || or.some((one) => holds(one, data))) &&
    and.every((one) => holds(one, data)) &&
    !(not && holds(not, data))
  )
}

const tests: { readonly [Name in keyof Condition]-?: (value: Json | undefined, wanted: never) => boolean } = {
  eq: (value, wanted) => value === wanted,
  ne: (value, wanted) => value !== wanted,
  in: (value, wanted: readonly Json[]) => value !== undefined && wanted.includes(value),
  exists: (value, wanted) => (value !== undefined) === wanted,
  isnull: (value, wanted) => (value === undefined || value === null) === wanted,
}

function meets(value: Json | undefined, condition: Condition): boolean {
  return Object.entries(condition).every(([name, wanted]) => tests[name as keyof Condition](value, wanted as never))
}
