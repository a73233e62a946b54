import { type FieldRule, type FieldType, reservedNames, type Schema } from './collection.js'
import { type Fields, operatorNames } from './document.js'
import type { Issue } from './errors.js'
import { isObject, type Json, setOwn } from './json.js'

const isoTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

const fits: { [Type in FieldType]: (value: Json) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isObject,
  datetime: (value) => typeof value === 'string' && isDateTime(value),
  file: (value) => typeof value === 'string',
  any: () => true,
}

/** A day or a point in time, as ISO 8601 writes it. Contract 5.2. */
export function isDateTime(text: string): boolean {
  return isoTime.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10))
}

/** A day that the calendar has: `Date` takes 30 February for a day in March. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

/** What is wrong with fields under a schema; nothing if they fit. Contract 5.2. */
export function checkFields(schema: Schema, fields: Fields): Issue[] {
  return schemaCheck(schema)(fields)
}

/** The same for many documents: the schema is taken apart once. */
export function schemaCheck(schema: Schema): (fields: Fields) => Issue[] {
  const rules = Object.entries(schema)
  return (fields) => {
    const issues: Issue[] = []
    for (const [name, rule] of rules) {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (value === undefined) {
        // One that is new or replaced has its defaults by then; one from before the rule may go on without the field.
        if (rule.required && rule.default === undefined) issues.push(missing(name))
      } else if (!fits[rule.type](value)) issues.push(wrongType(name, rule))
    }
    return issues
  }
}

/** The fields, with the schema's defaults where they say nothing. */
export function withDefaults(schema: Schema, fields: Fields): Fields {
  return schemaDefaults(schema)(fields)
}

/** The same for many documents. */
export function schemaDefaults(schema: Schema): (fields: Fields) => Fields {
  const rules = Object.entries(schema).filter(([, rule]) => rule.default !== undefined)
  return (fields) => {
    const missing = rules.filter(([name]) => !Object.hasOwn(fields, name))
    if (missing.length === 0) return fields
    const whole = { ...fields }
    for (const [name, rule] of missing) setOwn(whole, name, rule.default ?? null)
    return whole
  }
}

/** What is wrong with a schema itself: a field named as an operator, or a default that its own type refuses. */
export function checkSchema(schema: Schema): Issue[] {
  return Object.entries(schema).flatMap(([name, rule]) => {
    if (operatorNames.includes(name)) return [{ path: ['schema', name], message: 'is an operator', type: 'operator' }]
    if (rule.default === undefined || fits[rule.type](rule.default)) return []
    return [{ path: ['schema', name, 'default'], message: `is not of type "${rule.type}"`, type: rule.type }]
  })
}

/** Contract 2.2. */
export function isCollectionName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name) && !reservedNames.includes(name)
}

function missing(name: string): Issue {
  return { path: [name], message: `"${name}" is required`, type: 'missing' }
}

function wrongType(name: string, { type }: FieldRule): Issue {
  const example = type === 'datetime' ? ', such as "2026-01-31" or "2026-01-31T08:30:00Z"' : ''
  return { path: [name], message: `"${name}" is not of type "${type}"${example}`, type }
}
