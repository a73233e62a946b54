import { CliFailure, exits } from '../base/failure.js'

const secretHeaders = ['x-api-key', 'authorization', 'svc-control-token']

/**
 * As `fetch`, but neither a key nor a body follows a redirect: the next address is nobody's who was asked for.
 * Contract 12.4.
 *
 * @throws {CliFailure} with exit 7, naming where it leads
 */
export async function fetchDirectly(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  const isBare = !init.body && !secretHeaders.some((name) => headers.has(name))
  if (isBare) return fetch(input, init)
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null || response.status < 300 || response.status >= 400) return response
  await response.body?.cancel()
  const to = URL.canParse(location, response.url) ? new URL(location, response.url).origin : location
  const message = `${new URL(response.url).origin} redirects to ${to}, and no key follows there.`
  throw new CliFailure(
    'REDIRECTED',
    exits.network,
    message,
    'If that is the service, give its address: --url or SVC_URL.',
  )
}
