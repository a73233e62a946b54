/** Writes types as JSON Schema, draft 2020-12. */
import { type Json, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import type { NamedTypes } from '../named-types.js'
import type { ObjectShape, Scalar, Shape } from '../shapes.js'
import { header } from './header.js'

export function writeJsonSchema({ types, nameOf }: NamedTypes): string {
  const definitions: JsonObject = {}
  const collections: JsonObject = {}
  for (const { name, shape, collection } of types) {
    setOwn(definitions, name, define(shape))
    if (collection !== undefined) setOwn(collections, collection, refer(name))
  }
  const schema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: header.join(' '),
    type: 'object',
    description: 'The document type of each collection.',
    properties: collections,
    $defs: definitions,
  }
  return `${JSON.stringify(schema, null, 2)}\n`

  /** Defines an object inline. Nested objects with a name become references. */
  function define(shape: Shape): JsonObject {
    return shape.kind === 'object' ? objectSchema(shape) : write(shape)
  }

  function objectSchema({ fields }: ObjectShape): JsonObject {
    const properties: JsonObject = {}
    for (const { name, shape, ...annotations } of fields) {
      setOwn(properties, name, {
        ...write(shape),
        ...renamed(annotations, { default: 'default', description: 'description' }),
      })
    }
    const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
    return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
  }

  function write(shape: Shape): JsonObject {
    switch (shape.kind) {
      case 'text':
        return { type: 'string', ...(shape.format ? formats[shape.format] : {}), ...textLimits(shape) }
      case 'link':
        return { type: 'string', format: 'uuid', description: linkWords(shape.collection) }
      case 'choices':
        return { ...typeOfAll(shape.values), enum: [...shape.values] }
      case 'number':
        return { type: shape.isInteger ? 'integer' : 'number', ...renamed(shape, { minimum: 'min', maximum: 'max' }) }
      case 'array':
        return {
          type: 'array',
          items: write(shape.items),
          ...renamed(shape, { minItems: 'minLength', maxItems: 'maxLength' }),
        }
      case 'dictionary':
        return { type: 'object', additionalProperties: write(shape.values) }
      case 'object':
        return nameOf(shape) === '' ? { type: 'object' } : refer(nameOf(shape))
      case 'union':
        return { anyOf: shape.of.map((one): Json => write(one)) }
      case 'unknown':
        return {}
      default:
        return { type: shape.kind }
    }
  }
}

/** Copies the options that are set, under the names of JSON Schema. */
function renamed<Name extends string>(
  shape: { readonly [Option in Name]?: Json },
  names: Readonly<Record<string, Name>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, option]) => {
      const value = shape[option]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function textLimits(shape: Extract<Shape, { kind: 'text' }>): JsonObject {
  const { pattern } = shape
  return {
    ...renamed(shape, { minLength: 'minLength', maxLength: 'maxLength' }),
    // The pattern of a schema matches the whole text.
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
  }
}

/** Names the type that all values have, if it is one. */
function typeOfAll(values: readonly Scalar[]): JsonObject {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  return types.length === 1 ? { type: types[0] ?? '' } : {}
}

function linkWords(collection: string): string {
  return collection === 'users' ? 'The id of a user.' : `The id of a document of "${collection}".`
}

function refer(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}

const formats = {
  id: { format: 'uuid' },
  date: { format: 'date' },
  'date-time': { format: 'date-time' },
  datetime: { description: 'A day or a point in time, as ISO 8601.' },
  file: { format: 'uri', description: 'The URL of a stored file.' },
  url: { format: 'uri' },
  email: { format: 'email' },
} as const
