/** Lists and formats stored files. */
import type { Client } from '../../client/index.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import type { StoredFile } from '../../client/protocol/model/file.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Row } from '../terminal/print.js'

const pageSize = 100

/** Yields all files of a folder, newest first. */
async function* eachFile({ files }: Client, path?: string): AsyncGenerator<StoredFile, void, undefined> {
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await files.list({ ...(path === undefined ? {} : { path }), limit: pageSize, offset })
    yield* items
    if (items.length < pageSize) return
  }
}

export async function allFiles(client: Client, path?: string): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const file of eachFile(client, path)) files.push(file)
  return files
}

/**
 * Finds a file by id.
 *
 * @param target flags that select the service in the suggestion
 */
export async function findFile(client: Client, id: string, target: string): Promise<StoredFile> {
  for await (const file of eachFile(client)) if (file.id === id) return file
  throw new CliFailure('NOT_FOUND', exits.notFound, `No file "${id}".`, `List them: svc files list${target}`)
}

/** Leaves out the type if the service does not say it, as after an upload in dialect d. */
export function fileRow({ id, name, path, size, mimeType, url }: StoredFile): Row {
  const type = mimeType === '' ? {} : { type: mimeType }
  return { id, path: path === '' ? name : `${path}/${name}`, size: formatBytes(size), ...type, url }
}
