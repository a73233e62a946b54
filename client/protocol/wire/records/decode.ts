/** Whole answers, as clients decode them. */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { Fields } from '../../model/document.js'
import type { StorageUsage, StoredFile } from '../../model/file.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { AppUser } from '../../model/user.js'
import { asObject, expect, type HeaderReader, readRecord } from '../expected.js'
import { type Listed, listReaders } from '../list/decode.js'
import type { Spoken } from '../spoken.js'

export type AnyCollection = Collection | CountedCollection

/** Decodes what an answer is about: what the record envelope held. */
export type Read<Value> = (record: Json, dialect: Spoken, header: HeaderReader) => Value

/** Decodes one record, alone or of a list. */
export type ReadItem<Item> = (record: Json, dialect: Spoken, header?: HeaderReader) => Item

/** Records of one kind, known by a field that each of them has. */
function recordsWith<Item>(field: keyof Item & string): (record: Json) => Item {
  return (record) => {
    const named = readRecord<Partial<Item>>(record)
    return expect(named[field], named)
  }
}

/** Users, collections and files are never flattened: what names their times, in either naming, is their own. */
export const readUser = recordsWith<AppUser>('email')

/** Whether a linked record is a user rather than a document. */
export function isUserBody(body: JsonObject): boolean {
  return 'email' in body && 'oauth_id' in body && isObject(body.data)
}

export const readCollection = recordsWith<AnyCollection>('name')

export const readFile = recordsWith<StoredFile>('url')

/** The array of records that a batch answers, and all collections, which are never paged. */
export function readAll<Item>(read: ReadItem<Item>): Read<Item[]> {
  return (record, dialect) => expect<Json[]>(Array.isArray(record), record).map((item) => read(item, dialect))
}

/** A page; its offset is known to who asked. */
export function readPage<Item>(listed: Listed, read: ReadItem<Item>): Read<Omit<Page<Item>, 'offset'>> {
  return (record, dialect, header) => {
    const page = listReaders[dialect.list](record, header, listed)
    return { ...page, items: readAll(read)(page.items, dialect, header) }
  }
}

export const readUsage = readRecord<StorageUsage>

export const readToken = recordsWith<{ token: string }>('token')

export const readRemoved = only<{ id: string }>('id')

export const readAllRemoved = only<{ ids: string[] }>('ids')

/** One field of an answer that says more, for people. */
function only<Item>(field: keyof Item & string): (record: Json) => Item {
  return (record) => ({ [field]: asObject(record)[field] }) as Item
}

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

/** The answer to a sign-up or a login. */
export function readLogin(record: Json): LoginResult {
  const { requires_2fa: isCodeNeeded, message, token, user = record } = asObject(record)
  return (
    isCodeNeeded
      ? { requires2fa: true, message }
      : { requires2fa: false, user: readUser(user), ...readToken({ token: token ?? null }) }
  ) as LoginResult
}
