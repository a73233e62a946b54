/** The unique rules of a collection, and the values that a document takes under them. Contract 13.2. */
import { createHash } from 'node:crypto'
import type { Schema, StoredCollection } from '../../client/protocol/model/collection.js'
import type { Fields } from '../../client/protocol/model/document.js'
import { canonicalJson, type Json } from '../../client/protocol/model/json.js'

export type Ruled = Pick<StoredCollection, 'schema' | 'unique'>

export interface UniqueRule {
  /** Identifies the rule in the database. */
  readonly key: string
  readonly fields: readonly string[]
}

/** A value that one document of a collection may have. */
export interface Claim {
  readonly rule: string
  /** SHA-256 of the canonical value, in hex. */
  readonly digest: string
}

/** Longer keys are hashed, because an index entry has a limit. */
const maxKeyCharacters = 200

interface CompiledRules {
  readonly unique: Ruled['unique']
  readonly rules: readonly UniqueRule[]
  readonly fingerprint: string
}

/** Kept per schema, because a cached collection has the same one in every request. */
const compiled = new WeakMap<Schema, CompiledRules>()

function compileRules({ schema, unique }: Ruled): CompiledRules {
  const known = compiled.get(schema)
  if (known && known.unique === unique) return known
  const rules = readRules(schema, unique)
  const keys = rules.map(({ key }) => key)
  const fresh = { unique, rules, fingerprint: keys.length === 0 ? '' : hash(JSON.stringify(keys.sort())) }
  compiled.set(schema, fresh)
  return fresh
}

export function listUniqueRules(collection: Ruled): readonly UniqueRule[] {
  return compileRules(collection).rules
}

/** Identifies all rules of a collection together; empty without rules. */
export function fingerprintRules(collection: Ruled): string {
  return compileRules(collection).fingerprint
}

function readRules(schema: Schema, unique: Ruled['unique'] = []): UniqueRule[] {
  const single = Object.keys(schema).filter((name) => schema[name]?.unique)
  const groups = [...single.map((name) => [name]), ...unique.map((names) => [...new Set(names)].sort())]
  const rules = new Map(groups.map((fields) => [keyFor(fields), fields]))
  return [...rules].map(([key, fields]) => ({ key, fields }))
}

function keyFor(fields: readonly string[]): string {
  const text = JSON.stringify(fields)
  return text.length <= maxKeyCharacters ? text : hash(text)
}

/** Lists the values that a document takes. Missing and null values are free. */
export function listClaims(rules: readonly UniqueRule[], fields: Fields): Claim[] {
  return rules.flatMap(({ key, fields: names }) => {
    const values = names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : null) ?? null)
    return values.includes(null) ? [] : [{ rule: key, digest: digestValues(values) }]
  })
}

function digestValues(values: readonly Json[]): string {
  return hash(canonicalJson(values.length === 1 ? (values[0] ?? null) : [...values]))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
