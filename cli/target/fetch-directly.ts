import { fetchOverHttp, isPlain } from '../../seeds/fetch-over-http.js'
import { CliFailure, exits } from '../base/failure.js'
import { boundedText } from './bounded-text.js'

const secretHeaders = ['x-api-key', 'authorization', 'svc-control-token']

/**
 * Works like `fetch`, but sends no key or body to a redirect target, because that is another address. Contract 12.4.
 * Requests that {@link isPlain} accepts use `node:http`.
 *
 * @throws {CliFailure} with exit 7, naming the redirect target
 */
export async function fetchDirectly(input: string | URL | Request, given: RequestInit = {}): Promise<Response> {
  const init = { ...given, headers: namedHeaders(given.headers) }
  const isBare = !init.body && !secretHeaders.some((name) => Object.hasOwn(init.headers, name))
  const url = String(input)
  const isHere = isPlain(url, init)
  if (isBare && !isHere) return bounded(await fetch(input, init))
  const response = isHere
    ? await fetchOverHttp(url, init, boundedText)
    : bounded(await fetch(input, { ...init, redirect: 'manual' }))
  const location = response.headers.get('location')
  if (!location || response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  if (isBare) return bounded(await fetch(input, init))
  const to = URL.canParse(location, response.url) ? new URL(location, response.url).origin : location
  const message = `${new URL(response.url).origin} redirects to ${to}. The key was not sent there.`
  throw new CliFailure(
    'REDIRECTED',
    exits.network,
    message,
    'If that is your service, pass its address with --url or SVC_URL.',
  )
}

/** Limits the size of `text()`. Streaming `body` is not affected. */
function bounded(response: Response): Response {
  return Object.assign(response, { text: async () => (response.body ? boundedText(response.body) : '') })
}

/** Lowercases header names. */
function namedHeaders(given: RequestInit['headers'] = {}): Record<string, string> {
  const pairs: Iterable<readonly string[]> = Symbol.iterator in given ? given : Object.entries(given)
  return Object.fromEntries(Array.from(pairs, ([name = '', value = '']) => [name.toLowerCase(), value]))
}
