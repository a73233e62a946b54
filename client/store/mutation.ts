/** One write of the app, and how it is sent. */
import { internals } from '../collections/internals.js'
import type { Client } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'

/** A write that the app has made. */
export interface Write {
  /** Unique and random. Sent as the idempotency key of a create. */
  readonly key: string
  readonly collection: string
  readonly kind: 'create' | 'update' | 'remove'
  /** Id of the document. A new document has one that begins with `new-` until it is saved. */
  readonly id: string
  /** All fields of a new document, or the changed fields of an update. */
  readonly body: Fields
  /** ISO 8601, by the local clock. */
  readonly begunAt: string
}

/** A write as lists show it. Immutable: a new state is a new object with the same key. */
export interface Mutation extends Write {
  /** `waiting` while the service is unreachable or busy and the write will be sent again. */
  readonly state: 'pending' | 'waiting' | 'saved'
  /** Why it waits. */
  readonly error?: SvcError
  /** The document as the service saved it. Undefined if removed. */
  readonly document?: Document<object>
  /** Counts saved writes of the outbox. Set once saved: a read that begins later includes the write. */
  readonly turn?: number
}

/** Creates a write that has not been sent. */
export function createMutation(
  client: Pick<Client, 'collection'>,
  kind: Mutation['kind'],
  collection: string,
  body: object,
  id?: string,
): Mutation {
  const key = client.collection(collection)[internals].repeatable().idempotencyKey
  return {
    ...{ key, collection, kind, id: id ?? `new-${key}`, body: asJson(body) },
    ...{ begunAt: new Date().toISOString(), state: 'pending' },
  }
}

/** Shows dates as the service will. Leaves values that JSON cannot express, which are refused when they are sent. */
function asJson(body: object): Fields {
  try {
    return JSON.parse(JSON.stringify(body))
  } catch {
    return body as Fields
  }
}

/**
 * Sends a write. Safe to call again after a lost response: a create has the same key, and a document that is no longer there
 * counts as removed.
 *
 * @param isRepeated true if an earlier call may have succeeded although its response was lost
 * @returns the saved document, or undefined if removed
 * @throws {SvcError}
 */
export async function sendMutation(
  client: Pick<Client, 'collection'>,
  { kind, collection: name, id, body, key }: Mutation,
  isRepeated: boolean,
): Promise<Document<object> | undefined> {
  const collection = client.collection(name)
  if (kind === 'create') return collection.create(body, { idempotencyKey: key })
  if (kind === 'update') return collection.update(id, body)
  await collection.delete(id).catch((failure: SvcError) => {
    if (!isRepeated || failure.code !== 'NOT_FOUND') throw failure
  })
  return undefined
}
