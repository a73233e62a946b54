/** Follows the linked documents on which a subscription depends. Contract 13.9. */
import { listsUser } from '../../../client/protocol/model/access/member-word.js'
import { type StoredCollection, usersWord } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { readField } from '../../../client/protocol/model/json.js'
import type { Database } from '../../database/port.js'
import { selectCollection, selectCollectionIds } from '../../store/collections.js'
import type { Backend } from '../context.js'
import { isOfDocument, parseStates } from './changed-documents.js'
import type { Subscription } from './connections.js'
import type { Watched } from './watched.js'

interface Follower {
  /** Follows the collections that the schema names for the links, besides those that it follows already. */
  follow(sight: { readonly collection: StoredCollection; readonly watched: Watched | undefined }): Promise<void>
  end(): void
}

interface FollowOptions {
  readonly project: string
  readonly subscription: Subscription
  readonly isWanted: boolean
}

/** Watches the linked documents of a subscription, and reports when the user becomes a member or stops being one. */
export function openFollower(
  backend: Backend,
  { project, subscription, isWanted }: FollowOptions,
  changed: () => void,
): Follower {
  const followed = new Map<string, Subscription>()
  let hasEnded = false

  function end(): void {
    hasEnded = true
    for (const one of followed.values()) backend.feeds.leave(one)
    followed.clear()
  }

  return {
    async follow({ collection, watched }) {
      if (!watched || !isWanted) return
      for (const { link, field } of watched.links) {
        for (const target of await findTargets(backend.db, project, collection, link)) {
          const name = JSON.stringify([target, field])
          if (followed.has(name) || hasEnded || subscription.isOver()) continue
          const follower = followerFor({ subscription, collection: target, field, user: watched.user }, changed)
          followed.set(name, follower)
          await backend.feeds.join(project, follower, undefined)
        }
      }
    },
    end,
  }
}

interface FollowerOptions {
  readonly subscription: Subscription
  readonly collection: string
  readonly field: string
  readonly user: string
}

function followerFor({ subscription, collection, field, user }: FollowerOptions, changed: () => void): Subscription {
  const { transport, caller, isOver } = subscription
  return {
    ...{ transport, caller, isOver, collection },
    position: 0,
    isFollower: true,
    begun: () => undefined,
    live: () => undefined,
    missed: changed,
    measureCost: () => 1,
    receive(change) {
      if (!isOfDocument(change)) return changed()
      const isListed = (fields: Fields) => listsUser(readField(fields, field), user)
      const [now = false, before = change.kind === 'updated' ? now : false] = parseStates(change).map(isListed)
      if (change.kind === 'updated' ? now !== before : now) changed()
    },
  }
}

/** Chosen by us: each live view follows them. */
const maxFollowed = 100

/**
 * Returns the id of the collection that the schema names for a link. Without a rule, the link can lead to any collection
 * of the project, so that the oldest are followed.
 */
async function findTargets(
  db: Database,
  project: string,
  { schema }: StoredCollection,
  link: string,
): Promise<readonly string[]> {
  const to = Object.hasOwn(schema, link) ? schema[link]?.to : undefined
  if (to === undefined) return selectCollectionIds(db, project, maxFollowed)
  const target = to === usersWord ? undefined : await selectCollection(db, project, to)
  return target ? [target.id] : []
}
