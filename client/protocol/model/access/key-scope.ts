/** What a key with scopes is good for. A key without any does all that its kind allows. Decision 71. */

export const scopeActions = ['read', 'write', 'admin'] as const
export type ScopeAction = (typeof scopeActions)[number]

/** How a refusal by scopes begins. No role and no user helps there. */
export const scopeRefusal = 'The scopes of the key do not include'

/** `read`, or `read:posts` for one collection, by its name. */
export const scopeForm = /^(?:read|write|admin)(?::[A-Za-z][A-Za-z0-9_-]{0,62})?$/
export const mostScopes = 100

/**
 * Whether the scopes name that action, in that collection or, where none is given, in the whole project. `admin` includes
 * `read` and `write`; `write` does not include `read`.
 */
export function isInScope(scopes: readonly string[] | null, action: ScopeAction, collection?: string): boolean {
  if (scopes === null) return true
  return covering(action).some(
    (one) => scopes.includes(one) || (collection !== undefined && scopes.includes(`${one}:${collection}`)),
  )
}

/** The collections in which the scopes name that action; undefined where they name the whole project. */
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
