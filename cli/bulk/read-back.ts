/** Verifies that the service stored what it acknowledged. */
import type { Document } from '../../client/protocol/model/document.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits, undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { inPieces } from '../records/pieces.js'

type Collection = ReturnType<Client['collection']>

/** Fits one page, so that a list is one request. */
const idsAtOnce = 99

/** Returns the ids that exist. Reads documents only if the total leaves it open. */
export async function idsThere(collection: Collection, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>()
  for (const some of inPieces(ids, idsAtOnce)) {
    const { total } = await collection.list({ where: { id: { in: some } }, limit: 1 })
    const found = total === 0 ? unlisted(collection, some) : documentsOf(collection, some)
    if (total === some.length) for (const id of some) there.add(id)
    else for await (const { id } of found) there.add(id)
  }
  return there
}

/** Yields the documents that exist. */
export async function* documentsOf(collection: Collection, ids: readonly string[]): AsyncGenerator<Document> {
  for (const some of inPieces(ids, idsAtOnce)) {
    const left = new Set(some)
    for await (const document of collection.iterate({ where: { id: { in: some } } })) {
      if (left.delete(document.id)) yield document
    }
    if (left.size === new Set(some).size) yield* unlisted(collection, some)
  }
}

/** Returns the data of the documents that exist, by id. */
export async function dataById(collection: Collection, ids: readonly string[]): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>()
  for await (const { id, data } of documentsOf(collection, ids)) found.set(id, data)
  return found
}

/**
 * Finds documents that a list does not show, because a service may interpret the filter differently. Tries the first
 * and last id, and all others only if one of those exists.
 */
async function* unlisted(collection: Collection, ids: readonly string[]): AsyncGenerator<Document> {
  const ask = (id: string) => collection.get(id).catch(undefinedIfMissing)
  const ends = new Set([...ids.slice(0, 1), ...ids.slice(-1)])
  const found = await Promise.all([...ends].map(ask))
  if (found.every((document) => document === undefined)) return
  for (const id of new Set(ids)) {
    const document = await ask(id)
    if (document) yield document
  }
}

/** Reports that the service lost data it acknowledged. Exit 1. */
export function notSaved(message: string): CliFailure {
  return new CliFailure(
    'NOT_SAVED',
    exits.failed,
    message,
    'Check whether another program writes to it, and check the data before you run the command again.',
  )
}
