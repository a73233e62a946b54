/** Checks values against the rules of a schema. Contract 5.2 and 13.1. */
import type { FieldFormat, FieldRule, FieldType, Schema, ValueRule } from './collection.js'
import { isDateTime, isDay } from './dates.js'
import type { Fields } from './document.js'
import type { Issue } from './errors.js'
import { canonicalJson, isObject, type Json } from './json.js'
import { sizes } from './limits.js'
import { compilePattern, type Meter } from './pattern.js'

/** One check of a value, and of all values in it. */
export interface Pass {
  readonly issues: Issue[]
  /** The place of the value that is checked now. */
  readonly path: (string | number)[]
  /** The work of patterns: about 50 ns each, at worst. */
  readonly patterns: Meter
}

export type ValueCheck = (value: Json, pass: Pass) => void

/** Chosen by us: work of the patterns of one document, 50 ms at worst. A megabyte of plain text takes less. */
const maxPatternWork = 1_100_000

export function openPass(): Pass {
  return { issues: [], path: [], patterns: { work: 0, most: maxPatternWork } }
}

/** Tells whether a pass found so much that it can end. */
function isFull({ issues }: Pass): boolean {
  return issues.length >= sizes.maxIssues
}

const isText = (value: Json | undefined) => typeof value === 'string'

const fits: { readonly [Type in FieldType]: (value: Json, rule: ValueRule) => boolean } = {
  string: isText,
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isObject,
  datetime: (value) => typeof value === 'string' && isDateTime(value),
  file: isText,
  link: (value, { many = false }) => (many ? Array.isArray(value) && value.every(isText) : isText(value)),
  any: () => true,
}

/** Tells whether a value has the type of a rule. */
export function hasType(rule: ValueRule, value: Json): boolean {
  return fits[rule.type](value, rule)
}

/** Compiles the check of a value. A value of another type breaks only that rule. */
export function openValueCheck(rule: ValueRule): ValueCheck {
  const checks = Object.values(openers).flatMap((open) => open(rule) ?? [])
  return (value, pass) => {
    if (!hasType(rule, value)) report(pass, describeType(rule), rule.type)
    else for (const check of checks) check(value, pass)
  }
}

/** Compiles the check of several fields. It skips the fields that are not asked for. */
export function openFieldsCheck(
  schema: Schema,
): (fields: Fields, pass: Pass, isAsked?: (name: string) => boolean) => void {
  const checks = Object.entries(schema).map(([name, rule]) => ({ name, check: openFieldCheck(name, rule) }))
  return (fields, pass, isAsked) => {
    for (const { name, check } of checks) if (!isAsked || isAsked(name)) check(fields, pass)
  }
}

function openFieldCheck(name: string, rule: FieldRule): (fields: Fields, pass: Pass) => void {
  // Accepts a missing field with a default: new documents already have it, and old ones may go without.
  const isNeeded = rule.required === true && rule.default === undefined
  const check = openValueCheck(rule)
  return (fields, pass) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value === undefined && !isNeeded) return
    pass.path.push(name)
    if (value === undefined) report(pass, 'is required', 'missing')
    else check(value, pass)
    pass.path.pop()
  }
}

type Opener = (rule: ValueRule) => ValueCheck | undefined

