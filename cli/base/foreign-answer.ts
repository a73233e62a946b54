/** Explains refusals of a service that says neither codes nor its dialect, as a deployed one does. */
import { type SvcError, statusOf } from '../../client/protocol/model/errors.js'
import { CliFailure, exits, noGoodKey, reworded } from './failure.js'

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
    const { pathname: path } = new URL(input instanceof Request ? input.url : input)
    const isOwn = response.headers.has('svc-dialect')
    onAnswer({ method: init?.method ?? 'GET', path, status: response.status, isOwn })
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

/** Names the request, and what its refusal may mean. `detect` is the command that finds out the dialect. */
export function explainForeign(cause: SvcError, { method, path, status }: Answered, detect: string): CliFailure {
  const request = `${method} ${path}`
  const message = `${request} answered ${status}: ${cause.message}`
  if (isAboutKey(cause)) return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, noGoodKey, { cause })
  return reworded(cause, ({ hint }) => ({ message, hint: hint ?? hintOf(request, status, cause, detect) }))
}

function hintOf(request: string, status: number, { issues }: SvcError, detect: string): string | undefined {
  if (status === 405 && request === 'GET /collections') return 'This service does not list its collections: name one.'
  if (status === 404 || status === 405) return `The service may speak another dialect: ${detect}`
  if ((status === 400 || status === 422) && issues.length === 0)
    return 'A service may say that of a wrong key: svc whoami'
  return undefined
}
