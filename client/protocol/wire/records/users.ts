/** Encodes users. The `document` axis decides the names of times. */
import type { OutgoingUser } from '../../model/document.js'
import type { Writable, WritableObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { chooseNaming } from '../document/encode.js'
import { encodeUserRecord, type Naming } from '../document/user-record.js'
import { arrayOf, object, text, time } from '../json-schema.js'
import { oneByOne } from './documents.js'

const common = {
  id: text,
  email: text,
  data: { type: 'object' },
  roles: arrayOf(text),
  oauth_id: { type: ['string', 'null'] },
  email_verified: { type: 'boolean' },
}

const userSchemas = {
  camel: object({ ...common, createdAt: time, updatedAt: time }),
  snake: object({ ...common, created_at: time, updated_at: time }),
  deployed: object({ ...common, created_at: time, updated_at: time, email_verified_at: { type: 'null' } }),
} as const satisfies Record<Naming, JsonSchema>

export function userSchema(dialect: Dialect): JsonSchema {
  return userSchemas[chooseNaming(dialect)]
}

/** Encodes a user without the envelope, and populated documents in the dialect's shape. */
export function userRecord({ document }: Dialect, user: OutgoingUser): WritableObject {
  const { naming, encodeLink } = axes.document[document]
  return encodeUserRecord(naming, user, encodeLink)
}

export function encodeUser(dialect: Dialect, user: OutgoingUser): Writable {
  return axes.record[dialect.record].encode(userRecord(dialect, user))
}

export function encodeUsers(
  dialect: Dialect,
  page: Page<OutgoingUser>,
): { body: Writable; headers: Readonly<Record<string, string>> } {
  const items = oneByOne(page.items, (user) => userRecord(dialect, user))
  const { body, headers } = axes.users[dialect.users].encode(dialect.list, { ...page, items })
  return { body: axes.record[dialect.record].encode(body), headers }
}
