/** What values were seen at each place of documents, one document after another. */
import { isId } from '../../client/protocol/model/document.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { mostChoices } from '../../seeds/choices.js'
import { commonFormat, formatOf, type TextFormat } from './formats.js'

/** All that was seen at one place. It grows with each value, and stays small however many there are. */
export interface Observed {
  nulls: number
  booleans: number
  numbers: number
  /** Those of the numbers that are integers. */
  integers: number
  texts: ObservedTexts | undefined
  arrays: number
  /** Of all arrays at this place. */
  items: Observed | undefined
  objects: ObservedObjects | undefined
}

export interface ObservedTexts {
  count: number
  /** Of all of them; undefined where they are of none, or of several. */
  format: TextFormat | undefined
  /** One more than choices may be is enough. */
  readonly different: Set<string>
  /** How many of them are ids, and some of these. */
  idCount: number
  readonly ids: Set<string>
}

export interface ObservedObjects {
  count: number
  readonly fields: Map<string, Observed>
  /** How many fields the objects have, taken together. */
  entries: number
  /** Of the fields whose names are too many to tell apart. */
  others: Observed | undefined
}

/** Ids of a place that are looked up: all of a field lead to one collection, or none does. */
const maxIds = 20
/** Names of fields that one place keeps apart. More are keys, and their names are data. */
const maxFields = 1_000
/** Levels that are distinguished; what lies deeper is anything. */
const maxLevels = 12
/** Longer texts are not choices. */
const longestChoice = 40

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

/** Adds a value to what was seen. */
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
    const format = formatOf(text)
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
  if (texts.different.size > 0 && texts.different.size <= mostChoices && !texts.different.has(text)) {
    if (mayBeChoice(text)) texts.different.add(text)
    else texts.different.clear()
  }
}

function choices(text: string): Set<string> {
  return new Set(mayBeChoice(text) ? [text] : [])
}

/** An id, a day or an address is data, however often it comes again, also beside texts that are none. */
function mayBeChoice(text: string): boolean {
  return text.length > 0 && text.length <= longestChoice && formatOf(text) === undefined
}

function observeObject(seen: Observed, object: JsonObject, level: number): void {
  seen.objects ??= { count: 0, fields: new Map(), entries: 0, others: undefined }
  const { objects } = seen
  objects.count++
  if (level > maxLevels) return
  for (const [name, value] of Object.entries(object)) {
    objects.entries++
    observe(placeOf(objects, name), value, level)
  }
}

function placeOf(objects: ObservedObjects, name: string): Observed {
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

/** All that was seen at several places, as if it were one. */
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

/** How many values were seen at a place, `null` among them. */
export function countOf(seen: Observed): number {
  const { nulls, booleans, numbers, texts, arrays, objects } = seen
  return nulls + booleans + numbers + arrays + (texts?.count ?? 0) + (objects?.count ?? 0)
}

/** How many values of each kind there are, `null` left out. */
export function countsByKind({ texts, numbers, booleans, objects, arrays }: Observed) {
  return { text: texts?.count ?? 0, number: numbers, boolean: booleans, object: objects?.count ?? 0, array: arrays }
}

export type Kind = keyof ReturnType<typeof countsByKind>

/** Whether so many of the values decide what a place holds, and the others are mistakes. */
export function areMost(some: number, all: number): boolean {
  return some < all && some >= leastShare * all
}

/** Of the values at a place, so that a few others do not change its type. */
const leastShare = 0.8

/** Whether the values of a place are ids, but for a few. */
export function areMostlyIds(seen: Observed): boolean {
  return areMost(seen.texts?.idCount ?? 0, countOf(seen) - seen.nulls)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
