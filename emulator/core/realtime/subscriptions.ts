/** Which changes a subscription receives, and until when. Contract 9. */
import { setTimeout as pause } from 'node:timers/promises'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { fieldsOf } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { selectCollection } from '../../store/collections.js'
import { nobody } from '../../store/creators.js'
import type { RecordedDocumentChange } from '../../store/realtime/changes.js'
import { requireCollection } from '../collections/collections.js'
import { creatorFor, requirePermission } from '../collections/permissions.js'
import type { Backend, Context, Identity } from '../context.js'
import { findable } from '../documents/creator-filter.js'
import { asSvcError } from '../failures.js'
import { unitOf } from '../unit-of-work.js'
import { type Listener, retryMilliseconds } from './feeds.js'
import { type Matchable, predicateOf } from './matching.js'
import type { SubscriptionView } from './open-connections.js'
import type { Subscriber } from './subscriber.js'

export type { RecordedDocumentChange } from '../../store/realtime/changes.js'

export interface Wish {
  /** Name or id. */
  readonly collection: string
  readonly where: Where
  /** The same as it was sent, for who looks at the connection. */
  readonly filters?: JsonObject
  /** Whether entering and leaving the filter counts as `created` and `deleted`. Contract 9.3. */
  readonly isLive: boolean
  /** Exclusive: the number of the last change that is known already. */
  readonly since: number | undefined
}

/** What a connection does with what a subscription receives. */
export interface Sink {
  /** Comes first: it receives every change after that number, until the subscription ends. */
  begun(seq: number, subscription: CollectionSubscription): void
  /** A change, and the kind that it is for this subscription. */
  event(change: RecordedDocumentChange, kind: RecordedDocumentChange['kind'], collection: StoredCollection): void
  /** A replay is over: everything up to that number was received, by all subscriptions of the connection. */
  live(seq: number): void
  /** Changes are missing; what comes from now on is whole again. */
  resync(): void
  /** Nothing comes after this. */
  ended(why: SvcError): void
}

export interface CollectionSubscription {
  /** Looks at the collection and the caller's right to read it anew, and ends itself where it must. */
  review(): Promise<void>
  /** What it is, and how far it has come. */
  view(): SubscriptionView
  /** Puts another one in its place, without a gap; false where that cannot be done at once. */
  giveWayTo(listener: Listener): boolean
  /** Answers the number up to which everything has been received. */
  end(): number
}

/** Who subscribes, over which connection. */
export interface Asker {
  /** The caller as it is known now: rights change. */
  identity(): Identity
  readonly subscriber: Subscriber
  /** What this subscription takes the place of. Unless it says since when, it goes on where that one was. */
  readonly replaced?: CollectionSubscription | undefined
}

/**
 * Resolves once everything up to now has been received.
 *
 * @throws {SvcError} `NOT_FOUND`, `UNAUTHORIZED`, `FORBIDDEN`
 */
export async function subscribe(backend: Backend, asker: Asker, wish: Wish, sink: Sink): Promise<void> {
  const { identity, subscriber, replaced } = asker
  const { collection: name, isLive } = wish
  const project = identity().project.id
  const known = await requireCollection(contextOf(backend, identity()), name)
  let collection = readable(backend, identity(), known)
  const { where, creator } = findable(identity().caller, collection, wish.where)
  // What permissions open to the caller changes with them; what was asked for does not.
  const asked = asksFor(wish.where, where) ? creator : undefined
  const matching = (isLive ? liveKind : plainKind)(where)
  let kindOf = amongOf(creator, matching, isLive)
  let hasLeft = false
  let isReplayed = false
  const view = () => viewOf(wish, backend.feeds.position(listener))

  const listener: Listener = {
    subscriber,
    collection: collection.id,
    position: 0,
    isOver: () => hasLeft || !subscriber.isOpen(),
    costOf: costOf(where),
    begun(isWhole) {
      sink.begun(listener.position, { review, giveWayTo, end, view })
      if (!isWhole) sink.resync()
      // Rights may have changed since they were looked at; from here on each change of them is received.
      void review()
    },
    missed,
    live(seq) {
      if (isReplayed) sink.live(seq)
    },
    receive(change) {
      if (change.kind === 'reset') return missed()
      if (change.kind === 'collection') {
        void review()
        return
      }
      const kind = kindOf(change)
      if (kind) sink.event(change, kind, collection)
    },
  }

  /** What became of the collection meanwhile may be among what was missed. */
  function missed(): void {
    sink.resync()
    subscriber.hold(review())
  }

  /** Nothing more goes out on this connection before it is known who may receive it, however long the database takes to say so. */
  async function review(): Promise<void> {
    const looked = look()
    subscriber.hold(looked.then((isSettled) => (isSettled ? undefined : lookAgain())))
    await looked
  }

  async function lookAgain(): Promise<void> {
    do await pause(retryMilliseconds)
    while (!(await look()))
  }

  /** Ends the subscription where nobody may have it any more; false where the database did not answer. */
  async function look(): Promise<boolean> {
    try {
      // Not one that is remembered: nobody asks again after this.
      const found = await selectCollection(backend.db, project, name)
      if (found?.id !== collection.id) throw plainError('NOT_FOUND')
      collection = readable(backend, identity(), found)
      const own = creatorFor(identity().caller, collection, 'read')
      kindOf = amongOf(both(asked, own), matching, isLive)
    } catch (error) {
      if (listener.isOver()) return true
      const why = asSvcError(error)
      if (why === undefined || why.code === 'UNAVAILABLE') {
        backend.report(error)
        return false
      }
      end()
      sink.ended(why.code === 'NOT_FOUND' ? noLonger(name) : why)
    }
    return true
  }

  function giveWayTo(other: Listener): boolean {
    if (hasLeft) return false
    hasLeft = backend.feeds.replace(listener, other)
    return hasLeft
  }

  function end(): number {
    hasLeft = true
    return backend.feeds.leave(listener)
  }

  if (wish.since === undefined && replaced?.giveWayTo(listener)) return listener.begun(true)
  const left = replaced?.end()
  const since = wish.since ?? left
  isReplayed = since !== undefined
  try {
    await backend.feeds.join(project, listener, since)
  } catch (error) {
    end()
    throw error
  }
}

