/** Decides which tests and sorts compare points in time. Contract 4.2. */
import type { Schema } from './collection.js'
import type { OperatorOf } from './operator-kinds.js'
import type { Sort } from './page.js'
import type { Path } from './path.js'
import { negate, ownField, type PlainTest, type Test, type Where, withoutNot } from './where.js'

/** Listed again, because apps load this file and not the table of kinds. */
const timeOperators = { eq: 1, ne: 1, gt: 1, gte: 1, lt: 1, lte: 1, in: 1, notin: 1 } as const satisfies {
  readonly [Name in OperatorOf<'equality' | 'inequality' | 'order'>]: 1
}

/** Marks the tests that compare times. Does not check their values. */
export function markTimes(where: Where, schema: Schema = {}): Where {
  const isMarked = (test: Test) => withoutNot(test).operator in timeOperators && isTime(test.path, schema)
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
  return test.operator === 'isnull' || test.operator === 'exists' ? test : { ...test, isTime: true }
}
