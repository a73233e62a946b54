import type { Document } from '../../client/protocol/model/document.js'
import type { Test, Where } from '../../client/protocol/model/where.js'
import type { Client } from '../base/target-command.js'
import { halving } from '../documents/halving.js'
import type { Progress } from '../terminal/progress.js'
import type { ExportFile } from './export-file.js'

// Served at whatever the service allows: contract 2.6.
const pageSize = 500

/**
 * Writes all documents that match, by their ids: oldest first, and going on from where the file ends.
 * Answers how many the file holds.
 */
export async function exportDocuments(
  collection: ReturnType<Client['collection']>,
  where: Where,
  file: ExportFile,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<number> {
  let exported = file.resumed
  let most = pageSize
  const read = async (after: string | undefined) => {
    const [answer, limit] = await halving(most, (limit) =>
      collection.list({ where: beyond(where, after), sort: 'id', limit, count: false }),
    )
    most = limit
    return answer
  }
  let next = read(file.lastId)
  while (!signal.aborted) {
    const { items } = await next
    const last = items.at(-1)
    if (!last) break
    // The next page is on its way while this one is written.
    next = read(last.id)
    next.catch(() => undefined)
    await file.write(items as readonly Document[])
    exported += items.length
    progress.at(exported, exported)
  }
  return exported
}

/** Every field that any of the documents has: the columns of a table that leaves nothing out. */
export async function fieldNamesOfAll(collection: ReturnType<Client['collection']>, where: Where): Promise<string[]> {
  const names = new Set<string>()
  for await (const { data } of collection.iterate({ where })) for (const name of Object.keys(data)) names.add(name)
  return [...names]
}

function beyond(where: Where, id: string | undefined): Where {
  if (id === undefined) return where
  const test: Test = { path: ['id'], operator: 'gt', value: id }
  return { all: [...where.all, { any: [test] }] }
}
