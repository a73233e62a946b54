/**
 * The states of a subscription, and what follows from each event in each of them. Contract 9. Whatever the order of events:
 *
 * 1. `begun` comes first, and once.
 * 2. Nothing comes after `ended`, or after the client has left.
 * 3. Each change is shown with the rights that the last review has found.
 * 4. If a change may be missing, or the permissions of a live view have changed, `resync` says so.
 * 5. A client that has received nothing of a replay from the first change is not told to reload after a reset.
 * 6. `live` is announced only after a replay.
 */
import { isDeepStrictEqual } from 'node:util'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Recorded, RecordedDocumentChange } from '../../store/realtime/changes.js'
import { isOfDocument } from './changed-documents.js'
import type { Reception } from './kinds.js'
import { seenWithout, takeBack } from './seen-changes.js'
import type { LinkedMembers, Watched } from './watched.js'

/** The caller's view of the collection, as the last review has found it. */
export interface Sight extends Reception {
  readonly collection: StoredCollection
  readonly watched: Watched | undefined
  /** Whether the subscription feeds a live view. Contract 9.3. */
  readonly isLive: boolean
}

/** It has no position yet. */
interface Joining {
  readonly is: 'joining'
  readonly sight: Sight
  /** Whether it asks for everything since the first change. */
  readonly isFromStart: boolean
  /** Whether a membership has changed meanwhile. */
  readonly isStale: boolean
}

/** It replays everything since the first change, and has received nothing. */
interface Empty {
  readonly is: 'empty'
  readonly sight: Sight
}

interface Receiving {
  readonly is: 'receiving'
  readonly sight: Sight
  readonly isReplayed: boolean
}

interface Over {
  readonly is: 'over'
}

interface States {
  readonly joining: Joining
  readonly empty: Empty
  readonly receiving: Receiving
  readonly over: Over
}

export type SubscriptionState = States[keyof States]

export interface SubscriptionEvents {
  /** It has a position. `isWhole` is false if changes that it asked for are no longer kept. */
  readonly begun: { readonly isWhole: boolean; readonly isReplayed: boolean }
  readonly changed: { readonly change: Recorded; readonly links: LinkedMembers }
  /** Changes were deleted before it received them. */
  readonly missed: object
  /** The connection has received everything up to `seq`. */
  readonly live: { readonly seq: number }
  /** It is in step with the others of its connection. */
  readonly caughtUp: object
  /** A review has found that the caller may read the collection. */
  readonly permitted: { readonly sight: Sight }
  /** A review has found that the caller may not, or that the collection is gone. */
  readonly refused: { readonly why: SvcError }
  /** The caller has become or is no longer a member of a linked document. */
  readonly membersChanged: object
  /** The client has ended or replaced it. */
  readonly left: object
}

/** A call to the sink, the feed or the database. */
export type Effect =
  | { readonly do: 'begin' }
  | {
      readonly do: 'show'
      readonly change: RecordedDocumentChange
      readonly kind: RecordedDocumentChange['kind']
      readonly collection: StoredCollection
    }
  | { readonly do: 'announce'; readonly seq: number }
  | { readonly do: 'resync'; readonly why: SvcError }
  /** Checks the rights again, and shows nothing before they are known. */
  | { readonly do: 'review' }
  /** Follows the linked documents that decide what the caller may read. */
  | { readonly do: 'follow'; readonly sight: Sight }
  | { readonly do: 'leave' }
  | { readonly do: 'end'; readonly why: SvcError }

interface Step {
  readonly state: SubscriptionState
  readonly effects: readonly Effect[]
}

type Transitions<State> = {
  readonly [Name in keyof SubscriptionEvents]: (state: State, event: SubscriptionEvents[Name]) => Step
}

const stay = (state: SubscriptionState): Step => ({ state, effects: [] })
const stop = (...effects: Effect[]): Step => ({ state: { is: 'over' }, effects: [{ do: 'leave' }, ...effects] })

const ending = {
  refused: (_: SubscriptionState, { why }: SubscriptionEvents['refused']) => stop({ do: 'end', why }),
  left: () => stop(),
}

