/** What the scopes of a key leave of what its kind may do. Whichever user's token stands beside it, the request stays within them. */

import {
  collectionsInScope,
  isInScope,
  type ScopeAction,
  scopeActions,
  scopeRefusal,
} from '../../../client/protocol/model/access/key-scope.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Caller, Context } from '../context.js'

/**
 * @param asked the name or id that the caller gave for the collection: the one that was found may be nothing that the key may know
 * @throws {SvcError} `FORBIDDEN` where the caller's key has scopes, and none of them names that.
 */
export function requireScope(
  { caller }: Pick<Context, 'caller'>,
  action: ScopeAction,
  collection?: string,
  asked = collection,
): void {
  const scopes = scopesOf(caller)
  if (scopes === null || isInScope(scopes, action, collection)) return
  const where = asked === undefined ? '' : ` in "${asked.slice(0, 80)}"`
  throw new SvcError('FORBIDDEN', `${scopeRefusal} "${action}"${where}.`, [], {
    reason: { kind: 'scope', action, collection: collection ?? null, scopes },
  })
}

/** @throws {SvcError} `FORBIDDEN` where the scopes of the caller's key leave a collection out altogether. */
export function requireInScope(ctx: Pick<Context, 'caller'>, collection: string, asked = collection): void {
  if (isOutOfScope(ctx.caller, collection)) requireScope(ctx, 'read', collection, asked)
}

/** Whether the caller's key has scopes that leave a collection out altogether. */
export function isOutOfScope(caller: Caller, collection: string): boolean {
  const scopes = scopesOf(caller)
  return !scopeActions.some((action) => isInScope(scopes, action, collection))
}

export function mayReadUsers(caller: Caller): boolean {
  return isInScope(scopesOf(caller), 'read')
}

/** The names of the collections that the key may read; undefined for all of them. */
export function collectionsToRead(caller: Caller): readonly string[] | undefined {
  return collectionsInScope(scopesOf(caller), 'read')
}

export function scopesOf({ key }: Caller): readonly string[] | null {
  return key?.scopes ?? null
}
