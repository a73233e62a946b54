import type { Schema } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { parseInstant } from '../../../client/protocol/model/instant.js'
import { formatPath } from '../../../client/protocol/model/path.js'
import { markTimes } from '../../../client/protocol/model/times.js'
import {
  type Operator,
  ownField,
  type PlainTest,
  type Where,
  withoutNot,
} from '../../../client/protocol/model/where.js'

const nullOperators: readonly Operator[] = ['eq', 'ne', 'in', 'notin']

/**
 * Marks the tests that compare times. Contract 4.2.
 *
 * @throws {SvcError} `INVALID_FILTER` for a value that is not a time
 */
export function requireTimes(where: Where, schema?: Schema): Where {
  const timed = markTimes(where, schema)
  if (timed === where) return where
  for (const { any } of timed.all) for (const test of any) requireTime(withoutNot(test))
  return timed
}

function requireTime(test: PlainTest): void {
  if (!test.isTime) return
  // Fields may be null in documents that are older than the schema.
  const isNull = (text: string) => text === 'null' && nullOperators.includes(test.operator) && !ownField(test.path)
  const bad = ('values' in test ? test.values : [test.value]).find((text) => !isNull(text) && !parseInstant(text))
  if (bad === undefined) return
  throw new SvcError(
    'INVALID_FILTER',
    `"${formatPath(test.path)}" is a time, but "${bad.slice(0, 80)}" is not. Use a time such as "2026-01-31" or "2026-01-31T08:30:00Z".`,
  )
}
