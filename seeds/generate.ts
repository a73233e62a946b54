/** Generates documents that match the schema and existing documents of a collection. */
import {
  type FieldFormat,
  type FieldType,
  findRule,
  type Schema,
  type ValueRule,
} from '../client/protocol/model/collection.js'
import { isId } from '../client/protocol/model/document.js'
import { isObject, type Json, type JsonObject, setOwn } from '../client/protocol/model/json.js'
import { areChoices } from '../types/choices.js'
import type { Faker } from './faker.js'

/** Model for generated documents. */
export interface Likeness {
  readonly schema: Schema
  /** Existing documents. */
  readonly samples: readonly JsonObject[]
  /** Ids of existing records, by the collection that links name, or `users`. */
  readonly linked?: ReadonlyMap<string, readonly string[]>
}

export function generateDocuments(faker: Faker, count: number, likeness: Likeness): JsonObject[] {
  const fields = collectFields(likeness)
  return Array.from({ length: count }, () => generateObject(faker, fields))
}

/** A value, its rule, and existing values like it. */
interface Place {
  readonly name: string
  readonly rule: ValueRule
  readonly values: readonly Json[]
  readonly linked: NonNullable<Likeness['linked']>
}

/** A field, and the share of documents that have it. */
interface Field extends Place {
  readonly share: number
  /** The values that new documents cannot have. Only for a unique field. */
  readonly taken?: Set<Json>
}

function collectFields({ schema, samples, linked = new Map() }: Likeness): Field[] {
  const names = [...new Set([...Object.keys(schema), ...samples.flatMap(Object.keys)])]
  return names.flatMap((name): Field[] => {
    const rule = findRule(schema, name)
    const all = samples.flatMap((sample) => (Object.hasOwn(sample, name) ? (sample[name] ?? null) : []))
    const values = all.filter((value) => value !== null)
    const share = rule?.required || samples.length === 0 ? 1 : all.length / samples.length
    const type = rule && (rule.type !== 'any' || rule.enum) ? rule.type : inferType(values)
    if (type === undefined) return []
    const taken = rule?.unique ? { taken: new Set(values) } : {}
    return [{ name, rule: { ...rule, type }, values, linked, share, ...taken }]
  })
}

/** Infers a type from the first value that is not null; undefined without one. */
function inferType(values: readonly Json[]): FieldType | undefined {
  const [value] = values.filter((one) => one !== null)
  if (value === undefined) return undefined
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return values.every((one) => Number.isInteger(one)) ? 'integer' : 'number'
  if (typeof value === 'object') return 'object'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}

function generateObject(faker: Faker, fields: readonly Field[]): JsonObject {
  const object: JsonObject = {}
  for (const field of fields) {
    // Draws a number for each field, so that omitting one does not change the others.
    const isThere = faker.number.float() < field.share
    const value = field.taken ? makeUnique(faker, field, field.taken) : makeValue(faker, field)
    if (isThere && value !== undefined) setOwn(object, field.name, value)
  }
  return object
}

/** How often to try for a value that no other document has. */
const maxAttempts = 100

/** Returns undefined if all values that it finds are taken. */
function makeUnique(faker: Faker, field: Field, taken: Set<Json>): Json | undefined {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const value = makeValue(faker, field)
    if (value === undefined) return undefined
    if (taken.has(value)) continue
    taken.add(value)
    return value
  }
  return undefined
}

/** Returns undefined for a link without a record to lead to. */
function makeValue(faker: Faker, place: Place): Json | undefined {
  const { rule } = place
  return rule.enum ? faker.helpers.arrayElement(rule.enum) : makers[rule.type](faker, place)
}

type Maker = (faker: Faker, place: Place) => Json | undefined

const makers: { readonly [Type in FieldType]: Maker } = {
  string: (faker, place) => fitText(faker, makeText(faker, place), place.rule),
  number: (faker, place) => {
    const { min, max } = findRange(place)
    return Math.min(max, Math.max(min, faker.number.float({ min, max, fractionDigits: 2 })))
  },
  integer: (faker, place) => {
    const { min, max } = findRange(place)
    return faker.number.int({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) })
  },
  boolean: (faker) => faker.datatype.boolean(),
  datetime: makeDate,
  file: (faker) => faker.image.url(),
  link: makeLink,
  array: makeArray,
  object: (faker, { rule: { fields = {} }, values, linked }) =>
    generateObject(faker, collectFields({ schema: fields, samples: values.filter(isObject), linked })),
  any: (faker) => faker.lorem.word(),
}

/** Finds the bounds that the rule leaves open in the existing values. */
function findRange({ rule, values }: Pick<Place, 'rule' | 'values'>): { min: number; max: number } {
  const numbers = values.filter((value) => typeof value === 'number')
  const seen = numbers.length === 0 ? { min: 0, max: 1_000 } : { min: Math.min(...numbers), max: Math.max(...numbers) }
  const { min = Math.min(seen.min, rule.max ?? seen.min), max = Math.max(seen.max, min) } = rule
  return { min, max }
}

