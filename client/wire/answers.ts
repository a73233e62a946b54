/** Whole answers in a dialect: the record envelope around the document's shape, the list around both. */
import type { Collection, CountedCollection } from '../model/collection.js'
import type { Document, OutgoingDocument } from '../model/document.js'
import type { SvcError } from '../model/errors.js'
import type { StorageUsage, StoredFile } from '../model/file.js'
import type { Json, JsonObject, Writable } from '../model/json.js'
import type { Page } from '../model/page.js'
import type { AppUser } from '../model/user.js'
import { collectionShapes } from './collections.js'
import type { Dialect } from './dialect.js'
import { documentShapes } from './documents.js'
import { listEnvelopes, recordEnvelopes } from './envelopes.js'
import { errorFormats, errorHeaders } from './errors.js'
import {
  arrayIn,
  asObject,
  documentReaders,
  type HeaderReader,
  listReaders,
  readCollectionRecord,
  readFileRecord,
  readUserRecord,
  recordReaders,
} from './readers.js'

export { readError } from './read-error.js'

export function writeDocument(dialect: Dialect, document: OutgoingDocument): Writable {
  return recordEnvelopes[dialect.record].write(documentShapes[dialect.document].write(document))
}

/** The version of a document is in its `etag`. */
export function readDocument(dialect: Dialect, body: Json, header?: HeaderReader): Document {
  const document = documentReaders[dialect.document](recordReaders[dialect.record](body))
  return { ...document, version: Number(/"(\d+)"/.exec(header?.('etag') ?? '')?.[1] ?? 0) }
}

/** The array of records that a batch answers. */
export function writeDocuments(dialect: Dialect, documents: readonly OutgoingDocument[]): Writable {
  return recordEnvelopes[dialect.record].write(documents.map(documentShapes[dialect.document].write))
}

export function readDocuments(dialect: Dialect, body: Json): Document[] {
  return arrayIn(recordReaders[dialect.record](body)).map(documentReaders[dialect.document])
}

export function writePage(
  dialect: Dialect,
  page: Page<OutgoingDocument>,
): { body: Writable; headers: Record<string, string> } {
  const items = page.items.map(documentShapes[dialect.document].write)
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items })
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}

export function readPage(dialect: Dialect, body: Json, header: HeaderReader): Page<Document> {
  const page = listReaders[dialect.list](recordReaders[dialect.record](body), header, 'documents')
  return { ...page, items: page.items.map(documentReaders[dialect.document]) }
}

export function writeCollection(dialect: Dialect, collection: Collection | CountedCollection): Writable {
  return recordEnvelopes[dialect.record].write(collectionShapes[dialect.document].write(collection))
}

export function readCollection(dialect: Dialect, body: Json): Collection | CountedCollection {
  return readCollectionRecord(recordReaders[dialect.record](body))
}

/** Always the whole array, whatever the `list` axis says. */
export function writeCollections(dialect: Dialect, collections: readonly Collection[]): Writable {
  return recordEnvelopes[dialect.record].write(collections.map(collectionShapes[dialect.document].write))
}

export function readCollections(dialect: Dialect, body: Json): Collection[] {
  return arrayIn(recordReaders[dialect.record](body)).map(readCollectionRecord)
}

/** A record that is only this answer's. */
export function readRecord(dialect: Dialect, body: Json): JsonObject {
  return asObject(recordReaders[dialect.record](body))
}

export function readUser(dialect: Dialect, body: Json): AppUser {
  return readUserRecord(recordReaders[dialect.record](body))
}

export function readUsers(dialect: Dialect, body: Json, header: HeaderReader): Page<AppUser> {
  const page = listReaders[dialect.list](recordReaders[dialect.record](body), header, 'users')
  return { ...page, items: page.items.map(readUserRecord) }
}

export function readFile(dialect: Dialect, body: Json): StoredFile {
  return readFileRecord(recordReaders[dialect.record](body))
}

export function readFiles(dialect: Dialect, body: Json, header: HeaderReader): Page<StoredFile> {
  const page = listReaders[dialect.list](recordReaders[dialect.record](body), header, 'files')
  return { ...page, items: page.items.map(readFileRecord) }
}

export function readUsage(dialect: Dialect, body: Json): StorageUsage {
  return readRecord(dialect, body) as unknown as StorageUsage
}

export function writeRemoved(dialect: Dialect, what: string, id: string): Writable {
  return recordEnvelopes[dialect.record].write({ message: `The ${what} was deleted.`, id })
}

export function readRemoved(dialect: Dialect, body: Json): { id: string } {
  return { id: String(readRecord(dialect, body).id) }
}

export function writeAllRemoved(dialect: Dialect, ids: readonly string[]): Writable {
  const message = `${ids.length} ${ids.length === 1 ? 'document was' : 'documents were'} deleted.`
  return recordEnvelopes[dialect.record].write({ message, ids, count: ids.length })
}

export function readAllRemoved(dialect: Dialect, body: Json): { ids: string[] } {
  return { ids: arrayIn(readRecord(dialect, body).ids).map(String) }
}

export function writeError(
  dialect: Pick<Dialect, 'errors'>,
  error: SvcError,
): { status: number; headers: Record<string, string>; body: Writable } {
  return { status: error.status, headers: errorHeaders(error), body: errorFormats[dialect.errors].write(error) }
}
