/** The few JSON Schemas that the forms are made of. */
import type { JsonSchema } from './codec.js'

export const text: JsonSchema = { type: 'string' }
export const time: JsonSchema = { type: 'string', format: 'date-time' }
export const flag: JsonSchema = { type: 'boolean' }
export const count: JsonSchema = { type: 'integer', minimum: 0 }

/** An object of these members, all of them required but those named. */
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

/** An object of any names, whose values are all of one kind. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values }
}

/** One of these texts. */
export function oneOf(texts: readonly string[]): JsonSchema {
  return { type: 'string', enum: texts }
}
