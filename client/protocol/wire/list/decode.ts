/** Decodes the `list` axis: wrappers of the items of a page. */
import type { Json } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { asObject, type HeaderReader, numberIn } from '../expected.js'

/** Parts of a page in a response. */
export interface Listing extends Omit<Page<Json>, 'items' | 'offset'> {
  readonly items: Json
}

/** Name of the items in a page. */
export type Listed = 'documents' | 'users' | 'files'

/** The emulator's own header for the `seq` of a page. */
export const seqHeader = 'svc-seq'

export const listDecoders = {
  page: (body, _header, listed) => {
    const { [listed]: items, total = null, limit } = asObject(body, 'list')
    return { items, total, limit } as Listing
  },
  /** Total and limit are in headers. */
  array: (body, header) => ({
    items: body,
    total: numberIn(header('x-total-count')) ?? null,
    limit: numberIn(header('x-limit')),
  }),
} as const satisfies { readonly [form: string]: (body: Json, header: HeaderReader, listed: Listed) => Listing }
