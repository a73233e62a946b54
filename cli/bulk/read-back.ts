/** Whether a service has what it acknowledged. */
import type { Document } from '../../client/protocol/model/document.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits, undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { inPieces } from '../records/pieces.js'

type Collection = ReturnType<Client['collection']>

/** One page, so that a list of them is one request. */
const idsAtOnce = 99

/** Which of these documents are there. Reads ids only where the total of a page leaves them open. */
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

/** Those of the documents that are there. */
export async function* documentsOf(collection: Collection, ids: readonly string[]): AsyncGenerator<Document> {
  for (const some of inPieces(ids, idsAtOnce)) {
    const left = new Set(some)
    for await (const document of collection.iterate({ where: { id: { in: some } } })) {
      if (left.delete(document.id)) yield document
    }
    if (left.size === new Set(some).size) yield* unlisted(collection, some)
  }
}

/** The data of the documents that are there, by their ids. */
export async function dataById(collection: Collection, ids: readonly string[]): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>()
  for await (const { id, data } of documentsOf(collection, ids)) found.set(id, data)
  return found
}

/**
 * Those of the documents that are there, where a list shows none of them: a service that reads the filter in another way shows
 * none either. Asks for the first and the last, and for all if one of these is there.
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

/** A difference between what a service acknowledged and what it has: exit 1. */
export function notSaved(message: string): CliFailure {
  return new CliFailure(
    'NOT_SAVED',
    exits.failed,
    message,
    'Does another program write there? Look at what is there before you repeat the command.',
  )
}
