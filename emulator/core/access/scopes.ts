/** Limits requests to the scopes of their key, whichever user's token comes with it. */

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
 * @param asked the collection as the caller named it, because the key may not be allowed to know its real name
 * @throws {SvcError} `FORBIDDEN` if the caller's key has scopes that don't include the action.
 */
export function requireScope(
  { caller }: Pick<Context, 'caller'>,
  action: ScopeAction,
  collection?: string,
  asked = collection,
): void {
  const scopes = keyScopes(caller)
  if (scopes === null || isInScope(scopes, action, collection)) return
  const where = asked === undefined ? '' : ` in "${asked.slice(0, 80)}"`
  throw new SvcError('FORBIDDEN', `${scopeRefusal} "${action}"${where}.`, [], {
    reason: { kind: 'scope', action, collection: collection ?? null, scopes },
  })
}

/** @throws {SvcError} `FORBIDDEN` if the scopes of the caller's key exclude a collection completely. */
export function requireInScope(ctx: Pick<Context, 'caller'>, collection: string, asked = collection): void {
  if (isOutOfScope(ctx.caller, collection)) requireScope(ctx, 'read', collection, asked)
}

/** Checks whether the scopes of the caller's key exclude a collection completely. */
export function isOutOfScope(caller: Caller, collection: string): boolean {
  const scopes = keyScopes(caller)
  return !scopeActions.some((action) => isInScope(scopes, action, collection))
}

export function mayReadUsers(caller: Caller): boolean {
  return isInScope(keyScopes(caller), 'read')
}

/** Lists the collections that the key can read; undefined for all. */
export function collectionsToRead(caller: Caller): readonly string[] | undefined {
  return collectionsInScope(keyScopes(caller), 'read')
}

export function keyScopes({ key }: Caller): readonly string[] | null {
  return key?.scopes ?? null
}
