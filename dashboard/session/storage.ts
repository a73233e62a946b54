/** Stores data in the browser per state folder, so that another project at the same port never gets it. */

export interface OwnerKey {
  readonly id: string
  readonly key: string
}

/** Stores the user that this tab acts as, for a reload. Other tabs are not affected. */
export interface ActingStore {
  read(): string | null
  write(text: string | null): void
}

export function openActingStore(folder: string, project: string): ActingStore {
  const name = `svc:${folder}:acting:${project}`
  return {
    read: () => sessionStorage.getItem(name),
    write(text) {
      if (text === null) sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, text)
    },
  }
}

export interface BrowserStore {
  token(): string | null
  keepToken(token: string | null): void
  ownerKey(project: string): OwnerKey | undefined
  keepOwnerKey(project: string, key: OwnerKey): void
}

export function openBrowserStore(folder: string): BrowserStore {
  const tokenName = `svc:${folder}:token`
  const keyName = (project: string) => `svc:${folder}:key:${project}`
  return {
    token: () => localStorage.getItem(tokenName),
    keepToken(token) {
      if (token === null) localStorage.removeItem(tokenName)
      else localStorage.setItem(tokenName, token)
    },
    ownerKey(project) {
      const text = localStorage.getItem(keyName(project))
      return text === null ? undefined : (JSON.parse(text) as OwnerKey)
    },
    keepOwnerKey: (project, key) => localStorage.setItem(keyName(project), JSON.stringify(key)),
  }
}

/** Takes the token out of the address, so that bookmarks and screenshots do not contain it. */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
