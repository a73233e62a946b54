/** What the values at a place are, worked out from those that were seen and from what the schema says. */
import type { FieldRule, Schema } from '../../client/protocol/model/collection.js'
import { isDateTime } from '../../client/protocol/model/schema.js'
import { areChoices } from '../../seeds/choices.js'
import type { TextFormat } from './formats.js'
import {
  areMost,
  areMostlyIds,
  countOf,
  countsByKind,
  type Kind,
  merged,
  type Observed,
  type ObservedObjects,
  type ObservedTexts,
} from './observe.js'

export type Shape =
  | { readonly kind: 'text'; readonly format?: TextFormat }
  /** Ids of documents of that collection. */
  | { readonly kind: 'link'; readonly collection: string }
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** Nothing is known of it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'array'; readonly items: Shape }
  | ObjectShape
  /** An object whose names of fields are data: ids, days, words. */
  | { readonly kind: 'dictionary'; readonly values: Shape }
  | { readonly kind: 'union'; readonly of: readonly Shape[] }

export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: readonly FieldShape[]
}

export interface FieldShape {
  readonly name: string
  readonly shape: Shape
  readonly isOptional: boolean
}

export interface ShapeOptions {
  /** The collection that the ids at a place lead to. */
  readonly linkOf: (place: Observed) => string | undefined
  /** Whether a few values of another type than the rest are left out. */
  readonly leavesOutFew?: boolean
}

/** The shape of a collection's documents, all of which were seen at one place. */
export function documentShape(seen: Observed, schema: Schema, options: ShapeOptions): Shape {
  const { objects } = seen
  if (objects && areKeysData(objects, schema)) {
    return { kind: 'dictionary', values: shapeOf(valuesOf(objects), undefined, options) }
  }
  return objectShape(objects, schema, options)
}

/** The same, but what lies at a path may be missing: permissions hide it from some who read the documents. */
export function mayLack(shape: Shape, path: readonly string[]): Shape {
  const [field, ...deeper] = path
  if (field === undefined) return shape
  switch (shape.kind) {
    case 'object':
      return { ...shape, fields: shape.fields.map((one) => (one.name === field ? fieldThatMayLack(one, deeper) : one)) }
    case 'array':
      return { ...shape, items: mayLack(shape.items, path) }
    case 'union':
      return { ...shape, of: shape.of.map((one) => mayLack(one, path)) }
    default:
      return shape
  }
}

function fieldThatMayLack(field: FieldShape, deeper: readonly string[]): FieldShape {
  return deeper.length === 0 ? { ...field, isOptional: true } : { ...field, shape: mayLack(field.shape, deeper) }
}

function objectShape(objects: ObservedObjects | undefined, schema: Schema, options: ShapeOptions): ObjectShape {
  const names = [...new Set([...Object.keys(schema), ...(objects?.fields.keys() ?? [])])].sort()
  const fields = names.map((name): FieldShape => {
    const rule: FieldRule | undefined = Object.hasOwn(schema, name) ? schema[name] : undefined
    const seen = objects?.fields.get(name)
    const isAlwaysThere = objects
      ? seen !== undefined && countOf(seen) === objects.count
      : rule?.required === true || rule?.default !== undefined
    return { name, shape: shapeOf(seen, rule, options), isOptional: !isAlwaysThere }
  })
  return { kind: 'object', fields }
}

function shapeOf(seen: Observed | undefined, rule: FieldRule | undefined, options: ShapeOptions): Shape {
  const shapes = [...(seen ? shapesSeen(seen, options) : []), ...shapesByRule(seen, rule)]
  // `null` says that there may be nothing, and comes last.
  if (seen && seen.nulls > 0) shapes.push({ kind: 'null' })
  const [first, ...others] = shapes
  if (!first) return { kind: 'unknown' }
  return others.length === 0 ? first : { kind: 'union', of: shapes }
}

