/** Keeps the login in the app's store, and notifies listeners of changes. */
import { later } from '../later.js'
import type { Fields } from '../protocol/model/document.js'
import { parseObject } from '../protocol/model/json.js'
import type { AppUser } from '../protocol/model/user.js'

/** A signed-in user and their token. */
export interface SignedIn<Data = Fields> {
  readonly token: string
  readonly user: AppUser<Data>
}

/** Stores a session, for example in memory, in `localStorage` or in a file. The text is null while no user is signed in. */
export interface SessionStore {
  read(): string | null | undefined | Promise<string | null | undefined>
  write(text: string | null): void | Promise<void>
  /** Calls back when another page writes. Without it, only new clients notice a login or logout in another page. */
  watch?(changed: () => void): void
}

/**
 * Stores the session in the browser's `localStorage`, or in the storage given. If storage is not available, the login lives
 * as long as the client. On a server, create a client for each request: a shared client would act as one user for all.
 *
 * @example
 * const openInPage = () => createClient({ url, apiKey, session: webStore() })
 */
export function webStore(name = 'svc-session', storage?: Storage): SessionStore {
  const kept = <Value>(use: (storage: Storage) => Value) => {
    try {
      return use(storage ?? localStorage)
    } catch {}
  }
  return {
    read: () => kept((storage) => storage.getItem(name)),
    write: (text) =>
      kept((storage) => {
        try {
          if (text) return storage.setItem(name, text)
        } catch {}
        // If storage is full, removes the old session, which may belong to another user.
        storage.removeItem(name)
      }),
    // Browsers notify all pages except the one that wrote.
    watch: (changed) =>
      globalThis.addEventListener?.('storage', ({ key, storageArea }: Partial<StorageEvent>) => {
        if (kept((own) => own === storageArea) && (key ?? name) === name) changed()
      }),
  }
}

/** @param isSame true if only the token or the user's data changed, not the login */
type ChangeListener = (session: SignedIn | undefined, isSame?: boolean) => unknown

export interface AuthState {
  current(): Promise<SignedIn | undefined>
  /** Begins a login or logout and returns a function that finishes it. Ignores it if a later one has already finished. */
  begin(): (session: SignedIn | undefined) => Promise<unknown>
  /** Updates the matching login, or ends it. Keeps a session that another page has stored since. */
  amend(isMeant: (known: SignedIn) => boolean, changes?: Partial<SignedIn>): Promise<unknown>
  onChange(listener: ChangeListener): () => void
}

export function openAuthState(store?: SessionStore): AuthState {
  const listeners = new Set<ChangeListener>()
  let known: Promise<SignedIn | undefined> | undefined
  let written: Promise<unknown> = Promise.resolve()
  let begun = 0
  let newest = 0

  /** Returns undefined if the stored text is not a session. */
  async function read() {
    const session: Partial<SignedIn> = parseObject((await store?.read()) ?? '')
    return session.user && (session as SignedIn)
  }

  /** Caches the session. If the store fails, the next request reads again. */
  function current() {
    known ??= read()
    const asked = known
    asked.catch(() => {
      if (known === asked) known = undefined
    })
    return asked
  }

  /** Notifies listeners even if the store fails. Writes run one after another, because overlapping ones could finish in any order. */
  function put(session: SignedIn | undefined, isSame?: boolean, isStored?: boolean) {
    known = Promise.resolve(session)
    for (const listener of listeners) later(() => listeners.has(listener) && listener(session, isSame))
    const write = () => isStored || store?.write(session ? JSON.stringify(session) : null)
    written = written.then(write, write)
    return written
  }

  /** Takes over the session that another page has stored, or its logout. */
  store?.watch?.(async () => {
    const before = await current().catch(() => undefined)
    const next = await read()
    if (next?.token !== before?.token) await put(next, next?.user.id === before?.user.id, true)
  })

  return {
    current,
    begin() {
      const turn = ++begun
      return async (session) => {
        if (turn < newest) return
        newest = turn
        await put(session)
      }
    },
    async amend(isMeant, changes) {
      const before = current()
      const mine = await before
      if (!mine || !isMeant(mine)) return
      const kept = store ? await read() : mine
      // Starts over if the session changed in the meantime. A new login or logout then no longer matches.
      if (known !== before) return this.amend(isMeant, changes)
      const next = changes && { ...mine, ...changes }
      const isOurs = kept?.token === mine.token
      return put(isOurs ? next : (next ?? kept), Boolean(next), !isOurs)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Tells whether a token is in the last quarter of its lifetime or has expired. False if the token does not say. */
export function isOld(token: string): boolean {
  try {
    const { iat, exp } = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
    return (exp - Date.now() / 1_000) / (exp - iat) < 0.25
  } catch {
    return false
  }
}
