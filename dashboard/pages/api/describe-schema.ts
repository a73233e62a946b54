/** Describes a schema in words, and creates an example value. */
import type { Json } from '../../../client/protocol/model/json.js'
import type { Description, Schema } from './description.js'

type ResolveSchema = Description['resolveSchema']

export function listAlternatives({ oneOf, anyOf }: Schema): readonly Schema[] {
  return oneOf ?? anyOf ?? []
}

export function describeType(given: Schema, resolveSchema: ResolveSchema): string {
  const schema = resolveSchema(given)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  const alternatives = listAlternatives(schema)
  if (alternatives.length > 0)
    return [...new Set(alternatives.map((each) => describeType(each, resolveSchema)))].join(' or ')
  if (schema.type === 'array') return schema.items ? `list of ${describeType(schema.items, resolveSchema)}` : 'list'
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
export function describeLimits(schema: Schema): string {
  return Object.entries(limits)
    .flatMap(([name, words]) => {
      const value = schema[name]
      const isFormatLimit = typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER
      return value === undefined || isFormatLimit
        ? []
        : `${words} ${typeof value === 'object' ? JSON.stringify(value) : value}`
    })
    .join(' · ')
}

const maxDepth = 6

const texts: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  password: 'a long password',
  name: 'posts',
  'date-time': '2026-01-31T12:00:00.000Z',
}

/** Creates a starting value with the required fields, or with all fields if none is required. */
export function createExample(given: Schema, resolveSchema: ResolveSchema, name = '', depth = 0): Json {
  const schema = resolveSchema(given)
  const fixed = schema.const ?? schema.default ?? schema.enum?.[0]
  if (fixed !== undefined) return fixed
  const [first] = listAlternatives(schema)
  if (depth > maxDepth) return null
  if (first) return createExample(first, resolveSchema, name, depth)
  const type = [schema.type].flat()[0]
  if (type === 'array') return schema.items ? [createExample(schema.items, resolveSchema, '', depth + 1)] : []
  if (type === 'number' || type === 'integer') return Math.max(Number(schema.minimum ?? 0), 0)
  if (type === 'boolean') return true
  if (type === 'string') return texts[schema.format ?? name] ?? ''
  if (type === 'object') return exampleObject(schema, resolveSchema, depth)
  return null
}

function exampleObject(
  { properties, required, additionalProperties }: Schema,
  resolveSchema: ResolveSchema,
  depth: number,
): Json {
  const names = required && required.length > 0 ? required : Object.keys(properties ?? {})
  const entries = names.flatMap((name): [string, Json][] => {
    const schema = properties?.[name]
    return schema ? [[name, createExample(schema, resolveSchema, name, depth + 1)]] : []
  })
  // For a document without a schema, start with an example field.
  if (depth === 0 && !properties && additionalProperties !== false) return { title: 'Hello' }
  return Object.fromEntries(entries)
}
