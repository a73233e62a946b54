/** Encodes every kind of answer in each dialect, and describes its schema. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Collection, CountedCollection } from '../../../client/protocol/model/collection.js'
import type { OutgoingDocument } from '../../../client/protocol/model/document.js'
import { JsonText, type Writable } from '../../../client/protocol/model/json.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { arrayOf, text } from '../../../client/protocol/wire/json-schema.js'
import { collectionShape } from '../../../client/protocol/wire/records/collections.js'
import {
  encodeAllRemoved,
  encodeCollection,
  encodeCollections,
  encodeDocument,
  encodeDocuments,
  encodePage,
  encodeRemoved,
  encodeUpdated,
} from '../../../client/protocol/wire/records/documents.js'
import { encodeTicket, ticketSchema } from '../../../client/protocol/wire/records/tickets.js'
import type { SavedDocument } from '../../core/documents/door.js'
import type { Ticket } from '../../core/realtime/tickets.js'
import { eventStreamHeaders, type Stream } from '../realtime/sse.js'
import { type AggregateReplyValues, aggregateReplies } from './aggregate-replies.js'
import { type FileReplyValues, fileReplies } from './file-replies.js'
import type { Outgoing, ReplyForm } from './reply-form.js'
import { type UserReplyValues, userReplies } from './user-replies.js'
import { writeInSteps } from './write-steps.js'

/** The values that handlers return, by kind of reply. */
export interface ReplyValues extends UserReplyValues, FileReplyValues, AggregateReplyValues {
  document: OutgoingDocument
  /** 201 if it was created, otherwise 200. */
  savedDocument: SavedDocument
  documents: readonly OutgoingDocument[]
  updatedDocuments: readonly OutgoingDocument[]
  page: Page<OutgoingDocument>
  collection: Collection
  countedCollection: CountedCollection
  collections: readonly Collection[]
  removedDocument: { readonly id: string }
  removedCollection: { readonly id: string }
  allRemoved: { readonly ids: readonly string[] }
  /** JSON that is the same in every dialect, because it is not a record of a project. */
  plain: Writable
  /** JSON text that is the same for every caller. The etag changes only with the text. */
  description: { readonly text: string; readonly etag: string }
  ticket: Ticket
  /** An answer that goes on after its headers. */
  events: Stream
  /** A file that is generated while it is sent. */
  download: Download
  /** A redirect. Doesn't send the referring page along. */
  redirect: Redirect
  html: string | { readonly html: string; readonly status: number }
}
export type ReplyKind = keyof ReplyValues

/** A generated file. Its name is plain enough for a header. An error halfway cuts the answer short. */
interface Download {
  readonly name: string
  readonly type: string
  readonly bytes: Readable
}

/** An address, or an address with headers and whether the request failed. */
type Redirect =
  | string
  | { readonly location: string; readonly headers?: Readonly<Record<string, string>>; readonly isRefused?: boolean }

const documentReply: ReplyForm<OutgoingDocument> = {
  write: (dialect, document) => ({
    body: encodeDocument(dialect, document),
    headers: { etag: `"${document.version}"` },
  }),
  schema: (dialect) => record(dialect, axes.document[dialect.document].schema),
}

