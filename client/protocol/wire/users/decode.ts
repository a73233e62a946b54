/** Decodes the `users` axis. Undefined if a page of users has the form of all other pages. */
import type { Json } from '../../model/json.js'
import { asObject } from '../expected.js'
import type { Listing } from '../list/decode.js'

export const userListDecoders = {
  page: undefined,
  data: (body) => {
    const { data: items, total = null, limit } = asObject(body, 'users')
    return { items, total, limit } as Listing
  },
} as const satisfies { readonly [form: string]: ((body: Json) => Listing) | undefined }