function makeLink(faker: Faker, { rule: { to = '', many }, linked }: Place): Json | undefined {
  const ids = linked.get(to) ?? []
  if (many) return faker.helpers.arrayElements([...ids], { min: 0, max: Math.min(3, ids.length) })
  return ids.length === 0 ? undefined : faker.helpers.arrayElement(ids)
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

function makeDate(faker: Faker, { values }: Place): string {
  const times = values.flatMap((value) => (typeof value === 'string' ? Date.parse(value) : [])).filter(Number.isFinite)
  if (times.length < 2) return faker.date.past().toISOString()
  return faker.date.between({ from: Math.min(...times), to: Math.max(...times) }).toISOString()
}

function makeArray(faker: Faker, { name, rule, values, linked }: Place): Json[] {
  const arrays = values.filter((value) => Array.isArray(value))
  const items = arrays.flat().filter((item) => item !== null)
  const itemRule = rule.items ?? { type: inferType(items) ?? 'string' }
  const lengths = arrays.length === 0 ? [3] : arrays.map(({ length }) => length)
  const range = findRange({ rule: { type: 'integer', ...lengthBounds(rule) }, values: lengths })
  const count = faker.number.int(range)
  const place = { name, rule: itemRule, values: items, linked }
  return Array.from({ length: count }, () => makeValue(faker, place)).filter((item) => item !== undefined)
}

function lengthBounds({ minLength: min, maxLength: max }: ValueRule): Pick<ValueRule, 'min' | 'max'> {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

const formats: { readonly [Format in FieldFormat]: (faker: Faker) => string } = {
  email: (faker) => faker.internet.email(),
  url: (faker) => faker.internet.url(),
  date: (faker) => faker.date.past().toISOString().slice(0, 10),
  markdown: (faker) => `# ${faker.lorem.sentence()}\n\n${faker.lorem.paragraph()}`,
}

function makeText(faker: Faker, place: Place): string {
  const { format, pattern } = place.rule
  if (pattern !== undefined) return makeMatching(faker, pattern)
  if (format !== undefined) return formats[format](faker)
  const texts = place.values.filter((value) => typeof value === 'string')
  const choices = [...new Set(texts)]
  const isChoice = areChoices(choices.length, texts.length)
  // Reuses ids, so that links lead to existing records.
  if (isChoice || (choices.length > 0 && choices.every(isId))) return faker.helpers.arrayElement(choices)
  if (texts.length > 0 && texts.every((text) => isoTime.test(text))) return makeDate(faker, place)
  const [, make] = byName.find(([name]) => name.test(place.name)) ?? []
  return make ? make(faker) : faker.lorem.words({ min: 2, max: 5 })
}

/** Faker knows simple expressions only, so its result may not match. */
function makeMatching(faker: Faker, pattern: string): string {
  return faker.helpers.fromRegExp(pattern.replaceAll('(?:', '(').replace(/^\^|\$$/g, ''))
}

/** Lengthens or cuts a text without a format. */
function fitText(faker: Faker, text: string, { minLength = 0, maxLength, pattern, format }: ValueRule): string {
  if (pattern !== undefined || (format !== undefined && format !== 'markdown')) return text
  let characters = [...text]
  while (characters.length < minLength) characters = [...characters, ' ', ...faker.lorem.word()]
  return characters.slice(0, maxLength).join('')
}

/** Generators by field name, most specific first. */
const byName: readonly (readonly [RegExp, (faker: Faker) => string])[] = [
  [/e-?mail/i, (faker) => faker.internet.email()],
  [/first_?name/i, (faker) => faker.person.firstName()],
  [/last_?name|surname/i, (faker) => faker.person.lastName()],
  [/user_?name|login|handle/i, (faker) => faker.internet.username()],
  [/company|organi[sz]ation/i, (faker) => faker.company.name()],
  [/^(full_?)?name$|author|person/i, (faker) => faker.person.fullName()],
  [/slug/i, (faker) => faker.lorem.slug()],
  [/title|subject|headline/i, (faker) => faker.lorem.sentence({ min: 3, max: 7 }).replace(/\.$/, '')],
  [/body|content|text|comment|message/i, (faker) => faker.lorem.paragraph()],
  [/description|summary|bio|about/i, (faker) => faker.lorem.sentence()],
  [/avatar|image|photo|picture/i, (faker) => faker.image.url()],
  [/url|website|link/i, (faker) => faker.internet.url()],
  [/phone|mobile/i, (faker) => faker.phone.number()],
  [/street|address/i, (faker) => faker.location.streetAddress()],
  [/city|town/i, (faker) => faker.location.city()],
  [/country/i, (faker) => faker.location.country()],
  [/zip|postal/i, (faker) => faker.location.zipCode()],
  [/colou?r/i, (faker) => faker.color.human()],
  [/currency/i, (faker) => faker.finance.currencyCode()],
  [/product/i, (faker) => faker.commerce.productName()],
  [/(_at|At|[dD]ate)$/, (faker) => faker.date.past().toISOString()],
  [/tag|category|genre/i, (faker) => faker.lorem.word()],
]
