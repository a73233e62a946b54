import type { Where } from '../../client/protocol/model/where.js'
import type { Client } from '../base/target-command.js'
import { largePages } from '../documents/large-pages.js'
import type { Progress } from '../terminal/progress.js'
import type { ExportFile } from './export-file.js'

/**
 * Writes all matching documents by id, oldest first, and resumes at the end of the file. Returns the number of
 * documents in the file.
 */
export async function exportDocuments(
  collection: ReturnType<Client['collection']>,
  where: Where,
  file: ExportFile,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<number> {
  let exported = file.resumed
  const after = file.lastId === undefined ? undefined : { id: file.lastId, read: file.resumed }
  const pages = largePages(collection, where, after)
  let next = pages.next()
  while (!signal.aborted) {
    const { value: page } = await next
    if (!page) break
    // Prefetches the next page while this one is written.
    next = pages.next()
    next.catch(() => undefined)
    await file.write(page.items)
    exported += page.items.length
    progress.at(exported, exported)
  }
  return exported
}

/** Returns every field of all documents, for a table that leaves nothing out. */
export async function fieldNamesOfAll(collection: ReturnType<Client['collection']>, where: Where): Promise<string[]> {
  const names = new Set<string>()
  for await (const { data } of collection.iterate({ where })) for (const name of Object.keys(data)) names.add(name)
  return [...names]
}
