import { SvcError } from '../../client/index.js'
import type { Client } from '../base/service-command.js'

type Collection = ReturnType<Client['collection']>

/** Counts documents. Returns null if the service does not, so that what was read or written before does not fail with it. */
export async function toldCount(
  collection: Collection,
  query: Parameters<Collection['count']>[0] = {},
): Promise<number | null> {
  try {
    return await collection.count(query)
  } catch (error) {
    if (error instanceof SvcError) return null
    throw error
  }
}
