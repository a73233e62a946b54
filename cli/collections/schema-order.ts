import type { Schema } from '../../client/index.js'
import type { Client } from '../base/target-command.js'

/** Fields of the schema in its order, then the others as they are. */
export function inSchemaOrder(names: readonly string[], schema: Schema = {}): string[] {
  const known = Object.keys(schema).filter((name) => names.includes(name))
  return [...known, ...names.filter((name) => !known.includes(name))]
}

/** The schema of a collection; none where the service does not show it. */
export async function schemaOf(client: Client, name: string): Promise<Schema> {
  return client.collections.get(name).then(
    ({ schema }) => schema,
    () => ({}),
  )
}
