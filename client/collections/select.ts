/** Filters and sorts documents in the app as the service does. */
import { compilePredicate, type Predicate } from '../protocol/model/matching.js'
import { type Comparator, compileOrder } from '../protocol/model/order.js'
import type { ListQuery } from '../protocol/model/page.js'
import { markTimes } from '../protocol/model/times.js'
import { negate, ownName, type PlainTest, type Test } from '../protocol/model/where.js'
import type { Spoken } from '../protocol/wire/spoken.js'

/** Compiled filter and order of a list. */
export interface Selector {
  readonly matches: Predicate
  readonly compare: Comparator
}

/**
 * Compiles the filter and order of a query. Fields of linked documents are not tested: a path through a link finds only
 * what the document itself holds. Fields of type `datetime` are compared as texts, because the client does not know the
 * schema.
 */
export function compileSelector(
  { where, sort }: Pick<ListQuery, 'where' | 'sort'>,
  { filters }: Pick<Spoken, 'filters'>,
): Selector {
  const plain = (test: PlainTest): PlainTest => {
    const named = { ...test, path: ownName(test.path) }
    // The wire has one word for both, which ignores case. Contract 4.2.
    return named.operator === 'contains' && filters === 'double' ? { ...named, operator: 'icontains' } : named
  }
  const whole = (test: Test) => (test.operator === 'not' ? negate(plain(test.test)) : plain(test))
  return {
    matches: compilePredicate(markTimes({ all: where.all.map(({ any }) => ({ any: any.map(whole) })) })),
    compare: compileOrder(sort.map((one) => ({ ...one, path: ownName(one.path) }))),
  }
}
