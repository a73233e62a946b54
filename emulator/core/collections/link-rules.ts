/** Finds the links in a schema, and in documents. Contract 13.1. */
import type { OnDelete, Schema, ValueRule } from '../../../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject, setOwn } from '../../../client/protocol/model/json.js'

/** Stands for the items of an array in the path of a link. */
export const eachItem = null

/** Leads to a link: names of fields, and `eachItem`. */
export type LinkPath = readonly (string | typeof eachItem)[]

/** A place in documents that holds the id of a linked record. */
export interface LinkRule {
  readonly path: LinkPath
  /** Id of a collection, or `users`. */
  readonly to: string
  readonly onDelete: OnDelete
}

/** An id that a document links to, and its place in the document. */
export interface PlacedId {
  readonly to: string
  readonly id: string
  readonly path: readonly (string | number)[]
}

/** Kept per schema, because a cached collection has the same one in every request. */
const known = new WeakMap<Schema, readonly LinkRule[]>()

/** Lists the links of a schema, including those in objects and arrays. */
export function listLinkRules(schema: Schema): readonly LinkRule[] {
  const rules = known.get(schema) ?? rulesOfFields(schema, [])
  known.set(schema, rules)
  return rules
}

function rulesOfFields(schema: Schema, path: LinkPath): LinkRule[] {
  return Object.entries(schema).flatMap(([name, rule]) => rulesOfValue(rule, [...path, name]))
}

function rulesOfValue({ type, to, many, onDelete = 'keep', fields, items }: ValueRule, path: LinkPath): LinkRule[] {
  if (type === 'link') return to === undefined ? [] : [{ path: many ? [...path, eachItem] : path, to, onDelete }]
  if (fields) return rulesOfFields(fields, path)
  return items ? rulesOfValue(items, [...path, eachItem]) : []
}

/** Lists the ids at the places of the rules. */
export function listLinkedIds(rules: readonly LinkRule[], fields: JsonObject): PlacedId[] {
  return rules.flatMap(({ path, to }) => idsAt(fields, path).map((found) => ({ to, ...found })))
}

function idsAt(value: Json | undefined, [step, ...deeper]: LinkPath): Omit<PlacedId, 'to'>[] {
  if (step === undefined) return typeof value === 'string' ? [{ id: value, path: [] }] : []
  const members = step === eachItem ? (Array.isArray(value) ? [...value.entries()] : []) : membersNamed(value, step)
  return members.flatMap(([at, member]) => idsAt(member, deeper).map(({ id, path }) => ({ id, path: [at, ...path] })))
}

function membersNamed(value: Json | undefined, name: string): [string, Json | undefined][] {
  return isObject(value) && Object.hasOwn(value, name) ? [[name, value[name]]] : []
}

/** Builds the JSON that a document contains if it links to the id at that path. */
export function containing([step, ...deeper]: LinkPath, id: string): Json {
  if (step === undefined) return id
  const inner = containing(deeper, id)
  if (step === eachItem) return [inner]
  const holder: JsonObject = {}
  setOwn(holder, step, inner)
  return holder
}

/** Copies a value without links to the ids at that path: removes the field, or the items of an array. */
export function withoutLinks<Value extends Json>(value: Value, path: LinkPath, ids: ReadonlySet<string>): Value {
  // Copies nothing for the many paths of a schema at which a document has no such link.
  if (!idsAt(value, path).some(({ id }) => ids.has(id))) return value
  return unlinked(value, path, ids) as Value
}

function unlinked(value: Json, [step, ...deeper]: LinkPath, ids: ReadonlySet<string>): Json {
  const isGone = (member: Json | undefined) => deeper.length === 0 && typeof member === 'string' && ids.has(member)
  if (step === eachItem) {
    if (!Array.isArray(value)) return value
    return value.filter((item) => !isGone(item)).map((item) => unlinked(item, deeper, ids))
  }
  if (step === undefined || !isObject(value) || !Object.hasOwn(value, step)) return value
  const copy = { ...value }
  if (isGone(value[step])) delete copy[step]
  else setOwn(copy, step, unlinked(value[step] ?? null, deeper, ids))
  return copy
}
