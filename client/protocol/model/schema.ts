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
  link: (value) => typeof value === 'string' || (Array.isArray(value) && value.every((id) => typeof id === 'string')),
  any: () => true,
}

/** Tells whether text is an ISO 8601 date or point in time. Contract 5.2. */
export function isDateTime(text: string): boolean {
  return isoTime.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10))
}

/** Refuses days like 30 February, which `Date` reads as a day in March. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

/** Validates fields against a schema. Contract 5.2. */
export function checkFields(schema: Schema, fields: Fields): Issue[] {
  return schemaCheck(schema)(fields)
}

/** Returns a validator for many documents. */
export function schemaCheck(schema: Schema): (fields: Fields) => Issue[] {
  const rules = Object.entries(schema)
  return (fields) => {
    const issues: Issue[] = []
    for (const [name, rule] of rules) {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (value === undefined) {
        // Accepts a missing field with a default: new documents already have it, and old ones may go without.
        if (rule.required && rule.default === undefined) issues.push(missing(name))
      } else if (!fits[rule.type](value)) issues.push(wrongType(name, rule))
    }
    return issues
  }
}

/** Fills missing fields with the defaults of the schema. */
export function withDefaults(schema: Schema, fields: Fields): Fields {
  return schemaDefaults(schema)(fields)
}

/** Returns a function that fills defaults, for many documents. */
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

/** Validates a schema: refuses fields named like operators, and defaults of another type. */
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
