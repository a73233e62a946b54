/** The `list` axis, as clients decode it: what stands around the items of a page. */
import type { Json } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { asObject, type HeaderReader, numberIn } from '../expected.js'

/** What of a page stands in an answer. */
export interface Listing extends Omit<Page<Json>, 'items' | 'offset'> {
  readonly items: Json
}

/** What a page lists; its items stand under this name. */
export type Listed = 'documents' | 'users' | 'files'

export const listDecoders = {
  page: (body, _header, listed) => {
    const { [listed]: items, total = null, limit } = asObject(body, 'list')
    return { items, total, limit } as Listing
  },
  /** The total and the limit travel in headers. */
  array: (body, header) => ({
    items: body,
    total: numberIn(header('x-total-count')) ?? null,
    limit: numberIn(header('x-limit')),
  }),
} as const satisfies { readonly [form: string]: (body: Json, header: HeaderReader, listed: Listed) => Listing }