/** The kind that a place holds, but for a few values. */
export function mostlyOf(seen: Observed): Kind | undefined {
  const counts = Object.entries(countsByKind(seen)) as [Kind, number][]
  return counts.find(([, count]) => areMost(count, countOf(seen) - seen.nulls))?.[0]
}

function shapesSeen(seen: Observed, options: ShapeOptions): Shape[] {
  const collection = options.linkOf(seen)
  if (collection !== undefined && areMostlyIds(seen)) return [{ kind: 'link', collection }]
  const only = options.leavesOutFew ? mostlyOf(seen) : undefined
  const { texts, numbers, integers, objects, items } = seen
  const shapes: { readonly [K in Kind]: () => Shape } = {
    text: () => (texts ? textShape(texts, collection) : { kind: 'text' }),
    number: () => ({ kind: 'number', isInteger: integers === numbers }),
    boolean: () => ({ kind: 'boolean' }),
    object: () =>
      objects && areKeysData(objects)
        ? { kind: 'dictionary', values: shapeOf(valuesOf(objects), undefined, options) }
        : objectShape(objects, {}, options),
    array: () => ({ kind: 'array', items: shapeOf(items, undefined, options) }),
  }
  const counts = Object.entries(countsByKind(seen)) as [Kind, number][]
  return counts.flatMap(([kind, count]) => (count > 0 && (only ?? kind) === kind ? [shapes[kind]()] : []))
}

function textShape({ count, format, different }: ObservedTexts, collection: string | undefined): Shape {
  if (collection !== undefined) return { kind: 'link', collection }
  if (format !== undefined) return { kind: 'text', format }
  const areSeveral = different.size > 1 && areChoices(different.size, count)
  return areSeveral ? { kind: 'choices', values: [...different].sort() } : { kind: 'text' }
}

/** What a schema says of a field, where no document shows it. */
function shapesByRule(seen: Observed | undefined, rule: FieldRule | undefined): Shape[] {
  const isUnseen = !seen || countOf(seen) === seen.nulls
  switch (rule?.type) {
    case 'string':
      return seen?.texts ? [] : [{ kind: 'text' }]
    case 'datetime':
      return seen?.texts ? [] : [{ kind: 'text', format: 'datetime' }]
    case 'file':
      return seen?.texts ? [] : [{ kind: 'text', format: 'file' }]
    case 'number':
    case 'integer':
      return seen && seen.numbers > 0 ? [] : [{ kind: 'number', isInteger: rule.type === 'integer' }]
    case 'boolean':
      return seen && seen.booleans > 0 ? [] : [{ kind: 'boolean' }]
    case 'array':
      return seen && seen.arrays > 0 ? [] : [{ kind: 'array', items: { kind: 'unknown' } }]
    case 'object':
      return seen?.objects ? [] : [{ kind: 'object', fields: [] }]
    default:
      return isUnseen && rule ? [{ kind: 'unknown' }] : []
  }
}

/** Fewer names than this are taken for fields, unless each of them looks like an id, a day or a number. */
const fewestKeys = 20

/** Whether the names in these objects are data: as a price by currency, or a vote by user. Those in a schema are not. */
export function areKeysData(objects: ObservedObjects, schema: Schema = {}): boolean {
  const { fields, count, entries, others } = objects
  if (Object.keys(schema).length > 0) return false
  if (others) return true
  const names = [...fields.keys()]
  if (names.length >= 2 && names.every(isKey)) return true
  const isSparse = names.length > fewestKeys && count >= 5 && entries / count < names.length / 5
  return isSparse && kindsOf(valuesOf(objects)) === 1
}

function isKey(name: string): boolean {
  return /^\d+$/.test(name) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name) || isDateTime(name)
}

function valuesOf(objects: ObservedObjects): Observed {
  return merged(placesOf(objects))
}

export function placesOf({ fields, others }: ObservedObjects): Observed[] {
  return [...fields.values(), ...(others ? [others] : [])]
}

function kindsOf({ texts, numbers, booleans, objects, arrays }: Observed): number {
  return [texts, numbers > 0, booleans > 0, objects, arrays > 0].filter(Boolean).length
}
