import { equalJson, type Json } from '../../client/protocol/model/json.js'
import type { Where } from '../../client/protocol/model/where.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { largePages } from '../documents/large-pages.js'

type Collection = ReturnType<Client['collection']>

/**
 * Reads all matching documents for a backup and verifies that none was missed.
 *
 * @param total the number the user confirmed; omit it if the service does not report one
 * @throws {CliFailure} `CHANGED`, after the last document, if another program wrote to them in the meantime
 */
export async function* settledDocuments(collection: Collection, where: Where, total: number | undefined) {
  const before = await newest(collection, where)
  let saved = 0
  for await (const { items } of largePages(collection, where)) {
    yield* items
    saved += items.length
  }
  const isWhole = total === undefined || saved === total
  if (isWhole && equalJson(before, await newest(collection, where))) return
  throw new CliFailure(
    'CHANGED',
    exits.failed,
    'The documents changed while the backup was made. This command changed nothing.',
    'Run the same command again. To skip the backup: --no-backup',
  )
}

/** Changes as soon as one of the documents is created, changed, or deleted. */
async function newest(collection: Collection, where: Where): Promise<Json> {
  const { items, total } = await collection.list({ where, sort: '-updatedAt', limit: 1 })
  const { id = null, updatedAt = null } = items[0] ?? {}
  return { total, id, updatedAt }
}