const replies: { readonly [Kind in ReplyKind]: ReplyForm<ReplyValues[Kind]> } = {
  document: documentReply,
  savedDocument: {
    write: (dialect, { document, isCreated }) => ({
      ...documentReply.write(dialect, document),
      status: isCreated ? 201 : 200,
    }),
    schema: documentReply.schema,
  },
  documents: {
    write: (dialect, documents) => ({ body: encodeDocuments(dialect, documents) }),
    schema: (dialect) => record(dialect, arrayOf(axes.document[dialect.document].schema)),
  },
  updatedDocuments: {
    write: (dialect, documents) => ({ body: encodeUpdated(dialect, documents) }),
    schema: (dialect) => record(dialect, axes.acks[dialect.acks].updatedSchema(axes.document[dialect.document].schema)),
  },
  page: {
    write: encodePage,
    schema: (dialect) => record(dialect, axes.list[dialect.list].schema(axes.document[dialect.document].schema)),
  },
  collection: {
    write: (dialect, collection) => ({ body: encodeCollection(dialect, collection) }),
    schema: (dialect) => record(dialect, collectionSchema(dialect)),
  },
  countedCollection: {
    write: (dialect, collection) => ({ body: encodeCollection(dialect, collection) }),
    schema: (dialect) => record(dialect, collectionSchema(dialect)),
  },
  collections: {
    write: (dialect, collections) => ({ body: encodeCollections(dialect, collections) }),
    schema: (dialect) => record(dialect, arrayOf(collectionSchema(dialect))),
  },
  removedDocument: {
    write: (dialect, { id }) => ({ body: encodeRemoved(dialect, 'document', id) }),
    schema: removedSchema,
  },
  removedCollection: {
    write: (dialect, { id }) => ({
      body: axes.acks[dialect.acks].isCollectionSilent ? undefined : encodeRemoved(dialect, 'collection', id),
    }),
    schema: removedSchema,
    status: (dialect) => (axes.acks[dialect.acks].isCollectionSilent ? 204 : 200),
  },
  allRemoved: {
    write: (dialect, { ids }) => ({ body: encodeAllRemoved(dialect, ids) }),
    schema: (dialect) => record(dialect, axes.acks[dialect.acks].allRemovedSchema),
  },
  ...userReplies,
  ...fileReplies,
  ...aggregateReplies,
  plain: {
    write: (_dialect, body) => ({ body }),
    schema: () => ({ type: 'object' }),
  },
  description: {
    write: (_dialect, { text, etag }) => ({ body: new JsonText(text), headers: { etag } }),
    schema: () => ({ type: 'object' }),
  },
  ticket: {
    write: (dialect, ticket) => ({ body: encodeTicket(dialect, ticket) }),
    schema: (dialect) => record(dialect, ticketSchema(dialect)),
  },
  events: {
    write: (_dialect, stream) => ({ body: '', headers: eventStreamHeaders, stream }),
    schema: () => text,
    type: 'text/event-stream',
  },
  download: {
    write: (_dialect, { name, type, bytes }) => ({
      body: '',
      headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
      stream: { open: (res) => void pipeline(bytes, res).catch(() => undefined) },
    }),
    schema: () => text,
    type: 'application/octet-stream',
  },
  redirect: {
    write: (_dialect, redirect) => {
      const { location, headers } = typeof redirect === 'string' ? { location: redirect, headers: {} } : redirect
      return { body: '', headers: { ...headers, location, 'referrer-policy': 'no-referrer' } }
    },
    schema: () => text,
    type: 'text/plain; charset=utf-8',
  },
  html: {
    write: (_dialect, page) => ({
      ...(typeof page === 'string' ? { body: page } : pageBody(page)),
      headers: pageHeaders,
    }),
    schema: () => text,
    type: 'text/html; charset=utf-8',
  },
}

/** Lets a page only show content and post forms, and keeps its address out of other requests. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
}

function pageBody({ html, status }: { html: string; status: number }) {
  return { body: html, status }
}

const jsonType = 'application/json; charset=utf-8'

/**
 * Serializes the answer exactly as it is sent and stored for an idempotency key.
 *
 * @throws {SvcError} `RESULT_TOO_LARGE`
 */
export async function writeReply<Kind extends ReplyKind>(
  kind: Kind,
  value: ReplyValues[Kind],
  dialect: Dialect,
  status: number,
): Promise<Outgoing> {
  const form: ReplyForm<ReplyValues[Kind]> = replies[kind]
  const { body, headers, status: own = form.status?.(dialect) ?? status, stream } = form.write(dialect, value)
  const type = form.type
  if (stream) return { status: own, headers: { ...headers }, ...stream }
  if (body === undefined) return { status: own, headers: { ...headers }, body: '' }
  return {
    status: own,
    headers: { 'content-type': type ?? jsonType, ...headers },
    body: type === undefined ? await writeInSteps(body as Writable) : String(body),
  }
}

export function replySchema(kind: ReplyKind, dialect: Dialect): JsonSchema {
  return replies[kind].schema(dialect)
}

/** Returns the status of an answer, given the status of its route. */
export function replyStatus(kind: ReplyKind, dialect: Dialect, status: number): number {
  return replies[kind].status?.(dialect) ?? status
}

export function replyType(kind: ReplyKind): string {
  return (replies[kind].type ?? jsonType).replace(/;.*/, '')
}

function record(dialect: Dialect, schema: JsonSchema): JsonSchema {
  return axes.record[dialect.record].schema(schema)
}

function removedSchema(dialect: Dialect): JsonSchema {
  return record(dialect, axes.acks[dialect.acks].removedSchema)
}

function collectionSchema(dialect: Dialect): JsonSchema {
  return collectionShape(dialect).schema
}
