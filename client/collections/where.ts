/** Questions as people write them, as the one form that the wire knows: every clause must hold, of each clause any test. */
import { SvcError } from '../protocol/model/errors.js'
import { valueKind } from '../protocol/model/json.js'
import { parsePath } from '../protocol/model/path.js'
import type { Clause, Operator, Test, Where } from '../protocol/model/where.js'
import { encodeBody, sendable } from '../protocol/wire/sendable.js'

/** Clauses that `or` may grow to when each alternative asks several things. */
const mostClauses = 200

type Alternatives = readonly { readonly [field: string]: unknown }[]

/**
 * What a dialect cannot ask shows when it is written.
 *
 * @throws {SvcError} `INVALID_FILTER` for an `or` too large to be asked, and for values that no query can say; `VALIDATION_ERROR`
 * for `null`
 */
export function toWhere(filter: object = {}): Where {
  const isWhere = Array.isArray((filter as Partial<Where> | null)?.all) && Object.keys(filter).length === 1
  if (isWhere) return filter as Where
  return { all: clausesOf(filter as Alternatives[number]) }
}

function clausesOf(filter: Alternatives[number]): Clause[] {
  return sendable('A filter', () => Object.entries(filter)).flatMap(([field, condition]): Clause[] => {
    if (condition === undefined) return []
    if (field === 'or' && Array.isArray(condition)) return anyOf(condition as Alternatives)
    return testsOf(field, condition).map((test) => ({ any: [test] }))
  })
}

/** "(a and b) or c" is asked as "(a or c) and (b or c)". */
function anyOf(alternatives: Alternatives): Clause[] {
  let clauses: Clause[] = [{ any: [] }]
  for (const alternative of alternatives) {
    const asked = clausesOf(alternative)
    clauses = clauses.flatMap(({ any }) => asked.map((clause) => ({ any: [...any, ...clause.any] })))
    if (clauses.length > mostClauses) throw new SvcError('INVALID_FILTER', 'This "or" is too large.')
  }
  return clauses
}

function testsOf(field: string, condition: unknown): Test[] {
  const tests = valueKind(condition) === 'Object' ? (condition as object) : { eq: condition }
  return Object.entries(tests).flatMap(([operator, value]) =>
    value === undefined ? [] : [testOf(field, operator as Operator, value)],
  )
}

function testOf(field: string, operator: Operator, value: unknown): Test {
  const path = parsePath(field)
  const textOf = (one: unknown) => toText(field, one)
  if (operator === 'in' || operator === 'notin') return { path, operator, values: [value].flat().map(textOf) }
  return operator === 'isnull' ? { path, operator, isNull: value === true } : { path, operator, value: textOf(value) }
}

/** A value as a query says it; a time as the service writes its own. */
function toText(field: string, value: unknown): string {
  const { [field]: said } = JSON.parse(encodeBody({ [field]: value }))
  if (value !== undefined && Object(said) !== said) return String(said)
  throw new SvcError('INVALID_FILTER', `"${field}" cannot be a ${valueKind(value)}.`)
}
