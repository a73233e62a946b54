/** Who is told of which changes, and until when. Contract 9. */
import type { StoredCollection } from '../../client/model/collection.js'
import type { Fields, OutgoingDocument } from '../../client/model/document.js'
import { plainError } from '../../client/model/error-words.js'
import { SvcError } from '../../client/model/errors.js'
import { JsonText } from '../../client/model/json.js'
import type { Where } from '../../client/model/where.js'
import type { DocumentChange, Recorded } from '../store/changes.js'
import { selectCollection } from '../store/collections.js'
import { requireCollection } from './collections.js'
import type { Backend, Context, Identity } from './context.js'
import { databaseFault } from './database-faults.js'
import type { Listener } from './feeds.js'
import { type Matchable, predicateOf } from './matching.js'
import { requirePermission } from './permissions.js'

export type { DocumentChange } from '../store/changes.js'

export interface Wish {
  /** Name or id. */
  readonly collection: string
  readonly where: Where
  /** Whether entering and leaving the filter counts as `created` and `deleted`. Contract 9.3. */
  readonly isLive: boolean
  /** Exclusive: the number of the last change that is known already. */
  readonly since: number | undefined
}

/** The other end of a subscription. */
export interface Sink {
  /** Comes first: it is told of every change after that number, until the subscription ends. */
  begun(seq: number, subscription: Subscription): void
  /** A change, and as what it is told. */
  event(change: DocumentChange, kind: DocumentChange['kind'], collection: StoredCollection): void
  /** Changes are missing; what comes from now on is whole again. */
  resync(): void
  /** Nothing comes after this. */
  ended(why: SvcError): void
  /** Whether anybody is there. */
  isOpen(): boolean
  /** Whether the other end takes what it is told about as fast as it comes. */
  hasRoom(): boolean
  /** Resolves once it can take more, or is over. */
  room(): Promise<void>
}

export interface Subscription {
  /** Looks at the collection and the caller's right to read it anew, and ends itself where it must. */
  review(): Promise<void>
  /** Answers the number up to which everything has been told. */
  end(): number
}

/**
 * Resolves once everything up to now has been told.
 *
 * @param who the caller as it is known now: rights change
 * @throws {SvcError} `NOT_FOUND`, `UNAUTHORIZED`, `FORBIDDEN`
 */
export async function subscribe(
  backend: Backend,
  who: () => Identity,
  { collection: name, where, isLive, since }: Wish,
  sink: Sink,
): Promise<void> {
  const project = who().project.id
  const known = await requireCollection(contextOf(backend, who()), name)
  let collection = readable(backend, who(), known)
  let hasLeft = false
  /** What is not told before it is known who may hear it. */
  let held: Recorded[] | undefined
  const kindOf = (isLive ? liveKind : plainKind)(where)

  const listener: Listener = {
    collection: collection.id,
    position: 0,
    isOver: () => hasLeft || !sink.isOpen(),
    hasRoom: sink.hasRoom,
    room: sink.room,
    tell(change: Recorded) {
      if (held) held.push(change)
      else if (change.kind === 'collection') {
        backend.known.collections.clear()
        void holdForReview()
      } else {
        const kind = kindOf(change)
        if (kind) sink.event(change, kind, collection)
      }
    },
  }

  async function holdForReview(): Promise<void> {
    held = []
    await review()
    const changes = held
    held = undefined
    for (const change of changes) if (!listener.isOver()) listener.tell(change)
  }

  async function review(): Promise<void> {
    try {
      // Not one that is remembered: nobody asks again after this.
      const found = await selectCollection(backend.db, project, name)
      if (found?.id !== collection.id) throw plainError('NOT_FOUND')
      collection = readable(backend, who(), found)
    } catch (error) {
      if (listener.isOver()) return
      end()
      // Whoever cannot be looked at is told nothing more; it may come back with `since`.
      const why = error instanceof SvcError ? error : (databaseFault(error) ?? plainError('UNAVAILABLE'))
      sink.ended(why.code === 'NOT_FOUND' ? noLonger(name) : why)
    }
  }

  function end(): number {
    hasLeft = true
    const told = backend.feeds.leave(project, listener)
    const [untold] = held ?? []
    return untold ? untold.seq - 1 : told
  }

  const begun = (isWhole: boolean) => {
    sink.begun(listener.position, { review, end })
    if (!isWhole) sink.resync()
    // Rights may have changed since they were looked at; from here on each change of them is told.
    void holdForReview()
  }
  try {
    await backend.feeds.join(project, listener, since, begun)
  } catch (error) {
    end()
    throw error
  }
}

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN` */
function readable(backend: Backend, identity: Identity, collection: StoredCollection): StoredCollection {
  requirePermission(contextOf(backend, identity), collection, 'read')
  return collection
}

function contextOf(backend: Backend, identity: Identity): Context {
  return { ...identity, backend, db: backend.db, inTransaction: false }
}

function noLonger(name: string): SvcError {
  return new SvcError('INVALID_COLLECTION', `The collection "${name.slice(0, 80)}" was deleted or renamed.`)
}

type KindOf = (change: DocumentChange) => DocumentChange['kind'] | undefined

/** A change is told if the document matches as it is now; a deleted one, as it was last. */
function plainKind(where: Where): KindOf {
  if (where.all.length === 0) return ({ kind }) => kind
  const matches = predicateOf(where)
  return (change) => (matches(currentOf(change)) ? change.kind : undefined)
}

/** As a view that shows what matches has to hear of it. */
function liveKind(where: Where): KindOf {
  if (where.all.length === 0) return ({ kind }) => kind
  const [matches, plain] = [predicateOf(where), plainKind(where)]
  return (change) => {
    if (!change.before) return plain(change)
    const [was, is] = [matches(formerOf(change, change.before)), matches(currentOf(change))]
    if (was) return is ? 'updated' : 'deleted'
    return is ? 'created' : undefined
  }
}

// Of many subscriptions, the first to look at a change parses it for all.
const currents = new WeakMap<DocumentChange, Matchable>()
const formers = new WeakMap<DocumentChange, Matchable>()

function currentOf(change: DocumentChange): Matchable {
  const { document } = change
  return once(currents, change, () => ({ ...document, data: fieldsOf(document.data) }))
}

function formerOf(change: DocumentChange, before: JsonText): Matchable {
  return once(formers, change, () => ({ ...change.document, data: fieldsOf(before) }))
}

function once(known: WeakMap<DocumentChange, Matchable>, change: DocumentChange, read: () => Matchable): Matchable {
  const found = known.get(change) ?? read()
  known.set(change, found)
  return found
}

/** A change carries its data as the text that the database sent. */
function fieldsOf(data: OutgoingDocument['data']): Fields {
  return data instanceof JsonText ? (data.toJSON() as Fields) : {}
}
