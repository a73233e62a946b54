/** The `users` axis: the wrapper of a page of users. */
import type { Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { JsonSchema } from '../codec.js'
import { arrayOf, count, flag, object } from '../json-schema.js'
import { listEnvelopes } from '../list/encode.js'
import type { userListDecoders } from './decode.js'

interface UserListForm {
  schema(list: keyof typeof listEnvelopes, user: JsonSchema): JsonSchema
  encode(
    list: keyof typeof listEnvelopes,
    page: Page<Writable>,
  ): { body: Writable; headers: Readonly<Record<string, string>> }
}

export const userLists = {
  /** Follows the `list` axis. */
  page: {
    schema: (list, user) => listEnvelopes[list].schema(user, 'users'),
    encode: (list, page) => listEnvelopes[list].encode(page, 'users'),
  },
  data: {
    schema: (_list, user) =>
      object({
        data: arrayOf(user),
        total: { type: ['integer', 'null'] },
        ...{ limit: count, offset: count },
        has_more: flag,
      }),
    encode: (_list, { items, total, limit, offset }) => ({
      body: { data: items, total, limit, offset, has_more: offset + items.length < (total ?? 0) },
      headers: {},
    }),
  },
} as const satisfies Record<keyof typeof userListDecoders, UserListForm>
