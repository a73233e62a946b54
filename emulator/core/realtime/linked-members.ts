/** Looks up the members of linked documents, on which the permissions of subscribers depend. Contract 13.9. */
import { isId } from '../../../client/protocol/model/document.js'
import { readField } from '../../../client/protocol/model/json.js'
import type { Database } from '../../database/port.js'
import { type LinkedDocument, nameLink, selectLinkedMembers } from '../../store/memberships.js'
import type { Recorded } from '../../store/realtime/changes.js'
import { isOfDocument, parseStates } from './changed-documents.js'
import type { FeedConnection, Subscription } from './connections.js'
import type { Link, LinkedMembers } from './watched.js'

const noLinks: LinkedMembers = new Map()

/** Returns a list, because nested generators would take a twentieth of the time of a delivery. */
export function subscriptionsIn(connections: Iterable<FeedConnection>): readonly Subscription[] {
  const all: Subscription[] = []
  for (const { subscriptions } of connections)
    for (const some of subscriptions.values()) for (const subscription of some) all.push(subscription)
  return all
}

/** The users and links of one collection. */
interface Interest {
  readonly users: Set<string>
  readonly links: Map<string, Link>
}

/**
 * Runs `deliver` with the current members of the documents that changed documents link to, among the subscribed users.
 * One query for each collection with such permissions. Without any, calls it at once.
 */
export function withLinks<Result>(
  db: Database,
  changes: readonly Recorded[],
  subscriptions: readonly Subscription[],
  deliver: (links: LinkedMembers) => Promise<Result>,
): Promise<Result> {
  const interests = collectInterests(subscriptions)
  return interests.size === 0 ? deliver(noLinks) : selectLinks(db, changes, interests).then(deliver)
}

async function selectLinks(
  db: Database,
  changes: readonly Recorded[],
  interests: ReadonlyMap<string, Interest>,
): Promise<LinkedMembers> {
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

function collectInterests(subscriptions: readonly Subscription[]): ReadonlyMap<string, Interest> {
  const interests = new Map<string, Interest>()
  for (const subscription of subscriptions) {
    const watched = subscription.watched?.()
    if (!watched) continue
    const { users, links } = interests.get(subscription.collection) ?? { users: new Set(), links: new Map() }
    users.add(watched.user)
    for (const link of watched.links) links.set(JSON.stringify([link.link, link.field]), link)
    interests.set(subscription.collection, { users, links })
  }
  return interests
}

function linkedIn(changes: readonly Recorded[], collection: string, links: readonly Link[]): LinkedDocument[] {
  const linked = new Map<string, LinkedDocument>()
  for (const change of changes) {
    if (change.collection !== collection || !isOfDocument(change)) continue
    for (const fields of parseStates(change)) {
      for (const { link, field } of links) {
        const id = readField(fields, link)
        if (typeof id === 'string' && isId(id)) linked.set(nameLink({ link, field, id }), { link, field, id })
      }
    }
  }
  return [...linked.values()]
}
