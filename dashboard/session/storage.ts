/** What the page keeps in the browser: for one state folder each, so that another project at the same port never gets it. */

export interface OwnerKey {
  readonly id: string
  readonly key: string
}

/** As whom a tab acts, which survives its reload: in this tab alone. */
export interface KeptActing {
  read(): string | null
  write(text: string | null): void
}

export function keptActing(folder: string, project: string): KeptActing {
  const name = `svc:${folder}:acting:${project}`
  return {
    read: () => sessionStorage.getItem(name),
    write(text) {
      if (text === null) sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, text)
    },
  }
}

export interface Kept {
  token(): string | null
  keepToken(token: string | null): void
  ownerKey(project: string): OwnerKey | undefined
  keepOwnerKey(project: string, key: OwnerKey): void
}

export function keptFor(folder: string): Kept {
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

/** The token that the address brought, taken out of it so that no bookmark and no screenshot has it. */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
