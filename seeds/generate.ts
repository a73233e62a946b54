/** Generates documents that match the schema and existing documents of a collection. */
import type { FieldRule, FieldType, Schema } from '../client/protocol/model/collection.js'
import { isId } from '../client/protocol/model/document.js'
import { isObject, type Json, type JsonObject, setOwn } from '../client/protocol/model/json.js'
import { areChoices } from './choices.js'
import type { Faker } from './faker.js'

/** Model for generated documents. */
export interface Likeness {
  readonly schema: Schema
  /** Existing documents. */
  readonly samples: readonly JsonObject[]
}

export function generateDocuments(faker: Faker, count: number, likeness: Likeness): JsonObject[] {
  const fields = collectFields(likeness)
  return Array.from({ length: count }, () => generateObject(faker, fields))
}

/** A field, its existing values, and the share of documents that have it. */
interface Field {
  readonly name: string
  readonly type: FieldType
  readonly values: readonly Json[]
  readonly share: number
}

function collectFields({ schema, samples }: Likeness): Field[] {
  const names = [...new Set([...Object.keys(schema), ...samples.flatMap(Object.keys)])]
  return names.flatMap((name) => {
    const rule: FieldRule | undefined = Object.hasOwn(schema, name) ? schema[name] : undefined
    const values = samples.flatMap((sample) => (Object.hasOwn(sample, name) ? (sample[name] ?? null) : []))
    const share = rule?.required || samples.length === 0 ? 1 : values.length / samples.length
    const type = rule && rule.type !== 'any' ? rule.type : inferType(values)
    return type === undefined ? [] : [{ name, type, values: values.filter((value) => value !== null), share }]
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
    const value = makers[field.type](faker, field)
    if (isThere) setOwn(object, field.name, value)
  }
  return object
}

type Maker = (faker: Faker, field: Field) => Json

const makers: { readonly [Type in FieldType]: Maker } = {
  string: makeText,
  number: (faker, { values }) => faker.number.float({ ...findRange(values), fractionDigits: 2 }),
  integer: (faker, { values }) => faker.number.int(findRange(values)),
  boolean: (faker) => faker.datatype.boolean(),
  datetime: makeDate,
  file: (faker) => faker.image.url(),
  link: (faker) => faker.string.uuid(),
  array: makeArray,
  object: (faker, { values }) => generateObject(faker, collectFields({ schema: {}, samples: values.filter(isObject) })),
  any: (faker) => faker.lorem.word(),
}

function findRange(values: readonly Json[]): { min: number; max: number } {
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length === 0 ? { min: 0, max: 1_000 } : { min: Math.min(...numbers), max: Math.max(...numbers) }
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

function makeDate(faker: Faker, { values }: Field): string {
  const times = values.flatMap((value) => (typeof value === 'string' ? Date.parse(value) : [])).filter(Number.isFinite)
  if (times.length < 2) return faker.date.past().toISOString()
  return faker.date.between({ from: Math.min(...times), to: Math.max(...times) }).toISOString()
}

function makeArray(faker: Faker, { name, values }: Field): Json[] {
  const arrays = values.filter((value) => Array.isArray(value))
  const items = arrays.flat().filter((item) => item !== null)
  const type = inferType(items) ?? 'string'
  const length = findRange(arrays.map((array) => array.length))
  const count = arrays.length === 0 ? 3 : faker.number.int(length)
  return Array.from({ length: count }, () => makers[type](faker, { name, type, values: items, share: 1 }))
}

function makeText(faker: Faker, field: Field): Json {
  const texts = field.values.filter((value) => typeof value === 'string')
  const choices = [...new Set(texts)]
  const isChoice = areChoices(choices.length, texts.length)
  // Reuses ids, so that links lead to existing records.
  if (isChoice || (choices.length > 0 && choices.every(isId))) return faker.helpers.arrayElement(choices)
  if (texts.length > 0 && texts.every((text) => isoTime.test(text))) return makeDate(faker, field)
  const [, make] = byName.find(([pattern]) => pattern.test(field.name)) ?? []
  return make ? make(faker) : faker.lorem.words({ min: 2, max: 5 })
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
