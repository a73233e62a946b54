import { type Page, SvcError } from '../../client/index.js'
import type { Client } from '../base/service-command.js'

type Collection = ReturnType<Client['collection']>
type CountQuery = NonNullable<Parameters<Collection['count']>[0]>

/** Counts documents. Returns null if the service does not, so that what was read or written before does not fail with it. */
export async function toldCount(collection: Collection, query: CountQuery = {}): Promise<number | null> {
  try {
    return await collection.count(query)
  } catch (error) {
    if (error instanceof SvcError) return null
    throw error
  }
}

/** Returns the total of a page. Counts if the page does not tell it: some services count only when asked for nothing else. */
export async function countPage(
  { items, total, offset }: Page<unknown>,
  collection: Collection,
  { where, populate }: CountQuery,
): Promise<number | null> {
  if (total !== null || items.length === 0) return total
  const told = await toldCount(collection, { where, populate })
  // Documents may have been deleted in between.
  return told !== null && told >= offset + items.length ? told : null
}
