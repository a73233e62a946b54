/** Describes a schema in words, and creates an example value. */
import type { Json } from '../../../client/protocol/model/json.js'
import type { Description, Schema } from './description.js'

type SchemaOf = Description['schemaOf']

export function alternativesOf({ oneOf, anyOf }: Schema): readonly Schema[] {
  return oneOf ?? anyOf ?? []
}

export function typeWords(given: Schema, schemaOf: SchemaOf): string {
  const schema = schemaOf(given)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return [...new Set(alternatives.map((each) => typeWords(each, schemaOf)))].join(' or ')
  if (schema.type === 'array') return schema.items ? `list of ${typeWords(schema.items, schemaOf)}` : 'list'
  if (schema.type === undefined) return 'anything'
  return [[schema.type].flat().join(' or '), schema.format].filter(Boolean).join(', ')
}

const limits: Readonly<Record<string, string>> = {
  minimum: 'min',
  maximum: 'max',
  minLength: 'min length',
  maxLength: 'max length',
  minItems: 'min items',
  maxItems: 'max items',
  maxProperties: 'max fields',
  pattern: 'pattern',
  default: 'default',
}

/** Describes the limits of a schema. Leaves out those of the number format itself. */
export function limitWords(schema: Schema): string {
  return Object.entries(limits)
    .flatMap(([name, words]) => {
      const value = schema[name]
      const isOfFormat = typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER
      return value === undefined || isOfFormat
        ? []
        : `${words} ${typeof value === 'object' ? JSON.stringify(value) : value}`
    })
    .join(' · ')
}

const mostDepth = 6

const texts: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  password: 'a long password',
  name: 'posts',
  'date-time': '2026-01-31T12:00:00.000Z',
}

/** Creates a starting value with the required fields, or with all fields if none is required. */
export function exampleOf(given: Schema, schemaOf: SchemaOf, name = '', depth = 0): Json {
  const schema = schemaOf(given)
  const fixed = schema.const ?? schema.default ?? schema.enum?.[0]
  if (fixed !== undefined) return fixed
  const [first] = alternativesOf(schema)
  if (depth > mostDepth) return null
  if (first) return exampleOf(first, schemaOf, name, depth)
  const type = [schema.type].flat()[0]
  if (type === 'array') return schema.items ? [exampleOf(schema.items, schemaOf, '', depth + 1)] : []
  if (type === 'number' || type === 'integer') return Math.max(Number(schema.minimum ?? 0), 0)
  if (type === 'boolean') return true
  if (type === 'string') return texts[schema.format ?? name] ?? ''
  if (type === 'object') return exampleObject(schema, schemaOf, depth)
  return null
}

function exampleObject(
  { properties, required, additionalProperties }: Schema,
  schemaOf: SchemaOf,
  depth: number,
): Json {
  const names = required && required.length > 0 ? required : Object.keys(properties ?? {})
  const entries = names.flatMap((name): [string, Json][] => {
    const schema = properties?.[name]
    return schema ? [[name, exampleOf(schema, schemaOf, name, depth + 1)]] : []
  })
  // For a document without a schema, start with an example field.
  if (depth === 0 && !properties && additionalProperties !== false) return { title: 'Hello' }
  return Object.fromEntries(entries)
}
