/** Encodes counts, aggregates and groups. Only the envelope depends on the dialect. Contract 13.7. */
import { type Aggregate, aggregateOperations, type Grouped } from '../../model/aggregate.js'
import { objectOfMany, type Writable } from '../../model/json.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { arrayOf, count, object, oneOf, text } from '../json-schema.js'
import { oneByOne } from './documents.js'

export const countSchema: JsonSchema = object({ count })

export const aggregateSchema: JsonSchema = object({
  field: text,
  operation: oneOf(aggregateOperations),
  result: { type: ['number', 'null'] },
  collection: text,
})

/** Each group also has its value under the name of the field. */
export const groupsSchema: JsonSchema = arrayOf({ ...object({ value: {}, count }), additionalProperties: true })

export function encodeCount(dialect: Dialect, count: number): Writable {
  return axes.record[dialect.record].encode({ count })
}

export function encodeAggregate(dialect: Dialect, aggregate: Aggregate): Writable {
  return axes.record[dialect.record].encode({ ...aggregate })
}

/** `value` and `count` win over fields of those names. */
export function encodeGroups(dialect: Dialect, { field, groups }: Grouped): Writable {
  const items = oneByOne(groups, ({ value, count }) =>
    objectOfMany<Writable>([
      [field, value],
      ['value', value],
      ['count', count],
    ]),
  )
  return axes.record[dialect.record].encode(items)
}
