/** Infers the shape of values from what was seen and from the schema. */
import {
  type FieldRule,
  type FieldType,
  findRule,
  type Schema,
  type ValueRule,
} from '../client/protocol/model/collection.js'
import { isDateTime } from '../client/protocol/model/dates.js'
import type { Json } from '../client/protocol/model/json.js'
import { areChoices } from './choices.js'
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
  | ({ readonly kind: 'text'; readonly format?: TextFormat } & Pick<ValueRule, 'minLength' | 'maxLength' | 'pattern'>)
  /** Ids of documents in that collection. */
  | { readonly kind: 'link'; readonly collection: string }
  | { readonly kind: 'choices'; readonly values: readonly Scalar[] }
  | ({ readonly kind: 'number'; readonly isInteger: boolean } & Pick<ValueRule, 'min' | 'max'>)
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** Nothing is known about the values. */
  | { readonly kind: 'unknown' }
  | ({ readonly kind: 'array'; readonly items: Shape } & Pick<ValueRule, 'minLength' | 'maxLength'>)
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
  /** Value that new documents get if they leave the field out. */
  readonly default?: Json
  readonly description?: string
}

export type Scalar = string | number | boolean | null

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
    return { kind: 'dictionary', values: inferShape(mergedValues(objects), options) }
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
  // The order of the schema, then the other fields in an order that does not depend on documents. Contract 13.1.
  const names = [...new Set([...Object.keys(schema), ...[...(objects?.fields.keys() ?? [])].sort()])]
  const fields = names.map((name): FieldShape => {
    const rule = findRule(schema, name)
    const seen = objects?.fields.get(name)
    const isAlwaysThere = seen !== undefined && countValues(seen) === objects?.count
    if (rule) return fieldByRule({ name, isMissing: objects !== undefined && !isAlwaysThere }, rule, seen, options)
    return { name, shape: inferShape(seen, options), isOptional: !isAlwaysThere }
  })
  return { kind: 'object', fields }
}

/** Follows the schema, so that types change only with it, or with documents that break it. */
function fieldByRule(
  { name, isMissing }: { readonly name: string; readonly isMissing: boolean },
  rule: FieldRule,
  seen: Observed | undefined,
  options: ShapeOptions,
): FieldShape {
  const { required = false, description } = rule
  const hasDefault = rule.default !== undefined
  return {
    name,
    shape: withOthers(shapeByRule(rule, seen, options), rule, seen, options),
    isOptional: !(hasDefault || (required && !isMissing)),
    ...(hasDefault ? { default: rule.default } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

const kinds: { readonly [Type in FieldType]: Kind | undefined } = {
  string: 'text',
  datetime: 'text',
  file: 'text',
  link: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  any: undefined,
}

/** Adds the shapes of values that are older than the schema. */
function withOthers(shape: Shape, { type, many }: ValueRule, seen: Observed | undefined, options: ShapeOptions): Shape {
  const kind = many ? 'array' : kinds[type]
  if (!seen || kind === undefined || (options.leavesOutFew && mainKind(seen) === kind)) return shape
  const others = shapesSeen(seen, options, (other) => other !== kind)
  const of = [...others, shape, ...(seen.nulls > 0 ? [{ kind: 'null' } as const] : [])]
  return of.length === 1 ? shape : { kind: 'union', of }
}

function shapeByRule(rule: ValueRule, seen: Observed | undefined, options: ShapeOptions): Shape {
  const { type, min, max, minLength, maxLength } = rule
  if (rule.enum?.every(isScalar)) return { kind: 'choices', values: rule.enum }
  switch (type) {
    case 'string':
      return { kind: 'text', ...textFormat(rule), ...pick({ minLength, maxLength, pattern: rule.pattern }) }
    case 'datetime':
    case 'file':
      return { kind: 'text', format: type }
    case 'number':
    case 'integer':
      return { kind: 'number', isInteger: type === 'integer', ...pick({ min, max }) }
    case 'boolean':
      return { kind: 'boolean' }
    case 'link':
      return linkShape(rule)
    case 'array':
      return { kind: 'array', items: itemsShape(rule, seen, options), ...pick({ minLength, maxLength }) }
    case 'object':
      return objectByRule(rule, seen, options)
    case 'any':
      return inferShape(seen, options)
  }
}

function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null
}

/** Leaves out what is undefined. */
function pick<Limits extends object>(limits: Limits): { [Name in keyof Limits]?: Exclude<Limits[Name], undefined> } {
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined)
  return Object.fromEntries(set) as { [Name in keyof Limits]?: Exclude<Limits[Name], undefined> }
}

function textFormat({ format }: ValueRule): { readonly format?: TextFormat } {
  return format === undefined || format === 'markdown' ? {} : { format }
}

function linkShape({ to = '', many = false }: ValueRule): Shape {
  const link = { kind: 'link', collection: to } as const
  return many ? { kind: 'array', items: link } : link
}

function itemsShape({ items }: ValueRule, seen: Observed | undefined, options: ShapeOptions): Shape {
  return items ? shapeByRule(items, seen?.items, options) : inferShape(seen?.items, options)
}

function objectByRule({ fields }: ValueRule, seen: Observed | undefined, options: ShapeOptions): Shape {
  const objects = seen?.objects
  if (!fields && objects && areKeysData(objects)) {
    return { kind: 'dictionary', values: inferShape(mergedValues(objects), options) }
  }
  return objectShape(objects, fields ?? {}, options)
}

function inferShape(seen: Observed | undefined, options: ShapeOptions): Shape {
  const shapes = seen ? shapesSeen(seen, options) : []
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

function shapesSeen(seen: Observed, options: ShapeOptions, isWanted = (_: Kind) => true): Shape[] {
  const collection = options.linkOf(seen)
  if (collection !== undefined && areMostlyIds(seen)) return isWanted('text') ? [{ kind: 'link', collection }] : []
  const only = options.leavesOutFew ? mainKind(seen) : undefined
  const { texts, numbers, integers, objects, items } = seen
  const shapes: { readonly [K in Kind]: () => Shape } = {
    text: () => (texts ? textShape(texts, collection) : { kind: 'text' }),
    number: () => ({ kind: 'number', isInteger: integers === numbers }),
    boolean: () => ({ kind: 'boolean' }),
    object: () =>
      objects && areKeysData(objects)
        ? { kind: 'dictionary', values: inferShape(mergedValues(objects), options) }
        : objectShape(objects, {}, options),
    array: () => ({ kind: 'array', items: inferShape(items, options) }),
  }
  const counts = Object.entries(countsByKind(seen)) as [Kind, number][]
  const isShown = (kind: Kind) => (only ?? kind) === kind && isWanted(kind)
  return counts.flatMap(([kind, count]) => (count > 0 && isShown(kind) ? [shapes[kind]()] : []))
}

function textShape({ count, format, different }: ObservedTexts, collection: string | undefined): Shape {
  if (collection !== undefined) return { kind: 'link', collection }
  if (format !== undefined) return { kind: 'text', format }
  const areSeveral = different.size > 1 && areChoices(different.size, count)
  return areSeveral ? { kind: 'choices', values: [...different].sort() } : { kind: 'text' }
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
