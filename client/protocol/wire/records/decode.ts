/** Decodes whole responses. */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { Document, Fields } from '../../model/document.js'
import { SvcError } from '../../model/errors.js'
import type { StoredFile } from '../../model/file.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { AppUser } from '../../model/user.js'
import { decodeDocument } from '../document/decode.js'
import { areTexts, asObject, decodeRecord, expect, type HeaderReader, numberIn } from '../expected.js'
import { type Listed, listDecoders, seqHeader } from '../list/decode.js'
import type { Spoken } from '../spoken.js'
import { userListDecoders } from '../users/decode.js'

export type AnyCollection = Collection | CountedCollection

/** Decodes a response without its record envelope. */
export type Read<Value> = (record: Json, dialect: Spoken, header: HeaderReader) => Value

/** Decodes one record, alone or in a list. */
export type ReadItem<Item> = (record: Json, dialect: Spoken, header?: HeaderReader) => Item

/** Returns a decoder for records that must have these string fields. */
function recordsWith<Item>(...fields: (keyof Item & string)[]): (record: Json) => Item {
  return (record) => {
    const named = decodeRecord<Partial<Item>>(record)
    return expect(areTexts(...fields.map((field) => named[field])), named)
  }
}

/** Users, collections and files are never flattened, so both namings of times can be decoded. */
export const decodeUser = recordsWith<AppUser>('id', 'email')

/** Tells whether a populated record is a user, not a document. */
export function isUserBody(body: JsonObject): boolean {
  return 'email' in body && ('oauth_id' in body || 'created_at' in body) && isObject(body.data)
}

export const decodeCollection = recordsWith<AnyCollection>('id', 'name')

export const decodeFile = recordsWith<StoredFile>('id', 'url')

/** Decodes an array of records: the response to a batch, or all collections. */
export function decodeAll<Item>(read: ReadItem<Item>, axis?: string): (record: Json, dialect: Spoken) => Item[] {
  return (record, dialect) => expect<Json[]>(Array.isArray(record), record, axis).map((item) => read(item, dialect))
}

/** Decodes a page. The caller adds the offset. */
export function decodePage<Item>(listed: Listed, read: ReadItem<Item>): Read<Omit<Page<Item>, 'offset'>> {
  return (record, dialect, header) => {
    const ofUsers = listed === 'users' ? userListDecoders[dialect.users] : undefined
    const page = ofUsers?.(record) ?? listDecoders[dialect.list](record, header, listed)
    return { ...page, items: decodeAll(read, 'list')(page.items, dialect), seq: numberIn(header(seqHeader)) }
  }
}

export const decodeToken = recordsWith<{ token: string }>('token')

/** Returns a decoder for what was removed. Some services tell only that it was: then it is what the client named. */
export const decodeRemoved = told<{ id: string }, string>('id')

export const decodeAllRemoved = told<{ ids: readonly string[] }, readonly string[]>('ids')

/** Decodes the response to a batch update, which some services only count. */
export const decodeUpdated: Read<Document[]> = (record, dialect) =>
  isObject(record) && 'count' in record ? [] : decodeAll(decodeDocument)(record, dialect)

/** Decodes the number of matching documents. */
export function decodeCount(record: Json): number {
  const { count } = asObject(record)
  return expect(Number.isInteger(count), count)
}

function told<Item, Named>(field: keyof Item & string): (named: Named) => (record: Json) => Item {
  return (named) => (record) => {
    const { [field]: value = named } = record ? asObject(record) : {}
    return { [field]: value } as Item
  }
}

/** Result of a login: the signed-in user, or a request for a two-factor code. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

/** Message for a login response with a user but without a token. */
export const noTokenSent = 'The response has no token.'

/** Decodes the response to a sign-up or login. @throws {SvcError} `noTokenSent` */
export function decodeLogin(record: Json): LoginResult {
  const { requires_2fa: isCodeNeeded, message, access_token, token = access_token, user = record } = asObject(record)
  if (isCodeNeeded) return { requires2fa: true, message: String(message ?? noTokenSent) }
  const login = { requires2fa: false, user: decodeUser(user), token: String(token) } as const
  if (token) return login
  throw new SvcError('INVALID_RESPONSE', noTokenSent)
}
