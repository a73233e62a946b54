/** What stands around a record or a list: the `record` and the `list` axis. */
import type { Json, JsonObject, Writable } from '../model/json.js'
import type { Page } from '../model/page.js'
import type { JsonSchema } from './codec.js'
import { asObject } from './documents.js'
import { arrayOf, count, object } from './schemas.js'

interface Envelope {
  schema(record: JsonSchema): JsonSchema
  write(record: Writable): Writable
  read(body: Json): Json
}

export const recordEnvelopes = {
  bare: { schema: (record) => record, write: (record) => record, read: (body) => body },
  success: {
    schema: (record) => object({ success: { const: true }, data: record }),
    write: (data) => ({ success: true, data }),
    read: (body) => asObject(body).data ?? null,
  },
} as const satisfies Record<string, Envelope>

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** What a page lists; its items stand under this name. */
type Listed = 'documents' | 'users' | 'files'

interface ListEnvelope {
  schema(item: JsonSchema, listed?: Listed): JsonSchema
  write(page: Page<Writable>, listed?: Listed): { body: Writable; headers: Record<string, string> }
  read(body: Json, header: HeaderReader, listed?: Listed): Page<Json>
}

export const listEnvelopes = {
  page: {
    schema: (item, listed = 'documents') =>
      object({ [listed]: arrayOf(item), total: { type: ['integer', 'null'] }, limit: count, offset: count }),
    write: ({ items, total, limit, offset }, listed = 'documents') => ({
      body: { [listed]: items, total, limit, offset },
      headers: {},
    }),
    read: (body, _header, listed = 'documents') => {
      const { [listed]: items, total, limit, offset } = asObject(body) as JsonObject
      return {
        items: Array.isArray(items) ? items : [],
        total: typeof total === 'number' ? total : null,
        limit: Number(limit),
        offset: Number(offset),
      }
    },
  },
  /** The total and the limit travel in headers; the offset is known to who asked. */
  array: {
    schema: (item) => arrayOf(item),
    write: ({ items, total, limit }) => ({
      body: items,
      headers: { 'x-limit': String(limit), ...(total === null ? {} : { 'x-total-count': String(total) }) },
    }),
    read: (body, header) => {
      const items = Array.isArray(body) ? body : []
      const total = header('x-total-count')
      return {
        items,
        total: total === null || total === undefined ? null : Number(total),
        limit: Number(header('x-limit') ?? items.length),
        offset: 0,
      }
    },
  },
} as const satisfies Record<string, ListEnvelope>
