/** Schemas as generators of clients want them: records have names, and an object that takes any field says so. */
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { collectionShape } from '../../../client/protocol/wire/records/collections.js'
import { fileShape } from '../../../client/protocol/wire/records/files.js'
import { userSchema } from '../../../client/protocol/wire/records/users.js'

/** What a project holds, by the names that generated types have. */
export function recordSchemas(dialect: Dialect): Readonly<Record<string, JsonSchema>> {
  return {
    Document: axes.document[dialect.document].schema,
    Collection: collectionShape(dialect).schema,
    User: userSchema(dialect),
    StoredFile: fileShape(dialect).schema,
    Error: axes.errors[dialect.errors].schema,
  }
}

/**
 * The same, with a reference in the place of each record. `type: object` alone takes any field in JSON Schema; generators read
 * it as an object without fields unless `additionalProperties` says otherwise.
 */
export function withNames(described: unknown, records: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const names = new Map<unknown, string>(Object.entries(records).map(([name, schema]) => [schema, name]))

  function rewritten(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewritten)
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(value)
    return name === undefined ? membersOf(value) : { $ref: `#/components/schemas/${name}` }
  }

  function membersOf(value: object): JsonSchema {
    const members: JsonSchema = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewritten(one)]))
    const isOpen = members.type === 'object' && members.additionalProperties === undefined
    return isOpen ? { ...members, additionalProperties: true } : members
  }

  const { components, ...rest } = membersOf(Object(described))
  const schemas = Object.fromEntries(Object.entries(records).map(([name, schema]) => [name, membersOf(schema)]))
  return { ...rest, components: { schemas, ...Object(components) } }
}
