/** Whole answers, as clients decode them. */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { Fields } from '../../model/document.js'
import { SvcError } from '../../model/errors.js'
import type { StoredFile } from '../../model/file.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { AppUser } from '../../model/user.js'
import { areTexts, asObject, decodeRecord, expect, type HeaderReader } from '../expected.js'
import { type Listed, listDecoders } from '../list/decode.js'
import type { Spoken } from '../spoken.js'

export type AnyCollection = Collection | CountedCollection

/** Decodes what an answer is about: what the record envelope held. */
export type Read<Value> = (record: Json, dialect: Spoken, header: HeaderReader) => Value

/** Decodes one record, alone or of a list. */
export type ReadItem<Item> = (record: Json, dialect: Spoken, header?: HeaderReader) => Item

/** Records of one kind, known by texts that each of them has. */
function recordsWith<Item>(...fields: (keyof Item & string)[]): (record: Json) => Item {
  return (record) => {
    const named = decodeRecord<Partial<Item>>(record)
    return expect(areTexts(...fields.map((field) => named[field])), named)
  }
}

/** Users, collections and files are never flattened: what names their times, in either naming, is their own. */
export const decodeUser = recordsWith<AppUser>('id', 'email')

/** Whether a linked record is a user rather than a document. */
export function isUserBody(body: JsonObject): boolean {
  return 'email' in body && 'oauth_id' in body && isObject(body.data)
}

export const decodeCollection = recordsWith<AnyCollection>('id', 'name')

export const decodeFile = recordsWith<StoredFile>('id', 'url')

/** The array of records that a batch answers, and all collections, which are never paged. */
export function decodeAll<Item>(read: ReadItem<Item>, axis?: string): (record: Json, dialect: Spoken) => Item[] {
  return (record, dialect) => expect<Json[]>(Array.isArray(record), record, axis).map((item) => read(item, dialect))
}

/** A page; its offset is known to who asked. */
export function decodePage<Item>(listed: Listed, read: ReadItem<Item>): Read<Omit<Page<Item>, 'offset'>> {
  return (record, dialect, header) => {
    const page = listDecoders[dialect.list](record, header, listed)
    return { ...page, items: decodeAll(read, 'list')(page.items, dialect) }
  }
}

export const decodeToken = recordsWith<{ token: string }>('token')

export const decodeRemoved = only<{ id: string }>('id')

export const decodeAllRemoved = only<{ ids: string[] }>('ids')

/** How many documents match. */
export function decodeCount(record: Json): number {
  const { count } = asObject(record)
  return expect(Number.isInteger(count), count)
}

/** One field of an answer that says more, for people. */
function only<Item>(field: keyof Item & string): (record: Json) => Item {
  return (record) => ({ [field]: asObject(record)[field] }) as Item
}

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

/** Says why an answer is no login, although it has a user. */
export const noTokenSent = 'The answer has no token.'

/** The answer to a sign-up or a login. @throws {SvcError} `noTokenSent` */
export function decodeLogin(record: Json): LoginResult {
  const { requires_2fa: isCodeNeeded, message, access_token, token = access_token, user = record } = asObject(record)
  if (isCodeNeeded) return { requires2fa: true, message: String(message ?? noTokenSent) }
  const login = { requires2fa: false, user: decodeUser(user), token: String(token) } as const
  if (token) return login
  throw new SvcError('INVALID_RESPONSE', noTokenSent)
}
