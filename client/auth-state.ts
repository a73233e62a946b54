/** Who is signed in: kept where the app wants it, and told to who asks. */
import type { Fields } from './model/document.js'
import { parseObject } from './model/json.js'
import type { AppUser } from './model/user.js'

/** A user and the token that speaks for them. */
export interface SignedIn<Data = Fields> {
  readonly token: string
  readonly user: AppUser<Data>
}

/** Where a session is kept: in memory, in `localStorage`, in a file. It is one text, and nothing when nobody is signed in. */
export interface SessionStore {
  read(): string | null | undefined | Promise<string | null | undefined>
  write(text: string | null): void | Promise<void>
}

/** A store in the browser's `localStorage`, or in another of its kind: `createClient({ …, session: webStore() })`. */
export function webStore(name = 'svc-session', storage: Storage = localStorage): SessionStore {
  return {
    read: () => storage.getItem(name),
    write: (text) => (text === null ? storage.removeItem(name) : storage.setItem(name, text)),
  }
}

type ChangeListener = (session: SignedIn | undefined) => void

export interface AuthState {
  current(): Promise<SignedIn | undefined>
  put(session: SignedIn | undefined): Promise<void>
  /** Forgets the login of a token that is over; a newer one stays, also one that another page has put into the store. */
  drop(token: string): Promise<void>
  onChange(listener: ChangeListener): () => void
}

export function openAuthState(store?: SessionStore): AuthState {
  const listeners = new Set<ChangeListener>()
  let known: Promise<SignedIn | undefined> | undefined

  function current() {
    known ??= Promise.resolve(store?.read()).then(parse)
    return known
  }

  function tell(session: SignedIn | undefined) {
    for (const listener of listeners) listener(session)
  }

  async function put(session: SignedIn | undefined) {
    known = Promise.resolve(session)
    await store?.write(session ? JSON.stringify(session) : null)
    tell(session)
  }

  return {
    current,
    put,
    async drop(token) {
      if ((await current())?.token !== token) return
      known = undefined
      const kept = await current()
      if (kept?.token === token) await put(undefined)
      else tell(kept)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What is no session of ours is none. */
function parse(text: string | null | undefined): SignedIn | undefined {
  const session = parseObject(text ?? '')
  return session.token && session.user ? (session as unknown as SignedIn) : undefined
}

/** The part of its life that a token has left, from 1 to 0 and below; 1 where that cannot be told. */
export function lifeLeft(token: string): number {
  try {
    const { iat, exp } = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
    return (exp - Date.now() / 1_000) / (exp - iat)
  } catch {
    return 1
  }
}
