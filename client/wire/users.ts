/** How users look outside. Follows the `document` axis for the names of times. */
import { isObject, type Json, type JsonObject, type Writable, type WritableObject } from '../model/json.js'
import type { Page } from '../model/page.js'
import type { AppUser, OutgoingUser } from '../model/user.js'
import { type Codec, forms } from './codec.js'
import type { Dialect } from './dialect.js'
import { asObject, linkWriters } from './documents.js'
import { type HeaderReader, listEnvelopes, recordEnvelopes } from './envelopes.js'
import { arrayOf, object, text, time } from './schemas.js'
import { writeCamelUser, writeSnakeUser } from './user-records.js'

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
  read: (body) => userOf(asObject(body), 'createdAt', 'updatedAt'),
}

export const userShapes = forms<AppUser, OutgoingUser>()({
  enveloped: camel,
  snake: {
    schema: object({ ...common, created_at: time, updated_at: time }),
    write: (user: OutgoingUser): WritableObject => writeSnakeUser(user, linkWriters.snake),
    read: (body) => userOf(asObject(body), 'created_at', 'updated_at'),
  },
  flat: { ...camel, write: (user: OutgoingUser): WritableObject => writeCamelUser(user, linkWriters.flat) },
})

function userOf(body: JsonObject, created: string, updated: string): AppUser {
  const { id, email, data, roles, oauth_id: oauthId, email_verified: emailVerified } = body
  return {
    id: String(id),
    email: String(email),
    data: isObject(data) ? data : {},
    roles: Array.isArray(roles) ? roles.map(String) : [],
    oauthId: typeof oauthId === 'string' ? oauthId : null,
    emailVerified: emailVerified === true,
    createdAt: String(body[created]),
    updatedAt: String(body[updated]),
  }
}

export function writeUser(dialect: Dialect, user: OutgoingUser): Writable {
  return recordEnvelopes[dialect.record].write(userShapes[dialect.document].write(user))
}

export function readUser(dialect: Dialect, body: Json): AppUser {
  return userShapes[dialect.document].read(recordEnvelopes[dialect.record].read(body))
}

export function writeUsers(
  dialect: Dialect,
  page: Page<OutgoingUser>,
): { body: Writable; headers: Record<string, string> } {
  const items = page.items.map(userShapes[dialect.document].write)
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items }, 'users')
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}

export function readUsers(dialect: Dialect, body: Json, header: HeaderReader): Page<AppUser> {
  const inner = recordEnvelopes[dialect.record].read(body)
  const page: Page<Json> = listEnvelopes[dialect.list].read(inner, header, 'users')
  return { ...page, items: page.items.map(userShapes[dialect.document].read) }
}

/** Whether a linked record is a user rather than a document. */
export function isUserBody(body: Json): body is JsonObject {
  return isObject(body) && 'email' in body && 'oauth_id' in body && isObject(body.data)
}
