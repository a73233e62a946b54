/** Looks up the members of linked documents, on which the permissions of subscribers depend. Contract 13.9. */
import type { Membership } from '../../../client/protocol/model/access/member-word.js'
import { type StoredCollection, usersWord } from '../../../client/protocol/model/collection.js'
import { type Fields, isId } from '../../../client/protocol/model/document.js'
import type { Database } from '../../database/port.js'
import { selectCollection } from '../../store/collections.js'
import { type Covered, type LinkedDocument, selectLinkedMembers } from '../../store/memberships.js'
import type { Recorded, RecordedDocumentChange } from '../../store/realtime/changes.js'
import { listsUser, nameLink, readField } from '../access/memberships.js'
import type { Backend } from '../context.js'
import type { FeedConnection, Listener } from './connections.js'
import { type LinkedMembers, parseCurrent, parseFormer } from './kinds.js'

/** The links on which a subscriber's permission depends. */
export interface Watched {
  readonly user: string
  readonly links: readonly Link[]
}

type Link = Pick<LinkedDocument, 'link' | 'field'>

const noLinks: LinkedMembers = new Map()

export function watchedBy(part: Covered | undefined): Watched | undefined {
  const links = linksIn(part?.members ?? [])
  return part && links.length > 0 ? { user: part.user, links } : undefined
}

function linksIn(members: readonly Membership[]): readonly Link[] {
  return members.flatMap(({ link, field }) => (link === undefined ? [] : [{ link, field }]))
}

export function* listenersIn(connections: Iterable<FeedConnection>): Iterable<Listener> {
  for (const { listeners } of connections) for (const some of listeners.values()) yield* some
}

/** The users and links of one collection. */
interface Interest {
  readonly users: Set<string>
  readonly links: Map<string, Link>
}

/**
 * Returns the current members of the documents that changed documents link to, among the subscribed users. One query for
 * each collection with such permissions, none for others.
 */
export async function selectLinks(
  db: Database,
  changes: readonly Recorded[],
  listeners: Iterable<Listener>,
): Promise<LinkedMembers> {
  if (changes.length === 0) return noLinks
  const interests = collectInterests(listeners)
  if (interests.size === 0) return noLinks
  const found = new Map<string, Set<string>>()
  for (const [collection, { users, links }] of interests) {
    const linked = linkedIn(changes, collection, [...links.values()])
    for (const { user, ...one } of await selectLinkedMembers(db, collection, linked, [...users])) {
      const name = nameLink(one)
      found.set(name, (found.get(name) ?? new Set()).add(user))
    }
  }
  return found
}

function collectInterests(listeners: Iterable<Listener>): ReadonlyMap<string, Interest> {
  const interests = new Map<string, Interest>()
  for (const listener of listeners) {
    const watched = listener.watched?.()
    if (!watched) continue
    const { users, links } = interests.get(listener.collection) ?? { users: new Set(), links: new Map() }
    users.add(watched.user)
    for (const link of watched.links) links.set(JSON.stringify([link.link, link.field]), link)
    interests.set(listener.collection, { users, links })
  }
  return interests
}

function linkedIn(changes: readonly Recorded[], collection: string, links: readonly Link[]): LinkedDocument[] {
  const linked = new Map<string, LinkedDocument>()
  for (const change of changes) {
    if (change.collection !== collection || !isOfDocument(change)) continue
    for (const fields of statesIn(change)) {
      for (const { link, field } of links) {
        const id = readField(fields, link)
        if (typeof id === 'string' && isId(id)) linked.set(nameLink({ link, field, id }), { link, field, id })
      }
    }
  }
  return [...linked.values()]
}

function statesIn(change: RecordedDocumentChange): readonly Fields[] {
  const { before } = change
  return [parseCurrent(change).data, ...(before ? [parseFormer(change, before).data] : [])]
}

function isOfDocument(change: Recorded): change is RecordedDocumentChange {
  return change.kind !== 'collection' && change.kind !== 'reset'
}

interface Follower {
  /** Follows the collections that the schema names for the links, besides those that it follows already. */
  follow(collection: StoredCollection, watched: Watched | undefined): Promise<void>
  end(): void
}

interface FollowOptions {
  readonly project: string
  readonly listener: Listener
  readonly isWanted: boolean
}

/** Watches the linked documents of a subscription, and reports when the user becomes a member or stops being one. */
export function openFollower(
  backend: Backend,
  { project, listener, isWanted }: FollowOptions,
  changed: () => void,
): Follower {
  const followed = new Map<string, Listener>()
  let hasEnded = false

  function end(): void {
    hasEnded = true
    for (const one of followed.values()) backend.feeds.leave(one)
    followed.clear()
  }

  return {
    async follow(collection, watched) {
      if (!watched || !isWanted) return
      for (const { link, field } of watched.links) {
        const target = await findTarget(backend.db, project, collection, link)
        const name = JSON.stringify([target, field])
        if (target === undefined || followed.has(name) || hasEnded || listener.isOver()) continue
        const follower = followerFor({ listener, collection: target, field, user: watched.user }, changed)
        followed.set(name, follower)
        await backend.feeds.join(project, follower, undefined)
      }
    },
    end,
  }
}

interface FollowerOptions {
  readonly listener: Listener
  readonly collection: string
  readonly field: string
  readonly user: string
}

function followerFor({ listener, collection, field, user }: FollowerOptions, changed: () => void): Listener {
  const { subscriber, caller, isOver } = listener
  return {
    ...{ subscriber, caller, isOver, collection },
    position: 0,
    isFollower: true,
    begun: () => undefined,
    live: () => undefined,
    missed: changed,
    measureCost: () => 1,
    receive(change) {
      if (!isOfDocument(change)) return changed()
      const isListed = (fields: Fields) => listsUser(readField(fields, field), user)
      const [now = false, before = change.kind === 'updated' ? now : false] = statesIn(change).map(isListed)
      if (change.kind === 'updated' ? now !== before : now) changed()
    },
  }
}

/** Returns the id of the collection that the schema names for a link. */
async function findTarget(
  db: Database,
  project: string,
  { schema }: StoredCollection,
  link: string,
): Promise<string | undefined> {
  const to = Object.hasOwn(schema, link) ? schema[link]?.to : undefined
  if (to === undefined || to === usersWord) return undefined
  return (await selectCollection(db, project, to))?.id
}