function receiving(state: Empty | Receiving): Receiving {
  return state.is === 'empty' ? { is: 'receiving', sight: state.sight, isReplayed: true } : state
}

const open = {
  ...ending,
  begun: stay,
  // The missed messages may include changes to the collection itself.
  missed: (state: Empty | Receiving): Step => ({ state: receiving(state), effects: [missing(), { do: 'review' }] }),
  permitted: (state: Empty | Receiving, { sight }: SubscriptionEvents['permitted']): Step => {
    const follow: Effect = { do: 'follow', sight }
    // Changes in permissions produce no events for documents, so a live view has to reload.
    const isOther = sight.isLive && !isDeepStrictEqual(sight.open, state.sight.open)
    return { state: { ...state, sight }, effects: isOther ? [follow, permissionsChanged()] : [follow] }
  },
  membersChanged: (state: Empty | Receiving): Step => ({ state, effects: [permissionsChanged()] }),
}

const transitions: { readonly [Is in keyof States]: Transitions<States[Is]> } = {
  joining: {
    ...ending,
    begun({ sight, isFromStart, isStale }, { isWhole, isReplayed }) {
      const state: SubscriptionState =
        isFromStart && isWhole ? { is: 'empty', sight } : { is: 'receiving', sight, isReplayed }
      const lost = isWhole ? [] : [missing()]
      return { state, effects: [{ do: 'begin' }, ...lost, ...(isStale ? [permissionsChanged()] : [])] }
    },
    membersChanged: (state) => stay({ ...state, isStale: true }),
    ...{ changed: stay, missed: stay, live: stay, caughtUp: stay, permitted: stay },
  },
  empty: {
    ...open,
    changed(state, { change, links }) {
      if (!isOfDocument(change)) return { state, effects: [{ do: 'review' }] }
      return { state: receiving(state), effects: show(state.sight, change, links) }
    },
    live: (state, { seq }) => ({ state, effects: [{ do: 'announce', seq }] }),
    caughtUp: (state) => stay(receiving(state)),
  },
  receiving: {
    ...open,
    changed(state, { change, links }) {
      if (isOfDocument(change)) return { state, effects: show(state.sight, change, links) }
      const review: Effect = { do: 'review' }
      return { state, effects: change.kind === 'reset' ? [missing(), review] : [review] }
    },
    live: (state, { seq }) => ({ state, effects: state.isReplayed ? [{ do: 'announce', seq }] : [] }),
    caughtUp: stay,
  },
  over: {
    ...{ begun: stay, changed: stay, missed: stay, live: stay, caughtUp: stay },
    ...{ permitted: stay, refused: stay, membersChanged: stay, left: stay },
  },
}

/** Returns the state after an event, and what is to be done. Changes nothing itself. */
export function after<Name extends keyof SubscriptionEvents>(
  state: SubscriptionState,
  name: Name,
  event: SubscriptionEvents[Name],
): Step {
  return dispatch(state.is, state, name, event)
}

function dispatch<Is extends keyof States, Name extends keyof SubscriptionEvents>(
  is: Is,
  state: States[Is],
  name: Name,
  event: SubscriptionEvents[Name],
): Step {
  const events: Transitions<States[Is]> = transitions[is]
  return events[name](state, event)
}

/** Takes the document away from a caller who may no longer see it, and leaves out hidden fields. */
function show(sight: Sight, change: RecordedDocumentChange, links: LinkedMembers): readonly Effect[] {
  const kind = sight.kindOf(change, links)
  if (!kind) return []
  const shown = seenWithout(sight.mayShow(change, links) ? change : takeBack(change), sight.open.hidden)
  return [{ do: 'show', change: shown, kind, collection: sight.collection }]
}

function missing(): Effect {
  return { do: 'resync', why: plainError('RESYNC') }
}

function permissionsChanged(): Effect {
  const why = new SvcError('RESYNC', 'Your permissions for this collection have changed. Read it again.')
  return { do: 'resync', why }
}
