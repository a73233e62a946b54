/** Whole answers in a dialect: the record envelope around the document's shape, the list around both. */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { OutgoingDocument } from '../../model/document.js'
import { type SvcError, statusOf } from '../../model/errors.js'
import { Later, type Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import type { Dialect } from '../dialects.js'
import { documentShapes } from '../document/encode.js'
import { errorFormats, errorHeaders } from '../errors/encode.js'
import { listEnvelopes, recordEnvelopes } from '../list/encode.js'
import { collectionShapes } from './collections.js'

export function writeDocument(dialect: Dialect, document: OutgoingDocument): Writable {
  return recordEnvelopes[dialect.record].write(documentShapes[dialect.document].write(document))
}

/** The array of records that a batch answers. */
export function writeDocuments(dialect: Dialect, documents: readonly OutgoingDocument[]): Writable {
  return recordEnvelopes[dialect.record].write(oneByOne(documents, documentShapes[dialect.document].write))
}

export function writePage(
  dialect: Dialect,
  page: Page<OutgoingDocument>,
): { body: Writable; headers: Record<string, string> } {
  const items = oneByOne(page.items, documentShapes[dialect.document].write)
  const { body, headers } = listEnvelopes[dialect.list].write({ ...page, items })
  return { body: recordEnvelopes[dialect.record].write(body), headers }
}

/** Records that are written one after the other, each when its turn comes. */
export function oneByOne<Item>(items: readonly Item[], write: (item: Item) => Writable): readonly Later[] {
  return items.map((item) => new Later(() => write(item)))
}

export function writeCollection(dialect: Dialect, collection: Collection | CountedCollection): Writable {
  return recordEnvelopes[dialect.record].write(collectionShapes[dialect.document].write(collection))
}

/** Always the whole array, whatever the `list` axis says. */
export function writeCollections(dialect: Dialect, collections: readonly Collection[]): Writable {
  return recordEnvelopes[dialect.record].write(oneByOne(collections, collectionShapes[dialect.document].write))
}

export function writeRemoved(dialect: Dialect, what: string, id: string): Writable {
  return recordEnvelopes[dialect.record].write({ message: `The ${what} was deleted.`, id })
}

export function writeAllRemoved(dialect: Dialect, ids: readonly string[]): Writable {
  const message = `${ids.length} ${ids.length === 1 ? 'document was' : 'documents were'} deleted.`
  return recordEnvelopes[dialect.record].write({ message, ids, count: ids.length })
}

export function writeError(
  dialect: Pick<Dialect, 'errors'>,
  error: SvcError,
): { status: number; headers: Record<string, string>; body: Writable } {
  return { status: statusOf(error), headers: errorHeaders(error), body: errorFormats[dialect.errors].write(error) }
}
