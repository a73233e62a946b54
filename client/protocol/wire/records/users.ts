/** How users look outside. Follows the `document` axis for the names of times. */

import type { OutgoingUser } from '../../model/document.js'
import type { Writable, WritableObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { AppUser } from '../../model/user.js'
import { type Codec, forms } from '../codec.js'
import type { Dialect } from '../dialects.js'
import { linkWriters } from '../document/encode.js'
import { arrayOf, object, text, time } from '../json-schema.js'
import { listEnvelopes, recordEnvelopes } from '../list/encode.js'
import { readUser } from './decode.js'
import { oneByOne } from './documents.js'
import { writeCamelUser, writeSnakeUser } from './user-record.js'

interface UserShape extends Codec<AppUser, OutgoingUser> {
  write(user: OutgoingUser): WritableObject
}

const common = {
  id: text,
  email: text,
  data: { type: 'object' },
  roles: arrayOf(text),
  oauth_id: { type: ['string', 'null'] },
  email_verified: { type: 'boolean' },
}

const camel: UserShape = {
  schema: object({ ...common, createdAt: time, updatedAt: time }),
  write: (user) => writeCamelUser(user, linkWriters.enveloped),
  read: readUser,
}

export const userShapes = forms<AppUser, OutgoingUser>()({
  enveloped: camel,
  snake: {
    schema: object({ ...common, created_at: time, updated_at: time }),
    write: (user: OutgoingUser): WritableObject => writeSnakeUser(user, linkWriters.snake),
    read: readUser,
  },
  flat: { ...camel, write: (user: OutgoingUser): WritableObject => writeCamelUser(user, linkWriters.flat) },
})

export function writeUser(dialect: Dialect, user: OutgoingUser): Writable {
  return recordEnvelopes[dialect.record].write(userShapes[dialect.document].write(user))
}

export function writeUsers(
  dialect: Dialect,
  page: Page<OutgoingUser>,
): { body: Writable; headers: Record<string, string> } {
  const items = oneByOne(page.items, userShapes[dialect.document].write)
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items }, 'users')
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}
