import { mostBatchItems } from '../../client/protocol/model/limits.js'
import type { Client } from '../base/target-command.js'

/**
 * Deletes what a planting that failed has created. Half a collection would be taken for a whole one, and left alone, when
 * the file is planted again. Why it failed is what has to be said, whether or not this works.
 */
export async function takeBack(client: Client, name: string, ids: readonly string[]): Promise<void> {
  try {
    for (let at = 0; at < ids.length; at += mostBatchItems) {
      await client.collection(name).deleteMany(ids.slice(at, at + mostBatchItems))
    }
  } catch {
    // Without an answer, as the planting itself most likely.
  }
}
