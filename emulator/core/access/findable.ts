/**
 * Handles the filter `created_by=me` in collections with `owner` permissions. Elsewhere `created_by` is an ordinary
 * field. Decision 71.
 */

import { userRefusal } from '../../../client/protocol/model/access/user-refusal.js'
import { ownerWord, permissionKinds } from '../../../client/protocol/model/collection.js'
import { isId } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Clause, Test, Where } from '../../../client/protocol/model/where.js'
import { noCreator } from '../../store/creators.js'
import { type Covered, isOfCreatorAlone } from '../../store/memberships.js'
import type { Caller } from '../context.js'
import { requireVisibleFilter } from './closed-fields.js'
import { type Grant, partFor } from './grant.js'

/** The documents that a caller can find: those of one creator or all, a part of these, and the rest of the filter. */
export interface Findable {
  readonly where: Where
  readonly creator: string | undefined
  /** Undefined if the permission depends on the creator alone, or covers all documents. */
  readonly part: Covered | undefined
}

/** @throws {SvcError} `INVALID_FILTER`, `UNAUTHORIZED`, `FORBIDDEN`, also for a filter on a hidden field */
export function findable(grant: Grant, where: Where): Findable {
  const { caller } = grant
  const reach = partFor(grant, 'read')
  const part = reach && !isOfCreatorAlone(reach) ? reach : undefined
  const own = part ? undefined : reach?.user
  requireVisibleFilter(grant, where)
  if (!usesOwner(grant)) return { where, creator: own, part }
  const asked = where.all.filter(({ any }) => any.some(isCreator))
  if (asked.length === 0) return { where, creator: own, part }
  const creators = new Set(asked.map((clause) => creatorIn(caller, clause)))
  if (own !== undefined) creators.add(own)
  const [creator = noCreator, another] = creators
  // Matches nothing if the filter and the permission name different creators.
  return {
    where: { all: where.all.filter((clause) => !asked.includes(clause)) },
    creator: another ? noCreator : creator,
    part,
  }
}

/** Tells whether `created_by` means the creator here. Without `owner` permissions it is an ordinary field. */
function usesOwner({ collection: { permissions } }: Grant): boolean {
  return permissionKinds.some((kind) => permissions[kind]?.includes(ownerWord))
}

function isCreator({ path }: Test): boolean {
  return path.length === 1 && (path[0] === 'created_by' || path[0] === 'createdBy')
}

function creatorIn({ user, secret }: Caller, { any: [test, another] }: Clause): string {
  if (!test || another || test.operator !== 'eq') {
    throw new SvcError(
      'INVALID_FILTER',
      'Use "created_by" only as created_by=me, without another operator and outside [or].',
    )
  }
  if (test.value === 'me' || test.value === user?.id) {
    if (user) return user.id
    const reason = { kind: 'caller', needs: 'user' } as const
    throw new SvcError('UNAUTHORIZED', `"created_by=me" finds a user's own documents. ${userRefusal}`, [], { reason })
  }
  if (secret) return isId(test.value) ? test.value : noCreator
  const reason = { kind: 'caller', needs: 'secret key' } as const
  throw new SvcError('FORBIDDEN', "Use created_by=me. Only the secret key can filter by another user's id.", [], {
    reason,
  })
}
