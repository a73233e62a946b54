/** Decides which changes a subscription receives, and when it ends. Contract 9. */
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
import { requireGrant } from '../collections/collections.js'
import type { Backend, Context, Identity } from '../context.js'
import { asSvcError } from '../failures.js'
import { unitFor } from '../unit-of-work.js'
import { retryMilliseconds, type Subscription } from './feeds.js'
import { openFollower } from './follower.js'
import { openKinds } from './kinds.js'
import type { SubscriptionView } from './open-connections.js'
import {
  after,
  type Effect,
  type Sight,
  type SubscriptionEvents,
  type SubscriptionState,
} from './subscription-state.js'
import type { Transport } from './transport.js'
import { watchedBy } from './watched.js'

export type { RecordedDocumentChange } from '../../store/realtime/changes.js'

export interface SubscribeRequest {
  /** Name or id. */
  readonly collection: string
  readonly where: Where
  /** The filter as sent, for inspecting the connection. */
  readonly filters?: JsonObject
  /** Whether entering and leaving the filter counts as `created` and `deleted`. Contract 9.3. */
  readonly isLive: boolean
  /** Exclusive: the number of the last change that the client already has. */
  readonly since: number | undefined
}

/** Receives the messages of a subscription, on behalf of a connection. */
export interface Sink {
  /**
   * Called first. Every change after `seq` follows, until the subscription ends.
   *
   * @param reviewed settles once the caller's rights have been checked again
   */
  begun(seq: number, subscription: SubscriptionHandle, reviewed: Promise<void>): void
  /** Called for each change, with its kind for this subscription. */
  event(change: RecordedDocumentChange, kind: RecordedDocumentChange['kind'], collection: StoredCollection): void
  /** Called when a replay ends. All subscriptions of the connection have received everything up to `seq`. */
  live(seq: number): void
  /** Called if changes are missing or the visible documents have changed. Changes after this are complete again. */
  resync(why: SvcError): void
  /** Called last. */
  ended(why: SvcError): void
}

export interface SubscriptionHandle {
  /** Reloads the collection and the caller's right to read it. Ends the subscription if needed. */
  review(): Promise<void>
  /** Describes the subscription and its position. */
  view(): SubscriptionView
  /** Replaces this subscription without a gap. Returns false if that must wait. */
  replaceWith(subscription: Subscription): boolean
  /** Ends the subscription. Returns the number of the change up to which it has received everything. */
  end(): number
}

/** The caller and connection of a subscription. */
export interface SubscriptionOwner {
  /** The caller as known now, because rights change. */
  identity(): Identity
  readonly transport: Transport
  /** The subscription to replace. Without `since`, the new one continues from its position. */
  readonly replaced?: SubscriptionHandle | undefined
}

/**
 * Resolves once everything up to now has been received.
 *
 * @throws {SvcError} `NOT_FOUND`, `UNAUTHORIZED`, `FORBIDDEN`
 */
export async function subscribe(
  backend: Backend,
  asker: SubscriptionOwner,
  request: SubscribeRequest,
  sink: Sink,
): Promise<void> {
  const { identity, replaced } = asker
  const project = identity().project.id
  const toSight = openSights(request)
  const sight = toSight(await requireGrant(toContext(backend, identity()), request.collection, 'read'))
  const { subscription, handle, follower, happen } = openSubscription(
    backend,
    asker,
    { project, request, toSight, sight },
    sink,
  )

  await follower.follow(sight)
  // For a collection younger than the trimmed changes, everything since its creation may still be kept.
  const since = request.since === 0 ? await selectBirth(backend.db, sight.collection.id) : request.since
  if (since === undefined && replaced?.replaceWith(subscription))
    return happen('begun', { isWhole: true, isReplayed: false })
  const left = replaced?.end()
  await backend.feeds.join(project, subscription, since ?? left).catch((error) => {
    handle.end()
    throw error
  })
  happen('caughtUp', {})
}

interface Viewed {
  readonly project: string
  readonly request: SubscribeRequest
  readonly toSight: (grant: Grant) => Sight
  /** Permissions when the subscription begins. */
  readonly sight: Sight
}

