/** Checks the scopes of keys. A key without scopes can do everything that its kind allows. Decision 71. */

export const scopeActions = ['read', 'write', 'admin'] as const
export type ScopeAction = (typeof scopeActions)[number]

/** Starts every refusal by scopes. A role or a user would not help there. */
export const scopeRefusal = 'The scopes of the key do not include'

/** Matches `read`, or `read:posts` for one collection by name. */
export const scopeForm = /^(?:read|write|admin)(?::[A-Za-z][A-Za-z0-9_-]{0,62})?$/
export const maxScopes = 100

/**
 * Tells whether the scopes allow an action in a collection or, without one, in the whole project. `admin` includes `read`
 * and `write`; `write` does not include `read`.
 */
export function isInScope(scopes: readonly string[] | null, action: ScopeAction, collection?: string): boolean {
  if (scopes === null) return true
  return covering(action).some(
    (one) => scopes.includes(one) || (collection !== undefined && scopes.includes(`${one}:${collection}`)),
  )
}

/** Lists the collections in which the scopes allow an action; undefined for the whole project. */
export function collectionsInScope(
  scopes: readonly string[] | null,
  action: ScopeAction,
): readonly string[] | undefined {
  if (scopes === null || isInScope(scopes, action)) return undefined
  return scopes.flatMap((scope) => {
    const [one, collection] = scope.split(':')
    return collection !== undefined && covering(action).some((other) => other === one) ? [collection] : []
  })
}

function covering(action: ScopeAction): readonly ScopeAction[] {
  return action === 'admin' ? ['admin'] : [action, 'admin']
}
