/** Explains refusals of a service that says neither codes nor its dialect, as a deployed one does. */
import { SvcError, statusOf } from '../../client/protocol/model/errors.js'
import { mayWrite, readRequest } from '../target/guarded-fetch.js'
import { CliFailure, describeFailure, exits, type Failure, noGoodKey, reworded } from './failure.js'

/** The answer to a request. */
export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Whether it says its dialect: then its codes and words say what they mean. */
  readonly isOwn: boolean
}

/** A `fetch` that shows each answer before it is read. */
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
 * Whether a refusal is of the key. A deployed service answers 422 without one, and 400 to a wrong one.
 */
export function isAboutKey(error: SvcError): boolean {
  if (![400, 401, 422].includes(statusOf(error))) return false
  return [error.message, ...error.issues.map(({ path }) => path.join('.'))].some((text) => /\bapi[ _-]?key/i.test(text))
}

/** Whether a write was answered with a success that could not be read. */
export function isUnreadWrite({ code, status }: SvcError, answered: Answered): boolean {
  const { method, path, status: last } = answered
  return code === 'INVALID_RESPONSE' && mayWrite(method, path) && last === status && last < 400
}

/**
 * Names the request, and what its refusal may mean. `explained` is the refusal in better words, where there are any, and `detect`
 * the command that finds out the dialect.
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
    // The message of an unreadable answer names its address already.
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
  if (request === 'GET /collections' && status === 405) return 'This service does not list its collections: name one.'
  if (request.startsWith('GET /realtime/'))
    return 'It has no events there, or a proxy in front of it does not pass them on.'
  if (refusedForPath(cause)) return `It may speak another dialect: ${detect}`
  const mayBeKey = (status === 400 || status === 422) && cause.issues.length === 0
  return mayBeKey ? 'If the request is as it should be, the key may be wrong: svc whoami' : undefined
}

/** Whether a service has nothing at the path of the request, rather than nothing of that name. */
export function refusedForPath(error: unknown): boolean {
  if (!(error instanceof SvcError)) return false
  const status = statusOf(error)
  return status === 405 || (status === 404 && isUnknownPath(error))
}

/** A document that is not there is refused in other words, or in JSON. */
function isUnknownPath({ code, message }: SvcError): boolean {
  return code === 'INVALID_RESPONSE' || /^not found\.?$/i.test(message)
}

/** A success that lacks what it was asked for. */
export function answeredWithout(what: string, url: string): CliFailure {
  return new CliFailure('INVALID_RESPONSE', exits.failed, `${url} answered without ${what}.`)
}
