/** Sends one write of the outbox, so that a repeated attempt does nothing twice. */
import { internals } from '../collections/internals.js'
import { type Client, type Document, SvcError } from '../index.js'
import type { Fields } from '../protocol/model/document.js'
import type { Entry } from './database.js'

/** The service remembers idempotency keys for 24 hours. Contract 3.9. Leaves an hour for clocks that differ. */
const maxKeyMilliseconds = 23 * 3_600_000

/** A refused write, with the document as the service has it. */
export class Refusal {
  constructor(
    readonly error: SvcError,
    readonly theirs?: Document,
  ) {}
}

export interface Attempt {
  readonly entry: Entry
  /** Whether an earlier attempt may have succeeded although its response was lost. */
  readonly isRepeated: boolean
  /** Version of the document after the previous write of the outbox. */
  readonly version: number | undefined
  /** Token of the user who made the write, so that no other user sends it. */
  readonly token: string
  readonly signal: AbortSignal
  /** Keeps the document that an update is based on before the update is sent. */
  keepBase(base: Document): Promise<unknown>
}

/**
 * Sends a write.
 *
 * @returns the saved document, undefined if removed
 * @throws {Refusal} if you have to decide
 * @throws {SvcError} if the same attempt may succeed later
 */
export async function sendEntry(client: Pick<Client, 'collection'>, attempt: Attempt): Promise<Document | undefined> {
  try {
    return await senders[attempt.entry.kind](client, attempt)
  } catch (error) {
    // The session has ended: the write itself was not refused. Without a user, it was, because reads are answered.
    if (
      !(error instanceof SvcError) ||
      (attempt.token && error.status === 401) ||
      client.collection('')[internals].isTransient(error)
    )
      throw error
    throw new Refusal(error)
  }
}

const senders = { create: sendCreate, update: sendUpdate, remove: sendRemove } as const

async function sendCreate(client: Pick<Client, 'collection'>, { entry, isRepeated, token, signal }: Attempt) {
  const { collection, body, key, idempotencyKey = key, sentAt = 0 } = entry
  if (isRepeated && Date.now() - sentAt > maxKeyMilliseconds)
    throw new Refusal(
      new SvcError('TIMEOUT', 'It may have been created.', [], {
        mayBeDone: true,
      }),
    )
  const options = { idempotencyKey, token, signal }
  return client.collection(collection).create(body, options)
}

async function sendRemove(client: Pick<Client, 'collection'>, { entry, token, signal }: Attempt) {
  const options = { token, signal }
  await client
    .collection(entry.collection)
    .delete(entry.id, options)
    .catch((error: SvcError) => {
      // The document is gone, as it should be.
      if (error.code !== 'NOT_FOUND') throw error
    })
  return undefined
}

/**
 * Always sends an update for one version of the document, so that an earlier attempt which the service receives late
 * conflicts with it. Reads the document first, unless the outbox knows its version.
 */
async function sendUpdate(client: Pick<Client, 'collection'>, attempt: Attempt): Promise<Document> {
  const { entry, token, signal } = attempt
  const collection = client.collection(entry.collection)
  let { isRepeated, version: ifMatch } = attempt
  for (;;) {
    if (isRepeated || ifMatch === undefined) {
      const options = { token, signal }
      const theirs = await collection.get(entry.id, options)
      if (isRepeated && isApplied(theirs.data, entry.body)) return theirs
      await requireUnchanged(attempt, theirs)
      ifMatch = theirs.version
    }
    const options = { ifMatch, token, signal }
    const saved = await collection.update(entry.id, entry.body, options).catch((error: SvcError) => {
      if (error.code !== 'CONFLICT') throw error
    })
    if (saved) return saved
    isRepeated = true
  }
}

/** @throws {Refusal} if someone else has changed the same fields since the write was made */
async function requireUnchanged({ entry: { base, body }, keepBase }: Attempt, theirs: Document): Promise<unknown> {
  if (!base) return keepBase(theirs)
  if (!isChanged(base.data, theirs.data, body)) return
  throw new Refusal(new SvcError('CONFLICT', 'Someone changed the same fields.', [], { status: 412 }), theirs)
}

const operators = ['$append', '$remove', '$unset']

/** Tells whether values are equal as JSON. The service keeps the fields of objects in another order. */
function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => JSON.stringify(value, sorted))
  return a === b
}

function sorted(_: string, value: unknown): unknown {
  return Object(value) === value && !Array.isArray(value) ? Object.entries(value as object).sort() : value
}

const plainFields = (body: Fields) => Object.entries(body).filter(([name]) => !operators.includes(name))

/** Tells whether a document is as the update leaves it. */
function isApplied(data: Fields, body: Fields): boolean {
  /** Tells whether all items under an operator are in the document, or none. */
  const holds = (operator: string, isIn: boolean) =>
    Object.entries(Object(body[operator]) as Fields).every(([name, items]) =>
      [items].flat().every((item) => [data[name]].flat().some((other) => isSame(other, item)) === isIn),
    )
  return (
    plainFields(body).every(([name, value]) => isSame(data[name], value)) &&
    holds('$append', true) &&
    holds('$remove', false) &&
    [body.$unset ?? []].flat().every((name) => data[String(name)] === undefined)
  )
}

/** Tells whether someone else has changed a field that the write changes, to another value. */
function isChanged(base: Fields, theirs: Fields, body: Fields): boolean {
  return plainFields(body).some(([name, value]) => !isSame(base[name], theirs[name]) && !isSame(theirs[name], value))
}