/** Opens the check of each option, for values that have the type of the rule. */
const openers = {
  enum({ enum: values }) {
    if (values === undefined) return undefined
    const allowed = new Set(values.map(toComparable))
    const message = `must be ${listValues(values)}`
    return require('enum', message, (value) => allowed.has(toComparable(value)))
  },
  min: ({ min }) =>
    min === undefined ? undefined : require('min', `must be at least ${min}`, (value) => Number(value) >= min),
  max: ({ max }) =>
    max === undefined ? undefined : require('max', `must be at most ${max}`, (value) => Number(value) <= max),
  minLength({ type, minLength: min }) {
    if (min === undefined) return undefined
    return require('minLength', `must have at least ${formatLength(min, type)}`, (value) =>
      lengthUpTo(value, min) >= min)
  },
  maxLength({ type, maxLength: max }) {
    if (max === undefined) return undefined
    return require('maxLength', `can have at most ${formatLength(max, type)}`, (value) =>
      lengthUpTo(value, max + 1) <= max)
  },
  pattern: openPatternCheck,
  format({ format }) {
    if (format === undefined) return undefined
    const { holds, message } = formats[format]
    return require('format', message, (value) => holds(String(value)))
  },
  fields({ fields }) {
    if (fields === undefined) return undefined
    const check = openFieldsCheck(fields)
    return (value, pass) => isObject(value) && check(value, pass)
  },
  items({ items }) {
    if (items === undefined) return undefined
    const check = openValueCheck(items)
    return (value, pass) => {
      for (const [at, item] of Array.isArray(value) ? value.entries() : []) {
        if (isFull(pass)) return
        pass.path.push(at)
        check(item, pass)
        pass.path.pop()
      }
    }
  },
} satisfies { readonly [Option in keyof ValueRule]?: Opener }

const formats: {
  readonly [Format in FieldFormat]: { readonly holds: (text: string) => boolean; readonly message: string }
} = {
  email: {
    // Refuses long texts first, because the expression takes quadratic time.
    holds: (text) => text.length <= 254 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text),
    message: 'must be an email address, such as "kim@example.com"',
  },
  url: {
    holds: (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    message: 'must be an address that starts with https:// or http://',
  },
  date: { holds: isDay, message: 'must be a date, such as "2026-01-31"' },
  markdown: { holds: () => true, message: '' },
}

function openPatternCheck({ pattern }: ValueRule): ValueCheck | undefined {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern)
  // A restored schema can have a pattern that cannot be used.
  if (compiled === undefined || 'problem' in compiled) return undefined
  return (value, pass) => {
    const { patterns } = pass
    if (compiled.matches(String(value), patterns)) return
    const isGivenUp = patterns.work > patterns.most
    report(
      pass,
      isGivenUp ? 'takes too long to compare with its pattern' : `must match the pattern ${pattern}`,
      'pattern',
    )
  }
}

function require(type: string, message: string, holds: (value: Json) => boolean): ValueCheck {
  return (value, pass) => {
    if (!holds(value)) report(pass, message, type)
  }
}

function report(pass: Pass, problem: string, type: string): void {
  const path = [...pass.path]
  pass.issues.push({ path, message: path.length > 0 ? `"${path.join('.')}" ${problem}` : problem, type })
}

/** Describes the values that the type of a rule takes. */
export function describeType(rule: ValueRule): string {
  if (rule.type === 'link') return rule.many ? 'must be a list of ids' : 'must be an id'
  const example = rule.type === 'datetime' ? ', such as "2026-01-31" or "2026-01-31T08:30:00Z"' : ''
  return `is not of type "${rule.type}"${example}`
}

/** Returns the same value for deeply equal values, for use in a set. Cannot collide with text, which never contains U+0000. */
function toComparable(value: Json): Json {
  return typeof value === 'object' && value !== null ? `\0${canonicalJson(value)}` : value
}

const maxListed = 20
const maxShownCharacters = 80

/** Keeps errors short, because each of many wrong values repeats the list. */
function shorten(json: string): string {
  return json.length <= maxShownCharacters ? json : `${json.slice(0, maxShownCharacters)}…`
}

function listValues(values: readonly Json[]): string {
  const listed = values.slice(0, maxListed).map((value) => shorten(JSON.stringify(value)))
  if (values.length > maxListed) return `one of ${listed.join(', ')}, or ${values.length - maxListed} others`
  return values.length === 1 ? listed.join() : `one of ${listed.join(', ')}`
}

function formatLength(length: number, type: FieldType): string {
  return `${length} ${type === 'array' ? 'item' : 'character'}${length === 1 ? '' : 's'}`
}

/** Counts the items of an array, or the characters of a text as far as needed. */
function lengthUpTo(value: Json, most: number): number {
  if (Array.isArray(value)) return value.length
  const text = String(value)
  // A character takes one or two units.
  return text.length >= 2 * most ? most : [...text].length
}
