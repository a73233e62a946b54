/**
 * How answers are read: the clients' half of the axes `document`, `record` and `list`. By itself, so that an app loads
 * nothing of what only the service needs.
 */
import type { Collection, CountedCollection } from '../model/collection.js'
import type { Document, Fields } from '../model/document.js'
import type { StorageUsage, StoredFile } from '../model/file.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Page } from '../model/page.js'
import type { AppUser } from '../model/user.js'
import type { Dialect, Form } from './dialect.js'

export type AnyCollection = Collection | CountedCollection

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** Reads what an answer is about: what the record envelope held. */
export type Read<Value> = (record: Json, dialect: Dialect, header: HeaderReader) => Value

/** Reads one record, alone or of a list. */
export type ReadItem<Item> = (record: Json, dialect: Dialect, header?: HeaderReader) => Item

/** What of a page stands in an answer. */
export interface Listing extends Omit<Page<Json>, 'items' | 'offset'> {
  readonly items: Json
}

/** What a page lists; its items stand under this name. */
export type Listed = 'documents' | 'users' | 'files'

/** The object that a body must be. A service that answers otherwise speaks another dialect. */
function asObject(body: Json | undefined): JsonObject {
  if (isObject(body)) return body
  throw new TypeError('The service speaks another dialect.')
}

/** What a body lists; nothing where it is no list. */
export function arrayIn(body: Json | undefined): Json[] {
  return Array.isArray(body) ? body : []
}

/** A record of the service's own, its names as they are written here: `created_at` is `createdAt`. */
export function readRecord(record: Json | undefined): JsonObject {
  const named: JsonObject = {}
  for (const [name, value] of Object.entries(asObject(record))) {
    named[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return named
}

export const recordReaders = {
  bare: (body) => body,
  success: (body) => asObject(body ?? {}).data ?? null,
} as const satisfies Record<Form<'record'>, (body: Json) => Json>

export const documentReaders = {
  enveloped: (body) => documentOf(asObject(body)),
  snake: (body) => documentOf(readRecord(body)),
  flat: (body) => {
    const { id, createdAt, updatedAt, ...data } = asObject(body)
    return documentOf({ id, data, createdAt, updatedAt })
  },
} as const satisfies Record<Form<'document'>, (body: Json) => Document>

/** A document of parts that were read; a part that is left out, the wire had no room for. */
export function documentOf(parts: { readonly [part: string]: Json | undefined }): Document {
  asObject(parts.data)
  return { collection: '', collectionId: '', updatedAt: '', ...parts, version: 0 } as unknown as Document
}

/** The version of a document is in its `etag`. */
export function readDocument(record: Json, dialect: Dialect, header?: HeaderReader): Document {
  const version = Number(header?.('etag')?.match(/"(\d+)"/)?.[1] ?? 0)
  return { ...documentReaders[dialect.document](record), version }
}

export const listReaders = {
  page: (body, _header, listed) => {
    const { [listed]: items, total = null, limit } = asObject(body)
    return { items, total, limit } as Listing
  },
  /** The total and the limit travel in headers. */
  array: (body, header) => {
    const total = header('x-total-count')
    return {
      items: body,
      total: total ? Number(total) : null,
      limit: Number(header('x-limit') ?? arrayIn(body).length),
    }
  },
} as const satisfies Record<Form<'list'>, (body: Json, header: HeaderReader, listed: Listed) => Listing>

/** Users, collections and files are never flattened: what names their times, in either naming, is their own. */
export function readUser(record: Json): AppUser {
  return { data: {}, roles: [], oauthId: null, ...readRecord(record) } as unknown as AppUser
}

/** Whether a linked record is a user rather than a document. */
export function isUserBody(body: JsonObject): boolean {
  return 'email' in body && 'oauth_id' in body && isObject(body.data)
}

export function readCollection(record: Json): AnyCollection {
  return { schema: {}, permissions: {}, ...readRecord(record) } as unknown as AnyCollection
}

export const readFile = readRecord as unknown as (record: Json) => StoredFile

/** The array of records that a batch answers, and all collections, which are never paged. */
export function readAll<Item>(read: ReadItem<Item>): Read<Item[]> {
  return (record, dialect) => arrayIn(record).map((item) => read(item, dialect))
}

/** A page; its offset is known to who asked. */
export function readPage<Item>(listed: Listed, read: ReadItem<Item>): Read<Omit<Page<Item>, 'offset'>> {
  return (record, dialect, header) => {
    const page = listReaders[dialect.list](record, header, listed)
    return { ...page, items: readAll(read)(page.items, dialect, header) }
  }
}

export const readUsage = readRecord as unknown as (record: Json) => StorageUsage

export const readToken = readRecord as unknown as (record: Json) => { token: string }

export function readRemoved(record: Json): { id: string } {
  const { id } = asObject(record)
  return { id } as { id: string }
}

export function readAllRemoved(record: Json): { ids: string[] } {
  const { ids } = asObject(record)
  return { ids } as { ids: string[] }
}

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

/** The answer to a sign-up or a login. */
export function readLogin(record: Json): LoginResult {
  const { requires_2fa: isCodeNeeded, message, token, user = record } = asObject(record)
  return (
    isCodeNeeded ? { requires2fa: true, message } : { requires2fa: false, user: readUser(user), token }
  ) as LoginResult
}
