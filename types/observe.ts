/** Collects the values seen at each path, one document at a time. */
import { isId } from '../client/protocol/model/document.js'
import { isObject, type Json, type JsonObject } from '../client/protocol/model/json.js'
import { maxChoices } from './choices.js'
import { commonFormat, detectFormat, type TextFormat } from './formats.js'

/** Summarizes the values at one path. Its size is bounded, however many values there are. */
export interface Observed {
  nulls: number
  booleans: number
  numbers: number
  /** How many of the numbers are integers. */
  integers: number
  texts: ObservedTexts | undefined
  arrays: number
  /** Items of all arrays at this path, combined. */
  items: Observed | undefined
  objects: ObservedObjects | undefined
}

export interface ObservedTexts {
  count: number
  /** The format they all share. Undefined if they share none. */
  format: TextFormat | undefined
  /** Distinct texts, up to one more than an enum may have. */
  readonly different: Set<string>
  /** How many are ids, and a sample of them. */
  idCount: number
  readonly ids: Set<string>
}

export interface ObservedObjects {
  count: number
  readonly fields: Map<string, Observed>
  /** Number of fields in all objects together. */
  entries: number
  /** Fields beyond the limit, combined. */
  others: Observed | undefined
}

/** Sample of ids to look up. All ids of a field belong to one collection, or the field is not a link. */
const maxIds = 20
/** Distinct field names per path. With more, the names are data. */
const maxFields = 1_000
/** Nesting levels to distinguish. Deeper values are typed as unknown. */
const maxLevels = 12
/** Longer texts are not enum values. */
const maxChoiceLength = 40

export function nothingObserved(): Observed {
  return {
    nulls: 0,
    booleans: 0,
    numbers: 0,
    integers: 0,
    texts: undefined,
    arrays: 0,
    items: undefined,
    objects: undefined,
  }
}

export function observe(seen: Observed, value: Json, level = 0): void {
  if (typeof value === 'string') observeText(seen, value)
  else if (typeof value === 'number') {
    seen.numbers++
    if (Number.isSafeInteger(value)) seen.integers++
  } else if (typeof value === 'boolean') seen.booleans++
  else if (value === null) seen.nulls++
  else if (isObject(value)) observeObject(seen, value, level + 1)
  else {
    seen.arrays++
    if (level >= maxLevels) return
    for (const item of value) {
      seen.items ??= nothingObserved()
      observe(seen.items, item, level + 1)
    }
  }
}

function observeText(seen: Observed, text: string): void {
  const { texts } = seen
  if (!texts) {
    const format = detectFormat(text)
    const ids = format === 'id' ? [text] : []
    seen.texts = { count: 1, format, different: choices(text), idCount: ids.length, ids: new Set(ids) }
    return
  }
  texts.count++
  if (texts.format !== undefined) texts.format = commonFormat(texts.format, text)
  if (isId(text)) {
    texts.idCount++
    if (texts.ids.size < maxIds) texts.ids.add(text)
  }
  if (texts.different.size > 0 && texts.different.size <= maxChoices && !texts.different.has(text)) {
    if (mayBeChoice(text)) texts.different.add(text)
    else texts.different.clear()
  }
}

function choices(text: string): Set<string> {
  return new Set(mayBeChoice(text) ? [text] : [])
}

/** Ids, days, and addresses are data, even if they repeat or stand among other texts. */
function mayBeChoice(text: string): boolean {
  return text.length > 0 && text.length <= maxChoiceLength && detectFormat(text) === undefined
}

function observeObject(seen: Observed, object: JsonObject, level: number): void {
  seen.objects ??= { count: 0, fields: new Map(), entries: 0, others: undefined }
  const { objects } = seen
  objects.count++
  if (level > maxLevels) return
  for (const [name, value] of Object.entries(object)) {
    objects.entries++
    observe(fieldAt(objects, name), value, level)
  }
}

function fieldAt(objects: ObservedObjects, name: string): Observed {
  const known = objects.fields.get(name)
  if (known) return known
  if (objects.fields.size >= maxFields) {
    objects.others ??= nothingObserved()
    return objects.others
  }
  const place = nothingObserved()
  objects.fields.set(name, place)
  return place
}

/** Combines several paths as if they were one. */
export function merged(places: readonly Observed[]): Observed {
  const all = nothingObserved()
  for (const place of places) {
    all.nulls += place.nulls
    all.booleans += place.booleans
    all.numbers += place.numbers
    all.integers += place.integers
    all.arrays += place.arrays
  }
  all.texts = mergedTexts(places.flatMap(({ texts }) => texts ?? []))
  const items = places.flatMap((place) => place.items ?? [])
  if (items.length > 0) all.items = merged(items)
  all.objects = mergedObjects(places.flatMap(({ objects }) => objects ?? []))
  return all
}

function mergedTexts(all: readonly ObservedTexts[]): ObservedTexts | undefined {
  const [first] = all
  if (!first) return undefined
  const areAllShort = all.every(({ different }) => different.size > 0)
  return {
    count: sum(all.map(({ count }) => count)),
    format: all.every(({ format }) => format === first.format) ? first.format : undefined,
    different: new Set(areAllShort ? all.flatMap(({ different }) => [...different]) : []),
    idCount: sum(all.map(({ idCount }) => idCount)),
    ids: new Set(all.flatMap(({ ids }) => [...ids]).slice(0, maxIds)),
  }
}

function mergedObjects(all: readonly ObservedObjects[]): ObservedObjects | undefined {
  if (all.length === 0) return undefined
  const names = [...new Set(all.flatMap(({ fields }) => [...fields.keys()]))]
  const others = all.flatMap((one) => one.others ?? [])
  return {
    count: sum(all.map(({ count }) => count)),
    entries: sum(all.map(({ entries }) => entries)),
    fields: new Map(names.map((name) => [name, merged(all.flatMap(({ fields }) => fields.get(name) ?? []))])),
    others: others.length > 0 ? merged(others) : undefined,
  }
}

/** Counts the values at a path, including `null`. */
export function countValues(seen: Observed): number {
  const { nulls, booleans, numbers, texts, arrays, objects } = seen
  return nulls + booleans + numbers + arrays + (texts?.count ?? 0) + (objects?.count ?? 0)
}

/** Counts the values of each kind, excluding `null`. */
export function countsByKind({ texts, numbers, booleans, objects, arrays }: Observed) {
  return { text: texts?.count ?? 0, number: numbers, boolean: booleans, object: objects?.count ?? 0, array: arrays }
}

export type Kind = keyof ReturnType<typeof countsByKind>

/** Returns whether enough values agree to treat the others as mistakes. */
export function areMost(some: number, all: number): boolean {
  return some < all && some >= leastShare * all
}

/** Share of values that must agree on a type. */
const leastShare = 0.8

/** Returns whether almost all values are ids. */
export function areMostlyIds(seen: Observed): boolean {
  return areMost(seen.texts?.idCount ?? 0, countValues(seen) - seen.nulls)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
