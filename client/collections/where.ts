/** Converts filters to the form of the wire: every clause must hold, and at least one test of each clause. */
import { SvcError } from '../protocol/model/errors.js'
import { valueKind } from '../protocol/model/json.js'
import { parsePath } from '../protocol/model/path.js'
import { anyOf, type Clause, negateAll, type Operator, type PlainTest, type Where } from '../protocol/model/where.js'
import { encodeBody, sendable } from '../protocol/wire/sendable.js'

type Alternatives = readonly { readonly [field: string]: unknown }[]

/**
 * Converts a filter. The encoder refuses what a dialect cannot express.
 *
 * @throws {SvcError} `INVALID_FILTER` if an `or` is too large or a value cannot be encoded; `VALIDATION_ERROR` for `null`
 */
export function toWhere(filter: object = {}): Where {
  const isWhere = Array.isArray((filter as Partial<Where> | null)?.all) && Object.keys(filter).length === 1
  if (isWhere) return filter as Where
  return { all: toClauses(filter as Alternatives[number]) }
}

function toClauses(filter: Alternatives[number]): Clause[] {
  return sendable('A filter', () => Object.entries(filter)).flatMap(([field, condition]): Clause[] => {
    if (condition === undefined) return []
    if (Array.isArray(condition)) {
      const parts = (condition as Alternatives).map(toClauses)
      if (field === 'or') return anyOf(parts)
      if (field === 'and') return parts.flat()
    }
    if (field === 'not' && valueKind(condition) === 'Object') return negateAll(toClauses(condition as Alternatives[0]))
    return toTests(field, condition).map((test) => ({ any: [test] }))
  })
}

function toTests(field: string, condition: unknown): PlainTest[] {
  const tests = valueKind(condition) === 'Object' ? (condition as object) : { eq: condition }
  return Object.entries(tests).flatMap(([operator, value]) =>
    value === undefined ? [] : [toTest(field, operator as Operator, value)],
  )
}

function toTest(field: string, operator: Operator, value: unknown): PlainTest {
  const path = parsePath(field)
  const format = (one: unknown) => toText(field, one)
  if (operator === 'in' || operator === 'notin') return { path, operator, values: [value].flat().map(format) }
  if (operator === 'exists') return { path, operator, exists: value === true }
  return operator === 'isnull' ? { path, operator, isNull: value === true } : { path, operator, value: format(value) }
}

/** Formats a value for a query; dates as ISO 8601. */
function toText(field: string, value: unknown): string {
  const { [field]: said } = JSON.parse(encodeBody({ [field]: value }))
  if (value !== undefined && Object(said) !== said) return String(said)
  throw new SvcError('INVALID_FILTER', `"${field}" cannot be a ${valueKind(value)}.`)
}