/** Holds the state of a subscription that has not joined its feed yet, and carries out the effects of its transitions. */
function openSubscription(
  backend: Backend,
  { identity, transport }: SubscriptionOwner,
  { project, request, toSight, sight }: Viewed,
  sink: Sink,
) {
  let state: SubscriptionState = { is: 'joining', sight, isFromStart: request.since === 0, isStale: false }

  const subscription: Subscription = {
    ...{ transport, caller: identity().caller.id, collection: sight.collection.id },
    position: 0,
    isOver: () => state.is === 'over' || !transport.isOpen(),
    measureCost: (change) => (state.is === 'over' ? 1 : measureCost(change, request, state.sight)),
    watched: () => (state.is === 'over' ? undefined : state.sight.watched),
    begun: (event) => happen('begun', event),
    receive: (change, links) => happen('changed', { change, links }),
    missed: () => happen('missed', {}),
    live: (seq) => happen('live', { seq }),
  }

  // Whether the caller is a member of linked documents changes the view without a change of its documents.
  const follower = openFollower(backend, { project, subscription, isWanted: request.isLive }, () =>
    happen('membersChanged', {}),
  )

  function happen<Name extends keyof SubscriptionEvents>(name: Name, event: SubscriptionEvents[Name]): void {
    const step = after(state, name, event)
    state = step.state
    for (const effect of step.effects) {
      // The sink may have ended it meanwhile.
      if (state.is === 'over' && step.state.is !== 'over') return
      perform(effect)
    }
  }

  function perform(effect: Effect): void {
    switch (effect.do) {
      case 'begin':
        // Checks rights again, because they may have changed since. From here on each change to them is received.
        sink.begun(subscription.position, handle, handle.review())
        break
      case 'show':
        sink.event(effect.change, effect.kind, effect.collection)
        break
      case 'announce':
        sink.live(effect.seq)
        break
      case 'resync':
        sink.resync(effect.why)
        break
      case 'review':
        void handle.review()
        break
      case 'follow':
        // Not awaited, because joining waits for this check.
        void follower.follow(effect.sight).catch((error) => backend.report('realtime', error))
        break
      case 'leave':
        follower.end()
        backend.feeds.leave(subscription)
        break
      case 'end':
        sink.ended(effect.why)
        break
    }
  }

  const handle: SubscriptionHandle = {
    /** Holds back everything on this connection until its rights are known, however long the database takes. */
    async review() {
      const looked = look()
      transport.hold(looked.then((isSettled) => (isSettled ? undefined : again(look))))
      await looked
    },
    view: () => toView(request, backend.feeds.position(subscription)),
    replaceWith(other) {
      const isReplaced = state.is !== 'over' && backend.feeds.replace(subscription, other)
      if (isReplaced) happen('left', {})
      return isReplaced
    },
    end() {
      const position = backend.feeds.position(subscription)
      happen('left', {})
      return position
    },
  }

  /** Finds what the caller may read now. Returns false if the database did not answer. */
  async function look(): Promise<boolean> {
    // Skips the check for a subscription that was replaced or has ended.
    if (state.is === 'over' || !transport.isOpen()) return true
    const { collection } = state.sight
    try {
      const found = await standing(backend, project, request.collection, collection.id)
      happen('permitted', { sight: toSight(readGrant(identity(), shared(collection, found))) })
    } catch (error) {
      if (subscription.isOver()) return true
      const why = endedBy(backend, error, request.collection)
      if (!why) return false
      happen('refused', { why })
    }
    return true
  }

  return { subscription, handle, follower, happen }
}

async function again(isSettled: () => Promise<boolean>): Promise<void> {
  do await pause(retryMilliseconds)
  while (!(await isSettled()))
}

function toView({ collection, filters = {}, isLive }: SubscribeRequest, position: number): SubscriptionView {
  return { collection, filters, isLive, position }
}

/** Returns what the caller receives, from its grant. */
function openSights(request: SubscribeRequest): (grant: Grant) => Sight {
  const kindsFor = openKinds(request)
  return (grant) => {
    const reception = kindsFor(grant)
    const { collection } = grant
    return { ...reception, collection, watched: watchedBy(reception.open.part), isLive: request.isLive }
  }
}

/**
 * Charges by the size of the text, because it is copied for each stream. Filters and hidden fields require parsing and searching
 * it.
 */
function measureCost(change: Recorded, { where: { all } }: SubscribeRequest, { open }: Sight): number {
  if (all.length === 0 && open.hidden.length === 0 && !open.part)
    return 1 + Math.floor(costOfText(change) / copiesPerSearch)
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
const copiesPerSearch = 4
const testsPerCost = 20

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN` */
function readGrant({ caller }: Identity, collection: StoredCollection): Grant {
  const grant = grantFor(caller, collection)
  requireGranted(grant, 'read')
  return grant
}

/** Prefers the cached object if nothing changed, so that all subscriptions share it. */
function shared(known: StoredCollection, found: StoredCollection): StoredCollection {
  return isDeepStrictEqual(found, known) ? known : found
}

function toContext(backend: Backend, identity: Identity): Context {
  return { ...identity, ...unitFor(backend) }
}

/**
 * Loads the collection without the cache, because this check is not repeated.
 *
 * @throws {SvcError} `NOT_FOUND` if the name now belongs to another collection
 */
async function standing({ db }: Backend, project: string, name: string, id: string): Promise<StoredCollection> {
  const found = await selectCollection(db, project, name)
  if (found?.id !== id) throw plainError('NOT_FOUND')
  return found
}

/** Returns undefined if the database did not answer. */
function endedBy(backend: Backend, error: unknown, name: string): SvcError | undefined {
  const why = asSvcError(error)
  if (why?.code === 'NOT_FOUND') return noLonger(name)
  if (why && why.code !== 'UNAVAILABLE') return why
  backend.report('realtime', error)
  return undefined
}

function noLonger(name: string): SvcError {
  return new SvcError('INVALID_COLLECTION', `The collection "${name.slice(0, 80)}" was deleted or renamed.`)
}
