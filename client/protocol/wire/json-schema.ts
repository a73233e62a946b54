/** JSON Schemas that the forms are built from. */
import type { JsonSchema } from './codec.js'

export const text: JsonSchema = { type: 'string' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const flag: JsonSchema = { type: 'boolean' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }

/** Builds an object schema. All members are required except those named. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] as readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** Builds the schema of an object with any keys and values of one type. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values }
}

/** Builds the schema of an enum. */
export function oneOf(texts: readonly string[]): JsonSchema {
  return { type: 'string', enum: texts }
}
