/** The filter `created_by=me`, where permissions ask who created a document. Elsewhere it is a field of the data. Decision 71. */

import { userRefusal } from '../../../client/protocol/model/access/user-refusal.js'
import { ownerWord, permissionKinds } from '../../../client/protocol/model/collection.js'
import { isId } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Clause, Test, Where } from '../../../client/protocol/model/where.js'
import { noCreator } from '../../store/creators.js'
import type { Caller } from '../context.js'
import { requireVisibleFilter } from './closed-fields.js'
import { creatorFor, type Grant } from './grant.js'

/** What a caller may find of what a filter asks for: the rest of it, among the documents of one creator or of all. */
export interface Findable {
  readonly where: Where
  readonly creator: string | undefined
}

/** @throws {SvcError} `INVALID_FILTER`, `UNAUTHORIZED`, `FORBIDDEN`, also for a filter on a field that is hidden from the caller */
export function findable(grant: Grant, where: Where): Findable {
  const { caller } = grant
  const own = creatorFor(grant, 'read')
  requireVisibleFilter(grant, where)
  if (!asksForOwner(grant)) return { where, creator: own }
  const asked = where.all.filter(({ any }) => any.some(isCreator))
  if (asked.length === 0) return { where, creator: own }
  const creators = new Set(asked.map((clause) => creatorIn(caller, clause)))
  if (own !== undefined) creators.add(own)
  const [creator = noCreator, another] = creators
  // No document has two creators.
  return {
    where: { all: where.all.filter((clause) => !asked.includes(clause)) },
    creator: another ? noCreator : creator,
  }
}

/** Tells whether `created_by` is the creator here. Without the word `owner` it is a field like any other. */
function asksForOwner({ collection: { permissions } }: Grant): boolean {
  return permissionKinds.some((kind) => permissions[kind]?.includes(ownerWord))
}

function isCreator({ path }: Test): boolean {
  return path.length === 1 && (path[0] === 'created_by' || path[0] === 'createdBy')
}

function creatorIn({ user, secret }: Caller, { any: [test, another] }: Clause): string {
  if (!test || another || test.operator !== 'eq') {
    throw new SvcError('INVALID_FILTER', '"created_by" takes "me" alone: no other operator, and no [or].')
  }
  if (test.value === 'me' || test.value === user?.id) {
    if (user) return user.id
    const reason = { kind: 'caller', needs: 'user' } as const
    throw new SvcError('UNAUTHORIZED', `"created_by=me" finds a user's own documents. ${userRefusal}`, [], { reason })
  }
  if (secret) return isId(test.value) ? test.value : noCreator
  const reason = { kind: 'caller', needs: 'secret key' } as const
  throw new SvcError('FORBIDDEN', '"created_by" takes "me"; another user\'s id takes the secret key.', [], { reason })
}
