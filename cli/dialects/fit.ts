/** Which of several schemas a value fits best: forms of the wire are recognized by what their tables say they look like. */
import { isObject, type Json } from '../../client/protocol/model/json.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'

/** The form whose schema has most of its members in the value and lacks fewest; nothing if none has any. */
export function bestFit<Form extends string>(
  schemas: Readonly<Record<Form, JsonSchema>>,
  value: Json | undefined,
): Form | undefined {
  const fits = (Object.keys(schemas) as Form[])
    .map((form) => ({ form, score: fitOf(schemas[form], value) }))
    .filter(({ score }) => score !== undefined)
    .sort((one, other) => Number(other.score) - Number(one.score))
  return fits[0]?.form
}

/** What a value of that schema looks like, for people: `{id, data, …}`. */
export function looksOf(schema: JsonSchema): string {
  if (schema.type === 'array') return 'an array'
  if (schema.type !== 'object') return 'as it is'
  return `{${[...requiredOf(schema), ...(schema.additionalProperties ? ['…'] : [])].join(', ')}}`
}

function fitOf(schema: JsonSchema, value: Json | undefined): number | undefined {
  if (schema.type === undefined) return 0
  if (schema.type === 'array') return Array.isArray(value) ? 1 : undefined
  if (!isObject(value)) return undefined
  const required = requiredOf(schema)
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>
  const present = required.filter((name) => isOf(properties[name] ?? {}, value[name])).length
  // What is missing counts double: any document may have a field that is named as one of another form.
  return present === 0 ? undefined : present - 2 * (required.length - present)
}

function requiredOf(schema: JsonSchema): readonly string[] {
  return schema.required as readonly string[]
}

/** Whether a member is there, and of the kind that tells it from another of its name. */
function isOf({ const: only, type }: JsonSchema, value: Json | undefined): boolean {
  if (only !== undefined) return value === only
  return type === 'object' ? isObject(value) : value !== undefined
}
