/** The `list` axis: wrappers of the items of a page. */
import type { Json, Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { JsonSchema } from '../codec.js'
import type { HeaderReader } from '../expected.js'
import { arrayOf, count, object } from '../json-schema.js'
import { type Listed, type Listing, listDecoders } from './decode.js'

interface ListEnvelope {
  schema(item: JsonSchema, listed?: Listed): JsonSchema
  /** Headers that describe the page, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>
  encode(page: Page<Writable>, listed?: Listed): { body: Writable; headers: Record<string, string> }
  decode(body: Json, header: HeaderReader, listed: Listed): Listing
}

export const listEnvelopes = {
  page: {
    schema: (item, listed = 'documents') =>
      object({ [listed]: arrayOf(item), total: { type: ['integer', 'null'] }, limit: count, offset: count }),
    headers: {},
    encode: ({ items, total, limit, offset }, listed = 'documents') => ({
      body: { [listed]: items, total, limit, offset },
      headers: {},
    }),
    decode: listDecoders.page,
  },
  /** Omits the offset, which the client knows. */
  array: {
    schema: (item) => arrayOf(item),
    headers: { 'x-total-count': 'All matches.', 'x-limit': 'The limit that was used.' },
    encode: ({ items, total, limit }) => ({
      body: items,
      headers: { 'x-limit': String(limit), ...(total === null ? {} : { 'x-total-count': String(total) }) },
    }),
    decode: listDecoders.array,
  },
} as const satisfies Record<keyof typeof listDecoders, ListEnvelope>
