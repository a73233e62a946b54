/** Describes a schema for a form: the order of its fields, their types in words, and which values are valid. */
import type { Issue } from '../../../../client/index.js'
import {
  type FieldRule,
  findRule,
  type Schema,
  usersWord,
  type ValueRule,
} from '../../../../client/protocol/model/collection.js'
import type { Json } from '../../../../client/protocol/model/json.js'

/** Returns the fields in the order of the form: required ones first, then as in the schema. */
export function orderFields(schema: Schema): readonly (readonly [name: string, rule: FieldRule])[] {
  const fields = Object.entries(schema)
  return [...fields.filter(([, rule]) => rule.required), ...fields.filter(([, rule]) => !rule.required)]
}

const typeWords: Partial<Record<ValueRule['type'], string>> = {
  string: 'text',
  integer: 'int',
  boolean: 'bool',
  array: 'list',
  datetime: 'time',
}

/** Returns the short word for the type of a field, such as `int`. */
export function describeType({ type, format, enum: values, to, many }: ValueRule): string {
  if (type === 'link') return `${to === usersWord ? 'user' : 'link'}${many ? 's' : ''}`
  if (values) return 'enum'
  if (type === 'string' && format) return format
  return typeWords[type] ?? type
}

/** Finds the rule for a path into a document. Undefined if the schema says nothing about it. */
function findRuleAt(schema: Schema, path: readonly (string | number)[]): ValueRule | undefined {
  const [name, ...rest] = path
  return rest.reduce<ValueRule | undefined>(
    (rule, part) => (typeof part === 'number' ? rule?.items : findRule(rule?.fields ?? {}, part)),
    findRule(schema, String(name)),
  )
}

/** Says what is valid, such as `Use a whole number from 0 to 13.` */
function describeValid(rule: ValueRule): string {
  if (rule.enum) return `Use one of ${rule.enum.map(formatChoice).join(', ')}.`
  return validWords[rule.type](rule)
}

const validWords: { readonly [Type in ValueRule['type']]: (rule: ValueRule) => string } = {
  string: describeText,
  integer: ({ min, max }) => `Use a whole number${describeBounds(min, max)}.`,
  number: ({ min, max }) => `Use a number${describeBounds(min, max)}.`,
  boolean: () => 'Use true or false.',
  array: ({ minLength, maxLength }) => `Use a list${describeLength(minLength, maxLength, 'item', ' of ')}.`,
  object: () => 'Use an object: { … }.',
  datetime: () => 'Use a time, such as 2026-01-31T08:30:00Z.',
  file: () => 'Choose a file.',
  link: ({ to }) => (to === usersWord ? 'Choose a user.' : 'Choose a document.'),
  any: () => 'Use any JSON value.',
}

const formatWords = {
  email: 'an e-mail address, such as ada@example.com',
  url: 'an address, such as https://example.com',
  date: 'a date, such as 2026-12-04',
  markdown: 'text',
} as const

function describeText({ format, minLength, maxLength, pattern }: ValueRule): string {
  const length = describeLength(minLength, maxLength, 'character', '')
  const what = format && format !== 'markdown' ? formatWords[format] : length === '' ? 'text' : length
  return `Use ${what}${pattern === undefined ? '' : ` that matches ${pattern}`}.`
}

/** Formats the bounds of a number, with a space before. */
export function describeBounds(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

/** Formats the bounds of a length, such as `1 to 120 characters`. */
export function describeLength(min: number | undefined, max: number | undefined, unit: string, before: string): string {
  if (min === undefined && max === undefined) return ''
  const units = (max ?? min) === 1 ? unit : `${unit}s`
  if (min !== undefined && max !== undefined) return `${before}${min === max ? min : `${min} to ${max}`} ${units}`
  return `${before}at ${min === undefined ? `most ${max}` : `least ${min}`} ${units}`
}

/** Says how to fix an issue that the check of the schema found. */
export function describeIssue(schema: Schema, { path, type, message }: Issue): string {
  const rule = findRuleAt(schema, path)
  if (!rule) return message
  return type === 'missing' ? `Required. ${describeValid(rule)}` : describeValid(rule)
}

export function formatChoice(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the rule that a value without one is edited by, so that text and numbers need no quotes. */
export function guessRule(value: Json | undefined): FieldRule {
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? { type } : { type: 'any' }
}
