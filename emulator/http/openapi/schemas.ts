/** Adapts schemas for client generators: names records, and marks objects that accept any field. */
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { collectionShape } from '../../../client/protocol/wire/records/collections.js'
import { fileShape } from '../../../client/protocol/wire/records/files.js'
import { userSchema } from '../../../client/protocol/wire/records/users.js'

/** Returns the records of a project, by the names that generated types get. */
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
 * Replaces each record with a reference. Adds `additionalProperties` to open objects, because generators treat a bare `type:
 * object` as an object without fields.
 */
export function withNames(described: unknown, records: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const names = new Map<unknown, string>(Object.entries(records).map(([name, schema]) => [schema, name]))

  function rewritten(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewritten)
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(value)
    return name === undefined ? replaceMembers(value) : { $ref: `#/components/schemas/${name}` }
  }

  function replaceMembers(value: object): JsonSchema {
    const members: JsonSchema = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewritten(one)]))
    const isOpen = members.type === 'object' && members.additionalProperties === undefined
    return isOpen ? { ...members, additionalProperties: true } : members
  }

  const { components, ...rest } = replaceMembers(Object(described))
  const schemas = Object.fromEntries(Object.entries(records).map(([name, schema]) => [name, replaceMembers(schema)]))
  return { ...rest, components: { schemas, ...Object(components) } }
}
