import type { Client, Collection } from '../../client/index.js'

/** Adds an empty schema to collections from services that send none. */
export function withSchemas(client: Client): Client {
  const { collections } = client
  return {
    ...client,
    collections: {
      ...collections,
      list: async (...asked) => (await collections.list(...asked)).map(withSchema),
      get: async (...asked) => withSchema(await collections.get(...asked)),
      create: async (...asked) => withSchema(await collections.create(...asked)),
      update: async (...asked) => withSchema(await collections.update(...asked)),
      rename: async (...asked) => withSchema(await collections.rename(...asked)),
    },
  }
}

function withSchema<One extends Collection>(one: One): One {
  return one.schema ? one : { ...one, schema: {} }
}
