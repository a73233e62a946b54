/** Finds the schema that a value fits best, to recognize the forms of a dialect. */
import { isObject, type Json } from '../../client/protocol/model/json.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'

/**
 * Returns the form whose schema shares most fields with the value and misses fewest. Undefined if it shares none with
 * any.
 */
export function bestFit<Form extends string>(
  schemas: Readonly<Record<Form, JsonSchema>>,
  value: Json | undefined,
): Form | undefined {
  const fits = (Object.keys(schemas) as Form[])
    .map((form) => ({ form, score: scoreFit(schemas[form], value) }))
    .filter(({ score }) => score !== undefined)
    .sort((one, other) => Number(other.score) - Number(one.score))
  return fits[0]?.form
}

/** Describes values of a schema, for example `{id, data, …}`. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.type === 'array') return 'an array'
  if (schema.type !== 'object') return 'as it is'
  return `{${[...requiredNames(schema), ...(schema.additionalProperties ? ['…'] : [])].join(', ')}}`
}

function scoreFit(schema: JsonSchema, value: Json | undefined): number | undefined {
  if (schema.type === undefined) return 0
  if (schema.type === 'array') return Array.isArray(value) ? 1 : undefined
  if (!isObject(value)) return undefined
  const required = requiredNames(schema)
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>
  const present = required.filter((name) => matchesKind(properties[name] ?? {}, value[name])).length
  // Missing fields count double, because any document may happen to have a field of another form's name.
  return present === 0 ? undefined : present - 2 * (required.length - present)
}

function requiredNames(schema: JsonSchema): readonly string[] {
  return schema.required as readonly string[]
}

/** Returns whether a member exists and has the kind that distinguishes its form. */
function matchesKind({ const: only, type }: JsonSchema, value: Json | undefined): boolean {
  if (only !== undefined) return value === only
  return type === 'object' ? isObject(value) : value !== undefined
}
