/** Decides which tests and sorts compare points in time. Contract 4.2. */
import type { Schema } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { parseInstant } from '../../../client/protocol/model/instant.js'
import type { Sort } from '../../../client/protocol/model/page.js'
import { formatPath, type Path } from '../../../client/protocol/model/path.js'
import {
  negate,
  type Operator,
  ownField,
  type PlainTest,
  type Test,
  type Where,
  withoutNot,
} from '../../../client/protocol/model/where.js'

const timeOperators: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'notin']
const nullOperators: readonly Operator[] = ['eq', 'ne', 'in', 'notin']

/**
 * Marks the tests that compare times.
 *
 * @throws {SvcError} `INVALID_FILTER` for a value that is not a time
 */
export function markTimes(where: Where, schema: Schema = {}): Where {
  const isMarked = (test: Test) => timeOperators.includes(withoutNot(test).operator) && isTime(test.path, schema)
  if (!where.all.some(({ any }) => any.some(isMarked))) return where
  const mark = (test: Test) => (test.operator === 'not' ? negate(marked(test.test)) : marked(test))
  return { all: where.all.map(({ any }) => ({ any: any.map((test) => (isMarked(test) ? mark(test) : test)) })) }
}

/** The built-in time fields always sort as times. */
export function markSort(sort: readonly Sort[], schema: Schema): readonly Sort[] {
  return sort.map((one) => (!ownField(one.path) && isTime(one.path, schema) ? { ...one, isTime: true } : one))
}

function isTime([name, below]: Path, schema: Schema): boolean {
  if (below !== undefined) return false
  const own = ownField([name])
  return own ? own !== 'id' : Object.hasOwn(schema, name) && schema[name]?.type === 'datetime'
}

function marked(test: PlainTest): PlainTest {
  if (test.operator === 'isnull' || test.operator === 'exists') return test
  // Fields may be null in documents that are older than the schema.
  const isNull = (text: string) => text === 'null' && nullOperators.includes(test.operator) && !ownField(test.path)
  const bad = ('values' in test ? test.values : [test.value]).find((text) => !isNull(text) && !parseInstant(text))
  if (bad === undefined) return { ...test, isTime: true }
  throw new SvcError(
    'INVALID_FILTER',
    `"${formatPath(test.path)}" is a time, but "${bad.slice(0, 80)}" is not. Use a time such as "2026-01-31" or "2026-01-31T08:30:00Z".`,
  )
}
