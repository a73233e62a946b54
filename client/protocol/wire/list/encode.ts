/** What stands around a record or a list: the `record` and the `list` axis. */
import type { Json, Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { JsonSchema } from '../codec.js'
import { arrayOf, count, object } from '../json-schema.js'
import { type HeaderReader, type Listed, type Listing, listReaders, recordReaders } from '../records/decode.js'

interface Envelope {
  schema(record: JsonSchema): JsonSchema
  write(record: Writable): Writable
  read(body: Json): Json
}

export const recordEnvelopes = {
  bare: { schema: (record) => record, write: (record) => record, read: recordReaders.bare },
  success: {
    schema: (record) => object({ success: { const: true }, data: record }),
    write: (data) => ({ success: true, data }),
    read: recordReaders.success,
  },
} as const satisfies Record<string, Envelope>

interface ListEnvelope {
  schema(item: JsonSchema, listed?: Listed): JsonSchema
  write(page: Page<Writable>, listed?: Listed): { body: Writable; headers: Record<string, string> }
  read(body: Json, header: HeaderReader, listed?: Listed): Listing
}

export const listEnvelopes = {
  page: {
    schema: (item, listed = 'documents') =>
      object({ [listed]: arrayOf(item), total: { type: ['integer', 'null'] }, limit: count, offset: count }),
    write: ({ items, total, limit, offset }, listed = 'documents') => ({
      body: { [listed]: items, total, limit, offset },
      headers: {},
    }),
    read: (body, header, listed = 'documents') => listReaders.page(body, header, listed),
  },
  /** The total and the limit travel in headers; the offset is known to who asked. */
  array: {
    schema: (item) => arrayOf(item),
    write: ({ items, total, limit }) => ({
      body: items,
      headers: { 'x-limit': String(limit), ...(total === null ? {} : { 'x-total-count': String(total) }) },
    }),
    read: (body, header) => listReaders.array(body, header),
  },
} as const satisfies Record<string, ListEnvelope>
