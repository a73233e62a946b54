import { parseInstant } from '../../../client/protocol/model/instant.js'
import type { Operator, PlainTest } from '../../../client/protocol/model/where.js'
import { type Fragment, sql } from '../../database/port.js'
import { anyOf, comparisons, type Order } from '../sql-fragments.js'

/** Tests a `timestamptz`, null if there is none. `isNull` handles the text `null`. Contract 4.2. */
export function timeTest(time: Fragment, test: PlainTest, isNull: Fragment = sql`false`): Fragment {
  const equals = (texts: readonly string[]) =>
    anyOf(texts.map((text) => (text === 'null' ? isNull : compares(time, sql`=`, text))))
  if (test.operator === 'isnull' || test.operator === 'exists') return sql`false`
  const texts = 'values' in test ? test.values : [test.value]
  if (test.operator === 'eq' || test.operator === 'in') return equals(texts)
  if (test.operator === 'ne' || test.operator === 'notin') return sql`(${equals(texts)}) is not true`
  return isOrder(test.operator) ? compares(time, comparisons[test.operator], texts[0] ?? '') : sql`false`
}

function compares(time: Fragment, comparison: Fragment, text: string): Fragment {
  const instant = parseInstant(text)
  return instant === undefined ? sql`false` : sql`${time} ${comparison} ${instant}::timestamptz`
}

function isOrder(operator: Operator): operator is Order {
  return operator in comparisons
}
