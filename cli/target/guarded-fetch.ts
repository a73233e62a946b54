/** Stops a command from writing to a service before it has announced the target: product promise 3. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { CliFailure, exits } from '../base/failure.js'

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

export function isSafeMethod(method: string): boolean {
  return safeMethods.includes(method)
}

/** POSTs that change only the session of the user who logs in. */
const logins: readonly RegExp[] = [
  /\/auth-collections\/(login|verify-2fa-login|refresh)$/,
  /\/auth\/oauth\/[^/]+\/(url|callback|token)$/,
]

/** Returns whether a request may change more than a session. */
export function mayWrite(method: string, pathname: string): boolean {
  if (isSafeMethod(method)) return false
  return !(method === 'POST' && logins.some((login) => login.test(pathname)))
}

/**
 * Wraps `fetch` to refuse writes until `isAllowed` returns true.
 *
 * @throws {SvcError} instead of sending the request
 */
export function guardedFetch(fetch: typeof globalThis.fetch, isAllowed: () => boolean): typeof globalThis.fetch {
  return async (input, init) => {
    const { url, method } = readRequest(input, init)
    if (mayWrite(method, new URL(url).pathname) && !isAllowed()) throw unannounced(method, url)
    return fetch(input, init)
  }
}

/**
 * Returns the URL and method. Avoids `instanceof Request`, because loading `Request` takes Node longer than most
 * requests.
 */
export function readRequest(input: string | URL | Request, init?: RequestInit): { url: string; method: string } {
  const request = typeof input === 'object' && 'url' in input ? input : undefined
  const method = init?.method ?? request?.method ?? 'GET'
  return { url: request?.url ?? String(input), method: method.toUpperCase() }
}

/** Throws a client error, because the client rewraps all other errors from `fetch`. */
function unannounced(method: string, url: string): SvcError {
  const { host, pathname } = new URL(url)
  const message = `This command tried ${method} ${pathname} on ${host} without asking you. Nothing was sent.`
  const hint = 'This is a bug in svc. Please report the command.'
  const cause = new CliFailure('NOT_CONFIRMED', exits.failed, message, hint)
  return new SvcError('INVALID_OPTION', message, [], { cause })
}
