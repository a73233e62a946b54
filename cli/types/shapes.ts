/** Infers the shape of values from what was seen and from the schema. */
import type { FieldRule, Schema } from '../../client/protocol/model/collection.js'
import { isDateTime } from '../../client/protocol/model/dates.js'
import { areChoices } from '../../seeds/choices.js'
import type { TextFormat } from './formats.js'
import {
  areMost,
  areMostlyIds,
  countsByKind,
  countValues,
  type Kind,
  merged,
  type Observed,
  type ObservedObjects,
  type ObservedTexts,
} from './observe.js'

export type Shape =
  | { readonly kind: 'text'; readonly format?: TextFormat }
  /** Ids of documents in that collection. */
  | { readonly kind: 'link'; readonly collection: string }
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** Nothing is known about the values. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'array'; readonly items: Shape }
  | ObjectShape
  /** An object whose field names are data: ids, days, words. */
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
  /** Returns the collection that the ids at a path belong to. */
  readonly linkOf: (place: Observed) => string | undefined
  /** Ignores a few values of another type than the rest. */
  readonly leavesOutFew?: boolean
}

/** Infers the shape of a collection's documents. */
export function documentShape(seen: Observed, schema: Schema, options: ShapeOptions): Shape {
  const { objects } = seen
  if (objects && areKeysData(objects, schema)) {
    return { kind: 'dictionary', values: inferShape(mergedValues(objects), undefined, options) }
  }
  return objectShape(objects, schema, options)
}

/** Marks a path as optional, because permissions hide it from some callers. */
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
      ? seen !== undefined && countValues(seen) === objects.count
      : rule?.required === true || rule?.default !== undefined
    return { name, shape: inferShape(seen, rule, options), isOptional: !isAlwaysThere }
  })
  return { kind: 'object', fields }
}

function inferShape(seen: Observed | undefined, rule: FieldRule | undefined, options: ShapeOptions): Shape {
  const shapes = [...(seen ? shapesSeen(seen, options) : []), ...shapesByRule(seen, rule)]
  // `null` comes last in a union.
  if (seen && seen.nulls > 0) shapes.push({ kind: 'null' })
  const [first, ...others] = shapes
  if (!first) return { kind: 'unknown' }
  return others.length === 0 ? first : { kind: 'union', of: shapes }
}

/** Returns the kind that almost all values have. */
export function mainKind(seen: Observed): Kind | undefined {
  const counts = Object.entries(countsByKind(seen)) as [Kind, number][]
  return counts.find(([, count]) => areMost(count, countValues(seen) - seen.nulls))?.[0]
}

function shapesSeen(seen: Observed, options: ShapeOptions): Shape[] {
  const collection = options.linkOf(seen)
  if (collection !== undefined && areMostlyIds(seen)) return [{ kind: 'link', collection }]
  const only = options.leavesOutFew ? mainKind(seen) : undefined
  const { texts, numbers, integers, objects, items } = seen
  const shapes: { readonly [K in Kind]: () => Shape } = {
    text: () => (texts ? textShape(texts, collection) : { kind: 'text' }),
    number: () => ({ kind: 'number', isInteger: integers === numbers }),
    boolean: () => ({ kind: 'boolean' }),
    object: () =>
      objects && areKeysData(objects)
        ? { kind: 'dictionary', values: inferShape(mergedValues(objects), undefined, options) }
        : objectShape(objects, {}, options),
    array: () => ({ kind: 'array', items: inferShape(items, undefined, options) }),
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

/** Uses the schema for fields that no document shows. */
function shapesByRule(seen: Observed | undefined, rule: FieldRule | undefined): Shape[] {
  const isUnseen = !seen || countValues(seen) === seen.nulls
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

/** With fewer names than this, they are fields, unless each looks like an id, a day, or a number. */
const fewestKeys = 20

/**
 * Returns whether the field names are data, for example prices by currency or votes by user. Fields in a schema never
 * are.
 */
export function areKeysData(objects: ObservedObjects, schema: Schema = {}): boolean {
  const { fields, count, entries, others } = objects
  if (Object.keys(schema).length > 0) return false
  if (others) return true
  const names = [...fields.keys()]
  if (names.length >= 2 && names.every(isKey)) return true
  const isSparse = names.length > fewestKeys && count >= 5 && entries / count < names.length / 5
  return isSparse && countKinds(mergedValues(objects)) === 1
}

function isKey(name: string): boolean {
  return /^\d+$/.test(name) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name) || isDateTime(name)
}

function mergedValues(objects: ObservedObjects): Observed {
  return merged(listPlaces(objects))
}

export function listPlaces({ fields, others }: ObservedObjects): Observed[] {
  return [...fields.values(), ...(others ? [others] : [])]
}

function countKinds({ texts, numbers, booleans, objects, arrays }: Observed): number {
  return [texts, numbers > 0, booleans > 0, objects, arrays > 0].filter(Boolean).length
}
