/** Encodes whole responses in a dialect: documents in their shape, the record envelope and the list envelope. */
import type { Collection, CountedCollection } from '../../model/collection.js'
import type { OutgoingDocument } from '../../model/document.js'
import { httpStatus, SvcError } from '../../model/errors.js'
import { Later, type Writable } from '../../model/json.js'
import type { Page } from '../../model/page.js'
import { axes, type Dialect } from '../axes.js'
import { errorHeaders } from '../errors/encode.js'
import { seqHeader } from '../list/decode.js'
import type { OtherStatus } from '../refusals/decode.js'
import { collectionShape } from './collections.js'

export function encodeDocument(dialect: Dialect, document: OutgoingDocument): Writable {
  return axes.record[dialect.record].encode(axes.document[dialect.document].encode(document))
}

/** Encodes the array of records of a batch. */
export function encodeDocuments(dialect: Dialect, documents: readonly OutgoingDocument[]): Writable {
  return axes.record[dialect.record].encode(oneByOne(documents, axes.document[dialect.document].encode))
}

export function encodePage(
  dialect: Dialect,
  page: Page<OutgoingDocument>,
): { body: Writable; headers: Record<string, string> } {
  const items = oneByOne(page.items, axes.document[dialect.document].encode)
  const { body, headers } = axes.list[dialect.list].encode({ ...page, items })
  const { seq } = page
  return {
    body: axes.record[dialect.record].encode(body),
    headers: { ...headers, ...(seq === undefined ? {} : { [seqHeader]: String(seq) }) },
  }
}

/** Encodes records lazily, one at a time, when they are written. */
export function oneByOne<Item>(items: readonly Item[], write: (item: Item) => Writable): readonly Later[] {
  return items.map((item) => new Later(() => write(item)))
}

export function encodeCollection(dialect: Dialect, collection: Collection | CountedCollection): Writable {
  return axes.record[dialect.record].encode(collectionShape(dialect).encode(collection))
}

/** Encodes the whole array, independent of the `list` axis. */
export function encodeCollections(dialect: Dialect, collections: readonly Collection[]): Writable {
  return axes.record[dialect.record].encode(oneByOne(collections, collectionShape(dialect).encode))
}

export function encodeRemoved(dialect: Dialect, what: string, id: string): Writable {
  return axes.record[dialect.record].encode(axes.acks[dialect.acks].removed(what, id))
}

export function encodeAllRemoved(dialect: Dialect, ids: readonly string[]): Writable {
  return axes.record[dialect.record].encode(axes.acks[dialect.acks].allRemoved(ids))
}

/** Encodes the response to a batch update. */
export function encodeUpdated(dialect: Dialect, documents: readonly OutgoingDocument[]): Writable {
  const encode = () => oneByOne(documents, axes.document[dialect.document].encode)
  return axes.record[dialect.record].encode(axes.acks[dialect.acks].updated(documents, encode))
}

export function encodeError(
  dialect: Pick<Dialect, 'errors' | 'refusals'>,
  error: SvcError,
): { status: number; headers: Record<string, string>; body: Writable } {
  const { statuses }: { statuses: readonly OtherStatus[] } = axes.refusals[dialect.refusals]
  const { code, reason } = error
  const problem = reason?.kind === 'credentials' ? reason.problem : undefined
  const { status = httpStatus(error), issue } = statuses.find(({ of }) => of === problem || of === code) ?? {}
  const said = issue ? new SvcError('VALIDATION_ERROR', error.message, [issue]) : error
  return { status, headers: errorHeaders(error), body: axes.errors[dialect.errors].encode(said) }
}
