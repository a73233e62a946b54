/**
 * How records and lists are read back: the clients' half of the axes `document`, `record` and `list`. By itself, so that
 * an app loads nothing of what only the service needs.
 */
import type { Collection, CountedCollection } from '../model/collection.js'
import type { Document } from '../model/document.js'
import type { StoredFile } from '../model/file.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Page } from '../model/page.js'
import type { AppUser } from '../model/user.js'
import type { Form } from './dialect.js'

export type AnyCollection = Collection | CountedCollection

/** Reads a header by its name in lower case. */
export type HeaderReader = (name: string) => string | null | undefined

/** What a page lists; its items stand under this name. */
export type Listed = 'documents' | 'users' | 'files'

/** The object that a body must be. A service that answers otherwise speaks another dialect. */
export function asObject(body: Json | undefined): JsonObject {
  if (isObject(body)) return body
  throw new TypeError('The answer has another form than this dialect has.')
}

/** What a body lists; nothing where it is no list. */
export function arrayIn(body: Json | undefined): Json[] {
  return Array.isArray(body) ? body : []
}

export const documentReaders = {
  enveloped: (body) => documentOf(asObject(body)),
  snake: (body) => {
    const { id, collection_id: collectionId, data, created_at: createdAt, updated_at: updatedAt } = asObject(body)
    return documentOf({ id, collectionId, data, createdAt, updatedAt })
  },
  flat: (body) => {
    const { id, createdAt, updatedAt, ...data } = asObject(body)
    return documentOf({ id, data, createdAt, updatedAt })
  },
} as const satisfies Record<Form<'document'>, (body: Json) => Document>

/** Users, collections and files are never flattened: what names their times, in either naming, is their own. */
export function readUserRecord(body: Json): AppUser {
  const {
    id,
    email,
    data = {},
    roles = [],
    oauth_id: oauthId = null,
    email_verified: emailVerified,
    ...times
  } = asObject(body)
  return { id, email, data, roles, oauthId, emailVerified, ...timesOf(times) } as unknown as AppUser
}

/** Whether a linked record is a user rather than a document. */
export function isUserBody(body: Json): body is JsonObject {
  return isObject(body) && 'email' in body && 'oauth_id' in body && isObject(body.data)
}

export function readCollectionRecord(body: Json): AnyCollection {
  const { id, name, schema = {}, permissions = {}, document_count: documentCount, ...times } = asObject(body)
  const collection = { id, name, schema, permissions, ...timesOf(times) } as unknown as Collection
  return typeof documentCount === 'number' ? { ...collection, documentCount } : collection
}

export function readFileRecord(body: Json): StoredFile {
  const { id, name, path, url, size, mime_type: type, mimeType = type, ...times } = asObject(body)
  const { createdAt } = timesOf(times)
  return { id, name, path, url, size, mimeType, createdAt } as unknown as StoredFile
}

export const recordReaders = {
  bare: (body) => body,
  success: (body) => asObject(body).data ?? null,
} as const satisfies Record<Form<'record'>, (body: Json) => Json>

export const listReaders = {
  page: (body, _header, listed) => {
    const { [listed]: items, total, limit, offset } = asObject(body)
    return {
      items: arrayIn(items),
      total: typeof total === 'number' ? total : null,
      limit: Number(limit),
      offset: Number(offset),
    }
  },
  /** The total and the limit travel in headers; the offset is known to who asked. */
  array: (body, header) => {
    const items = arrayIn(body)
    const total = header('x-total-count') ?? null
    return {
      items,
      total: total === null ? null : Number(total),
      limit: Number(header('x-limit') ?? items.length),
      offset: 0,
    }
  },
} as const satisfies Record<Form<'list'>, (body: Json, header: HeaderReader, listed: Listed) => Page<Json>>

/** A document of parts that were read; a part that is left out, the wire had no room for. */
export function documentOf(parts: { readonly [part: string]: Json | undefined }): Document {
  const { id, collection = '', collectionId = '', data, createdAt, updatedAt = '' } = parts
  return { id, collection, collectionId, data: asObject(data), createdAt, updatedAt, version: 0 } as Document
}

/** The times of a record in either naming. */
function timesOf({ created_at, createdAt = created_at, updated_at, updatedAt = updated_at }: JsonObject): JsonObject {
  return { createdAt, updatedAt } as JsonObject
}
