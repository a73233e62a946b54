/** Explains refusals of a service that sends neither error codes nor its dialect, such as a deployed one. */
import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import { mayWrite, readRequest } from '../target/guarded-fetch.js'
import { CliFailure, describeFailure, exits, type Failure, noGoodKey, reworded } from './failure.js'

export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Whether the response names its dialect, so that its codes and messages can be trusted. */
  readonly isOwn: boolean
}

/** Wraps `fetch` to report each response before it is read. */
export function watchedFetch(
  fetch: typeof globalThis.fetch,
  onAnswer: (answered: Answered) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { url, method } = readRequest(input, init)
    const isOwn = response.headers.has('svc-dialect')
    onAnswer({ method, path: new URL(url).pathname, status: response.status, isOwn })
    return response
  }
}

/**
 * Returns whether a refusal is about the key. A deployed service sends 422 without a key, and 400 for a wrong one.
 */
export function isAboutKey(error: SvcError): boolean {
  if (![400, 401, 422].includes(httpStatus(error))) return false
  return [error.message, ...error.issues.map(({ path }) => path.join('.'))].some((text) => /\bapi[ _-]?key/i.test(text))
}

/** Returns whether a write succeeded but its response could not be read. */
export function isUnreadWrite({ code, status }: SvcError, answered: Answered): boolean {
  const { method, path, status: last } = answered
  return code === 'INVALID_RESPONSE' && mayWrite(method, path) && last === status && last < 400
}

/**
 * Adds the request and a possible reason to a refusal.
 *
 * @param explained the refusal with a better message, if there is one
 * @param detect the command that detects the dialect
 */
export function explainForeign(
  cause: SvcError,
  explained: Error,
  { method, path, status }: Answered,
  detect: string,
): Error {
  const request = `${method} ${path}`
  const isAlike = explained === cause || explained.message === describeFailure(cause).message
  if (!isAlike) return explained
  const named = ({ message }: Failure) =>
    // The message of an unreadable response already names its address.
    cause.code === 'INVALID_RESPONSE' ? message : `${request} answered ${status}: ${message}`
  if (isAboutKey(cause)) {
    return new CliFailure('UNAUTHORIZED', exits.notAuthorised, named(describeFailure(cause)), noGoodKey, { cause })
  }
  return reworded(explained, (failure) => ({
    message: named(failure),
    hint: failure.hint ?? suggestFix(request, status, cause, detect),
  }))
}

function suggestFix(request: string, status: number, cause: SvcError, detect: string): string | undefined {
  if (request === 'GET /collections' && status === 405) return 'This service does not list its collections. Name one.'
  if (request.startsWith('GET /realtime/')) return 'The service has no events, or a proxy blocks them.'
  if (refusedForPath(cause)) return `The service may use another dialect. Detect it: ${detect}`
  const mayBeKey = (status === 400 || status === 422) && cause.issues.length === 0
  return mayBeKey ? 'If the request is correct, the key may be wrong. Check it: svc whoami' : undefined
}

/** Returns whether the service does not know the path, rather than the name in it. */
export function refusedForPath(error: unknown): boolean {
  if (!(error instanceof SvcError)) return false
  const status = httpStatus(error)
  return status === 405 || (status === 404 && isUnknownPath(error))
}

/** Recognizes an unknown path. A missing document has another message, or a JSON body. */
function isUnknownPath({ code, message }: SvcError): boolean {
  return code === 'INVALID_RESPONSE' || /^not found\.?$/i.test(message)
}

/** Fails for a successful response without the expected data. */
export function answeredWithout(what: string, url: string): CliFailure {
  return new CliFailure('INVALID_RESPONSE', exits.failed, `${url} answered without ${what}.`)
}
