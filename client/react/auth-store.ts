/** Who is signed in, for components. */
import type { SignedIn } from '../auth/auth-state.js'
import type { Client } from '../index.js'

interface AuthShown {
  readonly user: SignedIn['user'] | undefined
  readonly isLoading: boolean
}

interface AuthStore {
  state(): AuthShown
  serverState(): AuthShown
  subscribe(listener: () => void): () => void
}

const unknown: AuthShown = { user: undefined, isLoading: true }
const stores = new WeakMap<object, AuthStore>()

export function authStore({ auth }: Pick<Client, 'auth'>): AuthStore {
  const known = stores.get(auth)
  if (known) return known
  let shown = unknown
  const listeners = new Set<() => void>()
  const show = (session: SignedIn | undefined) => {
    if (!shown.isLoading && shown.user === session?.user) return
    shown = { user: session?.user, isLoading: false }
    for (const listener of listeners) listener()
  }
  let leave: (() => void) | undefined
  const store: AuthStore = {
    state: () => shown,
    serverState: () => unknown,
    subscribe(listener) {
      listeners.add(listener)
      if (!leave) {
        leave = auth.onChange(show)
        void auth.session().then(show, () => show(undefined))
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        leave?.()
        leave = undefined
      }
    },
  }
  stores.set(auth, store)
  return store
}
