import { fetchOverHttp, isPlain } from '../../seeds/fetch-over-http.js'
import { CliFailure, exits } from '../base/failure.js'
import { boundedText } from './bounded-text.js'

const secretHeaders = ['x-api-key', 'authorization', 'svc-control-token']

/**
 * As `fetch`, but neither a key nor a body follows a redirect: the next address is not the one that was asked for.
 * Contract 12.4. What {@link isPlain} takes is asked over `node:http`.
 *
 * @throws {CliFailure} with exit 7, naming where it leads
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
  const message = `${new URL(response.url).origin} redirects to ${to}, and no key follows there.`
  throw new CliFailure(
    'REDIRECTED',
    exits.network,
    message,
    'If that is the service, give its address: --url or SVC_URL.',
  )
}

/** Reads no more than commands can hold. What streams `body` is not affected. */
function bounded(response: Response): Response {
  return Object.assign(response, { text: async () => (response.body ? boundedText(response.body) : '') })
}

/** By their names in lower case. */
function namedHeaders(given: RequestInit['headers'] = {}): Record<string, string> {
  const pairs: Iterable<readonly string[]> = Symbol.iterator in given ? given : Object.entries(given)
  return Object.fromEntries(Array.from(pairs, ([name = '', value = '']) => [name.toLowerCase(), value]))
}
