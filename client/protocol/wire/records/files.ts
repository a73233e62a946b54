/** Encodes files. The `document` axis decides the names of times and types. Contract 8.1. */
import type { StorageUsage, StoredFile } from '../../model/file.js'
import { JsonText, type Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { chooseNaming } from '../document/encode.js'
import type { Naming } from '../document/user-record.js'
import { count, object, text, time } from '../json-schema.js'

interface FileShape {
  readonly schema: JsonSchema
  encode(file: StoredFile): Writable
}

const common = { id: text, name: text, path: text, url: text, size: count }

const snake: FileShape = {
  schema: object({ ...common, mime_type: text, created_at: time }),
  encode: ({ mimeType, createdAt, ...file }) => ({ ...file, mime_type: mimeType, created_at: createdAt }),
}

const fileShapes = {
  camel: {
    schema: object({ ...common, mimeType: text, createdAt: time }),
    encode: (file) => ({ ...file }),
  },
  snake,
  deployed: snake,
} as const satisfies Record<Naming, FileShape>

export function fileShape(dialect: Dialect): FileShape {
  return fileShapes[chooseNaming(dialect)]
}

export function encodeFile(dialect: Dialect, file: StoredFile): Writable {
  return axes.record[dialect.record].encode(fileShape(dialect).encode(file))
}

export function encodeFiles(
  dialect: Dialect,
  page: Page<StoredFile>,
): { body: Writable; headers: Record<string, string> } {
  const { encode } = fileShape(dialect)
  // Uses `JSON.stringify`, which is faster, because files contain no encoded parts.
  const items = page.items.map((file) => new JsonText(JSON.stringify(encode(file))))
  const { body, headers } = axes.list[dialect.list].encode({ ...page, items }, 'files')
  return { body: axes.record[dialect.record].encode(body), headers }
}

/** Encodes storage usage. Only the envelope depends on the dialect. */
export function encodeUsage(dialect: Dialect, usage: StorageUsage): Writable {
  return axes.record[dialect.record].encode({ ...usage })
}
