/**
 * How answers are read: the clients' half of the axes `document`, `record` and `list`. By itself, so that an app loads
 * nothing of what only the service needs.
 */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { Document, Fields } from '../../model/document.js'
import type { StorageUsage, StoredFile } from '../../model/file.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { AppUser } from '../../model/user.js'
import type { Form } from '../dialects.js'
import type { Spoken } from '../spoken.js'

export type AnyCollection = Collection | CountedCollection

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** Reads what an answer is about: what the record envelope held. */
export type Read<Value> = (record: Json, dialect: Spoken, header: HeaderReader) => Value

/** Reads one record, alone or of a list. */
export type ReadItem<Item> = (record: Json, dialect: Spoken, header?: HeaderReader) => Item

/** What of a page stands in an answer. */
export interface Listing extends Omit<Page<Json>, 'items' | 'offset'> {
  readonly items: Json
}

/** What a page lists; its items stand under this name. */
export type Listed = 'documents' | 'users' | 'files'

/** The value, if it is what it must be. A service that answers otherwise is another, or speaks another dialect. */
function expect<Value>(isSo: unknown, value: Value): Value {
  if (isSo) return value
  throw new TypeError('The service speaks another dialect.')
}

function asObject(body: Json | undefined): JsonObject {
  return expect(isObject(body), body as JsonObject)
}

/** A record of the service's own, its names as they are written here: `created_at` is `createdAt`. */
export function readRecord(record: Json | undefined): JsonObject {
  const named: JsonObject = {}
  for (const [name, value] of Object.entries(asObject(record))) {
    named[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return named
}

/** Records of one kind, known by a field that each of them has. */
function recordsWith<Item>(field: keyof Item & string): (record: Json) => Item {
  return (record) => {
    const named = readRecord(record)
    return expect(named[field], named as unknown as Item)
  }
}

export const recordReaders = {
  bare: (body) => body,
  success: (body) => asObject(body ?? {}).data ?? null,
} as const satisfies Record<Form<'record'>, (body: Json) => Json>

export const documentReaders = {
  enveloped: readNamed,
  snake: readNamed,
  flat: (body) => {
    const { id, createdAt, updatedAt, ...data } = asObject(body)
    return documentOf({ id, data, createdAt, updatedAt })
  },
} as const satisfies Record<Form<'document'>, (body: Json) => Document>

/** What tells a document in each shape from an object of a document's own. */
export const isRecord = {
  snake: (value) => isObject(value.data) && 'created_at' in value,
  enveloped: (value) => isObject(value.data) && 'collection' in value,
  flat: (value) => 'id' in value && 'createdAt' in value,
} as const satisfies Record<Form<'document'>, (value: JsonObject) => boolean>

function readNamed(body: Json): Document {
  return documentOf(readRecord(body))
}

/** A document of parts that were read; a part that is left out, the wire had no room for. */
export function documentOf(parts: { readonly [part: string]: Json | undefined }): Document {
  asObject(parts.data)
  return expect(parts.id, parts as unknown as Document)
}

/** The version of a document is in its `etag`. */
export function readDocument(record: Json, dialect: Spoken, header?: HeaderReader): Document {
  const version = numberIn(header?.('etag')?.match(/"(\d+)"/)?.[1])
  return { ...documentReaders[dialect.document](record), version }
}

/** The number that a header says; nothing where there is none. */
function numberIn(text: string | null | undefined): number | undefined {
  return text ? Number(text) : undefined
}

export const listReaders = {
  page: (body, _header, listed) => {
    const { [listed]: items, total = null, limit } = asObject(body)
    return { items, total, limit } as Listing
  },
  /** The total and the limit travel in headers. */
  array: (body, header) => ({
    items: body,
    total: numberIn(header('x-total-count')) ?? null,
    limit: numberIn(header('x-limit')),
  }),
} as const satisfies Record<Form<'list'>, (body: Json, header: HeaderReader, listed: Listed) => Listing>

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
  return (record, dialect) => expect(Array.isArray(record), record as Json[]).map((item) => read(item, dialect))
}

/** A page; its offset is known to who asked. */
export function readPage<Item>(listed: Listed, read: ReadItem<Item>): Read<Omit<Page<Item>, 'offset'>> {
  return (record, dialect, header) => {
    const page = listReaders[dialect.list](record, header, listed)
    return { ...page, items: readAll(read)(page.items, dialect, header) }
  }
}

export const readUsage = readRecord as unknown as (record: Json) => StorageUsage

export const readToken = recordsWith<{ token: string }>('token')

export const readRemoved = only('id') as (record: Json) => { id: string }

export const readAllRemoved = only('ids') as unknown as (record: Json) => { ids: string[] }

/** One field of an answer that says more, for people. */
function only(field: string): (record: Json) => JsonObject {
  return (record) => ({ [field]: asObject(record)[field] as Json })
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
