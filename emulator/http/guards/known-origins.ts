/** Decides which pages may read answers before the project is known. Contract 10.9. */
import type { IncomingMessage } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { allowsOrigin } from '../../core/projects/projects.js'
import type { HttpContext } from '../http-context.js'
import { foreignOrigin, mayCall } from './origins.js'

/** Whether a page may call some project of this service. A request without `Origin` doesn't come from a page. */
export async function isKnownOrigin(
  { backend, isOpenTo }: HttpContext,
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
): Promise<boolean> {
  if (mayCall(origin, host, { allowed: [], isOpenTo })) return true
  return origin !== undefined && origin !== 'null' && allowsOrigin(backend, origin)
}

/** Whether a page of another site embeds the resource, for example as an image, without reading it. Navigations don't count. */
export function isPartOfOtherSite({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers
  return origin === undefined && site === 'cross-site' && destination !== undefined && destination !== 'document'
}

/** @throws {SvcError} `ORIGIN_NOT_ALLOWED` for pages without an origin */
export function requireNamedOrigin({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): void {
  if (origin !== 'null') return
  const reason: Reason = { kind: 'origin', origin, allowed: [] }
  throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages without an origin may not call the service.', [], { reason })
}

/** Requires a page that at least one project allows, while the project is unknown. Contract 10.5. */
export async function requireKnownOrigin(http: HttpContext, req: IncomingMessage): Promise<void> {
  if (!(await isKnownOrigin(http, req)))
    throw foreignOrigin(req.headers.origin, { allowed: [], isOpenTo: http.isOpenTo })
}
