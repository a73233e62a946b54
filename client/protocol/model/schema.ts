import { type FieldRule, reservedNames, type Schema, type ValueRule } from './collection.js'
import type { Fields } from './document.js'
import type { Issue } from './errors.js'
import { setOwn } from './json.js'
import { openFieldsCheck, openPass } from './value-check.js'

/** Validates fields against a schema. Contract 5.2 and 13.1. */
export function checkFields(schema: Schema, fields: Fields): Issue[] {
  return schemaCheck(schema)(fields).issues
}

export interface SchemaFindings {
  readonly issues: Issue[]
  /** The cost of comparing texts with patterns, in the unit of parsed bytes. */
  readonly work: number
}

interface Compiled {
  readonly check: ReturnType<typeof openFieldsCheck>
  readonly isExtended: boolean
}

const compiled = new WeakMap<Schema, Compiled>()

/** Compiles a schema once. */
function compile(schema: Schema): Compiled {
  const known = compiled.get(schema)
  if (known) return known
  const fresh = { check: openFieldsCheck(schema), isExtended: Object.values(schema).some(isExtended) }
  compiled.set(schema, fresh)
  return fresh
}

/** Tells whether a rule uses what contract 13.1 adds to the specification. */
function isExtended({ type, required: _, default: __, ...others }: FieldRule): boolean {
  return type === 'link' || Object.values(others).some((option) => option !== undefined)
}

/**
 * Returns a validator for many documents. `isSent` tells which fields an update sends. A schema that uses contract 13.1
 * checks only those, so that a document that breaks a rule elsewhere can be changed. Contract 13.2.
 */
export function schemaCheck(schema: Schema): (fields: Fields, isSent?: (name: string) => boolean) => SchemaFindings {
  const { check, isExtended } = compile(schema)
  return (fields, isSent) => {
    const pass = openPass()
    check(fields, pass, isExtended ? isSent : undefined)
    return { issues: pass.issues, work: pass.patterns.work }
  }
}

/** Counts the rules of fields and items at all levels. */
export function countRules(schema: Schema): number {
  return Object.values(schema).reduce((sum, rule) => sum + countInner(rule), 0)
}

function countInner({ fields, items }: ValueRule): number {
  return 1 + (fields ? countRules(fields) : 0) + (items ? countInner(items) : 0)
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

/** Contract 2.2. */
export function isCollectionName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name) && !reservedNames.includes(name)
}
