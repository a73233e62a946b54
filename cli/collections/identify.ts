import type { Schema } from '../../client/index.js'
import { refusedForPath } from '../base/foreign-answer.js'
import type { Client } from '../base/target-command.js'

export interface Identified {
  /** Distinguishes collections with the same name in other services or a fresh database. */
  readonly id: string
  readonly documentCount?: number | undefined
  readonly schema?: Schema
}

/**
 * Looks up a collection by name. Deployed services have no route for it, so the URL and the name serve as the id.
 *
 * @throws {SvcError} `NOT_FOUND` if it does not exist
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
    return { id: unlistedId(url, name), documentCount }
  }
}

/** Identifies a collection of a service that does not tell ids. */
export function unlistedId(url: string, name: string): string {
  return `${url} ${name}`
}
