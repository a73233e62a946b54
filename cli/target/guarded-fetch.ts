/** Keeps a command from writing to a service before it said so: product promise 3. */
import { SvcError } from '../../client/protocol/model/errors.js'
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

/** The same `fetch`, which sends a request that may write only once `isAllowed`. @throws {SvcError} in the place of sending it */
export function guardedFetch(fetch: typeof globalThis.fetch, isAllowed: () => boolean): typeof globalThis.fetch {
  return async (input, init) => {
    const { url, method } = askedOf(input, init)
    if (mayWrite(method, new URL(url).pathname) && !isAllowed()) throw unannounced(method, url)
    return fetch(input, init)
  }
}

/** Its address and method. Node takes longer to load `Request` than most requests take, so nothing is compared with it. */
export function askedOf(input: string | URL | Request, init?: RequestInit): { url: string; method: string } {
  const request = typeof input === 'object' && 'url' in input ? input : undefined
  const method = init?.method ?? request?.method ?? 'GET'
  return { url: request?.url ?? String(input), method: method.toUpperCase() }
}

/** An error of the client, which repeats what a `fetch` throws unless it is one. */
function unannounced(method: string, url: string): SvcError {
  const { host, pathname } = new URL(url)
  const message = `This command tried ${method} ${pathname} on ${host} without asking you. Nothing was sent.`
  const hint = 'This is a bug in svc. Please report the command.'
  const cause = new CliFailure('NOT_CONFIRMED', exits.failed, message, hint)
  return new SvcError('INVALID_OPTION', message, [], { cause })
}
