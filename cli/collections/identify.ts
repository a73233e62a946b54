import type { Schema } from '../../client/index.js'
import { refusedForPath } from '../base/foreign-answer.js'
import type { Client } from '../base/target-command.js'

export interface Identified {
  /** Tells it from one of the same name in another service or in a fresh database. */
  readonly id: string
  readonly documentCount?: number | undefined
  readonly schema?: Schema
}

/**
 * Looks a collection up by its name. A deployed service shows no single collection: there, the address and the name are its id.
 *
 * @throws {SvcError} `NOT_FOUND` where there is none
 */
export async function identifyCollection(client: Client, name: string, url: string): Promise<Identified> {
  try {
    return await client.collections.get(name)
  } catch (error) {
    if (!refusedForPath(error)) throw error
    const documentCount = await client
      .collection(name)
      .count()
      .catch(() => undefined)
    return { id: `${url} ${name}`, documentCount }
  }
}
