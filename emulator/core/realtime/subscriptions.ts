/** Which changes a subscription receives, and until when. Contract 9. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { selectBirth, selectCollection } from '../../store/collections.js'
import type { Recorded, RecordedDocumentChange } from '../../store/realtime/changes.js'
import { type Grant, grantFor, requireGranted } from '../access/grant.js'
import { requireCollection } from '../collections/collections.js'
import type { Backend, Context, Identity } from '../context.js'
import { asSvcError } from '../failures.js'
import { unitFor } from '../unit-of-work.js'
import { type Listener, retryMilliseconds } from './feeds.js'
import { openKinds } from './kinds.js'
import type { SubscriptionView } from './open-connections.js'
import { seenWithout } from './seen-changes.js'
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
  /**
   * Comes first: it receives every change after that number, until the subscription ends.
   *
   * @param reviewed settles once the caller's rights were looked up again
   */
  begun(seq: number, subscription: CollectionSubscription, reviewed: Promise<void>): void
  /** A change, and the kind that it is for this subscription. */
  event(change: RecordedDocumentChange, kind: RecordedDocumentChange['kind'], collection: StoredCollection): void
  /** A replay is over: everything up to that number was received, by all subscriptions of the connection. */
  live(seq: number): void
  /** Changes are missing, or what they come to is another list now; what comes from now on is whole again. */
  resync(why: SvcError): void
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
  const { collection: name } = wish
  const project = identity().project.id
  const grant = readGrant(identity(), await requireCollection(contextOf(backend, identity()), name))
  let { collection } = grant
  const kindsFor = openKinds(wish)
  let { kindOf, open } = kindsFor(grant)
  let hasLeft = false
  let isReplayed = false
  // Nothing has happened before the first number: who begins there has nothing to read anew among what is replayed.
  let knowsNothing = wish.since === 0

  const listener: Listener = {
    ...{ subscriber, caller: identity().caller.id, collection: collection.id },
    position: 0,
    isOver: () => hasLeft || !subscriber.isOpen(),
    costOf: (change) => (wish.where.all.length === 0 && open.hidden.length === 0 ? 1 : costOf(change, wish.where)),
    begun(isWhole) {
      const view = () => viewOf(wish, backend.feeds.position(listener))
      // Rights may have changed since they were looked at; from here on each change of them is received.
      const reviewed = review()
      sink.begun(listener.position, { review, giveWayTo, end, view }, reviewed)
      knowsNothing &&= isWhole
      if (!isWhole) sink.resync(plainError('RESYNC'))
    },
    missed,
    live(seq) {
      if (isReplayed) sink.live(seq)
    },
    receive(change) {
      if (change.kind === 'reset' && !knowsNothing) return missed()
      if (change.kind === 'collection' || change.kind === 'reset') return void review()
      knowsNothing = false
      const kind = kindOf(change)
      if (kind) sink.event(seenWithout(change, open.hidden), kind, collection)
    },
  }

  /** What became of the collection meanwhile may be among what was missed. */
  function missed(): void {
    sink.resync(plainError('RESYNC'))
    subscriber.hold(review())
  }

  /** Nothing more goes out on this connection before it is known who may receive it, however long the database takes to say so. */
  async function review(): Promise<void> {
    const looked = look()
    subscriber.hold(looked.then((isSettled) => (isSettled ? undefined : again(look))))
    await looked
  }

  /** Ends the subscription where it is no longer permitted; false where the database did not answer. */
  async function look(): Promise<boolean> {
    // Asks nothing more for a subscription that was replaced or ended.
    if (listener.isOver()) return true
    try {
      const found = await standing(backend, project, name, collection.id)
      const grant = readGrant(identity(), shared(collection, found))
      collection = grant.collection
      const former = open
      ;({ kindOf, open } = kindsFor(grant))
      // What is open from now on, or no longer, is not among the changes: a view that shows what matches has to be read anew.
      if (wish.isLive && !listener.isOver() && !isDeepStrictEqual(open, former)) sink.resync(othersOpen())
    } catch (error) {
      if (listener.isOver()) return true
      const why = endedBy(backend, error, name)
      if (!why) return false
      end()
      sink.ended(why)
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

  // Of a younger collection everything may be kept, of whatever the project has kept no more.
  const asked = wish.since === 0 ? await selectBirth(backend.db, collection.id) : wish.since
  if (asked === undefined && replaced?.giveWayTo(listener)) return listener.begun(true)
  const left = replaced?.end()
  const since = asked ?? left
  isReplayed = since !== undefined
  await backend.feeds.join(project, listener, since).catch((error) => {
    end()
    throw error
  })
  knowsNothing = false
}

async function again(isSettled: () => Promise<boolean>): Promise<void> {
  do await pause(retryMilliseconds)
  while (!(await isSettled()))
}

function viewOf({ collection, filters = {}, isLive }: Wish, position: number): SubscriptionView {
  return { collection, filters, isLive, position }
}

/** Texts are searched the longer the longer they are, and read before that; so they are where fields are left out. */
function costOf(change: Recorded, { all }: Where): number {
  const tests = all.reduce((sum, { any }) => sum + any.length, 0)
  return 1 + costOfText(change) + Math.floor(tests / testsPerCost)
}

function costOfText(change: Recorded): number {
  if (change.kind === 'collection' || change.kind === 'reset') return 0
  const { document, before } = change
  const characters = document.data.text.length + (before?.data.text.length ?? 0)
  return Math.ceil(characters / charactersPerCost)
}

const charactersPerCost = 1_000
const testsPerCost = 20

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN` */
function readGrant({ caller }: Identity, collection: StoredCollection): Grant {
  const grant = grantFor(caller, collection)
  requireGranted(grant, 'read')
  return grant
}

/** As long as it is the same, all subscriptions share the one that is cached. */
function shared(known: StoredCollection, found: StoredCollection): StoredCollection {
  return isDeepStrictEqual(found, known) ? known : found
}

function contextOf(backend: Backend, identity: Identity): Context {
  return { ...identity, ...unitFor(backend) }
}

/** Not a cached one: it is not asked again after this. @throws {SvcError} `NOT_FOUND` where the name is no longer its own */
async function standing({ db }: Backend, project: string, name: string, id: string): Promise<StoredCollection> {
  const found = await selectCollection(db, project, name)
  if (found?.id !== id) throw plainError('NOT_FOUND')
  return found
}

/** Nothing where the database did not answer. */
function endedBy(backend: Backend, error: unknown, name: string): SvcError | undefined {
  const why = asSvcError(error)
  if (why?.code === 'NOT_FOUND') return noLonger(name)
  if (why && why.code !== 'UNAVAILABLE') return why
  backend.report('realtime', error)
  return undefined
}

function othersOpen(): SvcError {
  return new SvcError('RESYNC', 'What you may read here is not what it was. Read the collection again.')
}

function noLonger(name: string): SvcError {
  return new SvcError('INVALID_COLLECTION', `The collection "${name.slice(0, 80)}" was deleted or renamed.`)
}
