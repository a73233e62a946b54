/** Keeps a command from writing to a service before it said so: product promise 3. */
import { CliFailure, exits } from '../base/failure.js'

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

export function isSafeMethod(method: string): boolean {
  return safeMethods.includes(method)
}

/** POSTs that change nothing but the session of the user who logs in. */
const logins: readonly RegExp[] = [
  /\/auth-collections\/(login|verify-2fa-login|refresh)$/,
  /\/auth\/oauth\/[^/]+\/(url|callback|token)$/,
]

/** Whether a request may change more than a session. */
export function mayWrite(method: string, pathname: string): boolean {
  if (isSafeMethod(method)) return false
  return !(method === 'POST' && logins.some((login) => login.test(pathname)))
}

/** The same `fetch`, which sends a request that may write only once `isAllowed`. @throws {CliFailure} in the place of sending it */
export function guardedFetch(fetch: typeof globalThis.fetch, isAllowed: () => boolean): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    if (mayWrite(method, new URL(url).pathname) && !isAllowed()) throw unannounced(method, url)
    return fetch(input, init)
  }
}

function unannounced(method: string, url: string): CliFailure {
  const { host, pathname } = new URL(url)
  const message = `This command tried ${method} ${pathname} on ${host} without asking you. Nothing was sent.`
  return new CliFailure('NOT_CONFIRMED', exits.failed, message, 'This is a bug in svc. Please report the command.')
}
