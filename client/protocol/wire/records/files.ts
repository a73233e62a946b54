/** How files look outside. Follows the `document` axis for the names of times and types. Contract 8.1. */
import type { StorageUsage, StoredFile } from '../../model/file.js'
import { JsonText, type Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { forms } from '../codec.js'
import type { Dialect } from '../dialects.js'
import { count, object, text, time } from '../json-schema.js'
import { listEnvelopes, recordEnvelopes } from '../list/encode.js'
import { readFile } from './decode.js'

const common = { id: text, name: text, path: text, url: text, size: count }

const camel = {
  schema: object({ ...common, mimeType: text, createdAt: time }),
  write: (file: StoredFile): Writable => ({ ...file }),
  read: readFile,
}

export const fileShapes = forms<StoredFile>()({
  enveloped: camel,
  snake: {
    schema: object({ ...common, mime_type: text, created_at: time }),
    write: ({ mimeType, createdAt, ...file }): Writable => ({ ...file, mime_type: mimeType, created_at: createdAt }),
    read: readFile,
  },
  flat: camel,
})

export function writeFile(dialect: Dialect, file: StoredFile): Writable {
  return recordEnvelopes[dialect.record].write(fileShapes[dialect.document].write(file))
}

export function writeFiles(
  dialect: Dialect,
  page: Page<StoredFile>,
): { body: Writable; headers: Record<string, string> } {
  const { write } = fileShapes[dialect.document]
  // No part of a file is text already, and then the engine writes it faster.
  const items = page.items.map((file) => new JsonText(JSON.stringify(write(file))))
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items }, 'files')
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}

/** The same in every dialect, but for the envelope. */
export function writeUsage(dialect: Dialect, usage: StorageUsage): Writable {
  return recordEnvelopes[dialect.record].write({ ...usage })
}
