import type { Schema } from '../../client/index.js'
import type { Client } from '../base/target-command.js'

/** Sorts the schema's fields first, in its order. The others follow unchanged. */
export function inSchemaOrder(names: readonly string[], schema: Schema = {}): string[] {
  const known = Object.keys(schema).filter((name) => names.includes(name))
  return [...known, ...names.filter((name) => !known.includes(name))]
}

/** Returns the schema of a collection. Empty if the service does not show it. */
export async function readSchemaIfShown(client: Client, name: string): Promise<Schema> {
  return client.collections.get(name).then(
    ({ schema }) => schema,
    () => ({}),
  )
}
