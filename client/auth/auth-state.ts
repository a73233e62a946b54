/** Who is signed in: kept where the app wants it, with callbacks at each change. */
import { later } from '../later.js'
import type { Fields } from '../protocol/model/document.js'
import { parseObject } from '../protocol/model/json.js'
import type { AppUser } from '../protocol/model/user.js'

/** A user and the token that speaks for them. */
export interface SignedIn<Data = Fields> {
  readonly token: string
  readonly user: AppUser<Data>
}

/** Where a session is kept: in memory, in `localStorage`, in a file. It is one text, and nothing while no user is signed in. */
export interface SessionStore {
  read(): string | null | undefined | Promise<string | null | undefined>
  write(text: string | null): void | Promise<void>
  /** Calls back when another page has written. Left out, a login or logout elsewhere is noticed by the next client that is made. */
  watch?(changed: () => void): void
}

/**
 * A store in the browser's `localStorage`, or in another of its kind. Where there is none, or the browser keeps no data of the page,
 * a login lives as long as the client. On a server make a client for each request: one that is shared acts for all as who is logged in.
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
        // Where there is no room for a login, none of another user stays.
        storage.removeItem(name)
      }),
    // Browsers tell all pages but the one that has written.
    watch: (changed) =>
      globalThis.addEventListener?.('storage', ({ key, storageArea }: Partial<StorageEvent>) => {
        if (kept((own) => own === storageArea) && (key ?? name) === name) changed()
      }),
  }
}

/** @param isSame whether the login is the same: its token is another, or the user has changed */
type ChangeListener = (session: SignedIn | undefined, isSame?: boolean) => unknown

export interface AuthState {
  current(): Promise<SignedIn | undefined>
  /** Begins a login or a logout, and answers how to end it. What began before one that has ended changes nothing more. */
  begin(): (session: SignedIn | undefined) => Promise<unknown>
  /** Changes the login that is meant, or ends it. What another page has put into the store meanwhile stays there. */
  amend(isMeant: (known: SignedIn) => boolean, changes?: Partial<SignedIn>): Promise<unknown>
  onChange(listener: ChangeListener): () => void
}

export function openAuthState(store?: SessionStore): AuthState {
  const listeners = new Set<ChangeListener>()
  let known: Promise<SignedIn | undefined> | undefined
  let written: Promise<unknown> = Promise.resolve()
  let begun = 0
  let newest = 0

  /** Nothing for a text that holds no session. */
  async function read() {
    const session: Partial<SignedIn> = parseObject((await store?.read()) ?? '')
    return session.user && (session as SignedIn)
  }

  /** A store that fails is asked again by the next request. */
  function current() {
    known ??= read()
    const asked = known
    asked.catch(() => {
      if (known === asked) known = undefined
    })
    return asked
  }

  /** Told to all, whatever becomes of what is stored or of one who is told. Writes that overlapped could end in any order. */
  function put(session: SignedIn | undefined, isSame?: boolean, isStored?: boolean) {
    known = Promise.resolve(session)
    for (const listener of listeners) later(() => listeners.has(listener) && listener(session, isSame))
    const write = () => isStored || store?.write(session ? JSON.stringify(session) : null)
    written = written.then(write, write)
    return written
  }

  /** What another page has stored stands: its user is the one who is signed in, or nobody is. */
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
      // A login or logout that came meanwhile wins; after another change this one follows.
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

/** Whether a token is in the last quarter of its life, or beyond; one that does not say is not. */
export function isOld(token: string): boolean {
  try {
    const { iat, exp } = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
    return (exp - Date.now() / 1_000) / (exp - iat) < 0.25
  } catch {
    return false
  }
}
