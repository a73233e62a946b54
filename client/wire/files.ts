/** How files look outside. Follows the `document` axis for the names of times and types. Contract 8.1. */
import type { StorageUsage, StoredFile } from '../model/file.js'
import type { Json, JsonObject, Writable } from '../model/json.js'
import type { Page } from '../model/page.js'
import { forms } from './codec.js'
import type { Dialect } from './dialect.js'
import { asObject } from './documents.js'
import { type HeaderReader, listEnvelopes, recordEnvelopes } from './envelopes.js'
import { count, object, text, time } from './schemas.js'

const common = { id: text, name: text, path: text, url: text, size: count }

const camel = {
  schema: object({ ...common, mimeType: text, createdAt: time }),
  write: (file: StoredFile): Writable => ({ ...file }),
  read: (body: Json) => fileOf(asObject(body), 'mimeType', 'createdAt'),
}

export const fileShapes = forms<StoredFile>()({
  enveloped: camel,
  snake: {
    schema: object({ ...common, mime_type: text, created_at: time }),
    write: ({ mimeType, createdAt, ...file }): Writable => ({ ...file, mime_type: mimeType, created_at: createdAt }),
    read: (body) => fileOf(asObject(body), 'mime_type', 'created_at'),
  },
  flat: camel,
})

function fileOf(body: JsonObject, type: string, created: string): StoredFile {
  const { id, name, path, url, size } = body
  return {
    id: String(id),
    name: String(name),
    path: String(path),
    url: String(url),
    size: Number(size),
    mimeType: String(body[type]),
    createdAt: String(body[created]),
  }
}

export function writeFile(dialect: Dialect, file: StoredFile): Writable {
  return recordEnvelopes[dialect.record].write(fileShapes[dialect.document].write(file))
}

export function readFile(dialect: Dialect, body: Json): StoredFile {
  return fileShapes[dialect.document].read(recordEnvelopes[dialect.record].read(body))
}

export function writeFiles(
  dialect: Dialect,
  page: Page<StoredFile>,
): { body: Writable; headers: Record<string, string> } {
  const items = page.items.map(fileShapes[dialect.document].write)
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items }, 'files')
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}

export function readFiles(dialect: Dialect, body: Json, header: HeaderReader): Page<StoredFile> {
  const inner = recordEnvelopes[dialect.record].read(body)
  const page: Page<Json> = listEnvelopes[dialect.list].read(inner, header, 'files')
  return { ...page, items: page.items.map(fileShapes[dialect.document].read) }
}

/** The same in every dialect, but for the envelope. */
export function writeUsage(dialect: Dialect, usage: StorageUsage): Writable {
  return recordEnvelopes[dialect.record].write({ ...usage })
}

export function readUsage(dialect: Dialect, body: Json): StorageUsage {
  return asObject(recordEnvelopes[dialect.record].read(body)) as unknown as StorageUsage
}