function viewOf({ collection, filters = {}, isLive }: Wish, position: number): SubscriptionView {
  return { collection, filters, isLive, position }
}

/** Texts are searched the longer the longer they are, and read before that. */
function costOf({ all }: Where): Listener['costOf'] {
  if (all.length === 0) return () => 1
  const tests = all.reduce((sum, { any }) => sum + any.length, 0)
  return (change) => {
    if (change.kind === 'collection' || change.kind === 'reset') return 1
    const { document, before } = change
    const characters = document.data.text.length + (before?.data.text.length ?? 0)
    return 1 + Math.ceil(characters / charactersPerCost) + Math.floor(tests / testsPerCost)
  }
}

const charactersPerCost = 1_000
const testsPerCost = 20

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN` */
function readable(backend: Backend, identity: Identity, collection: StoredCollection): StoredCollection {
  requirePermission(contextOf(backend, identity), collection, 'read')
  return collection
}

function contextOf(backend: Backend, identity: Identity): Context {
  return { ...identity, ...unitOf(backend) }
}

function noLonger(name: string): SvcError {
  return new SvcError('INVALID_COLLECTION', `The collection "${name.slice(0, 80)}" was deleted or renamed.`)
}

function asksFor(asked: Where, rest: Where): boolean {
  return rest.all.length < asked.all.length
}

/** Documents of both creators, where both are given: none, if they are two. */
function both(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined || one === other ? (one ?? other) : nobody
}

type KindOf = (change: RecordedDocumentChange) => RecordedDocumentChange['kind'] | undefined

/** Of changes, those of documents of one creator; one that was given to another, as a view that shows what matches has to receive it. */
function amongOf(creator: string | undefined, kindOf: KindOf, isLive: boolean): KindOf {
  if (creator === undefined) return kindOf
  return (change) => {
    const is = change.document.createdBy === creator
    const was = change.before ? change.before.createdBy === creator : is
    if (is === was) return is ? kindOf(change) : undefined
    const kind = kindOf(change)
    if (!isLive) return is ? kind : undefined
    // It is or was among those that match as well: a transfer changes nothing of its data.
    return kind && (is ? 'created' : 'deleted')
  }
}

/** A change is published if the document matches as it is now; a deleted one, as it was last. */
function plainKind(where: Where): KindOf {
  if (where.all.length === 0) return ({ kind }) => kind
  const matches = predicateOf(where)
  return (change) => (matches(currentOf(change)) ? change.kind : undefined)
}

/** As a view that shows what matches has to receive it. */
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
const currents = new WeakMap<RecordedDocumentChange, Matchable>()
const formers = new WeakMap<RecordedDocumentChange, Matchable>()

function currentOf(change: RecordedDocumentChange): Matchable {
  const { document } = change
  return once(currents, change, () => ({ ...document, data: fieldsOf(document) }))
}

function formerOf(change: RecordedDocumentChange, before: NonNullable<RecordedDocumentChange['before']>): Matchable {
  return once(formers, change, () => ({ ...change.document, updatedAt: before.updatedAt, data: fieldsOf(before) }))
}

function once(
  known: WeakMap<RecordedDocumentChange, Matchable>,
  change: RecordedDocumentChange,
  read: () => Matchable,
): Matchable {
  const found = known.get(change) ?? read()
  known.set(change, found)
  return found
}
