/** Pages that may read answers before it is known which project they are about. Contract 10.9. */
import type { IncomingMessage } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { allowsOrigin } from '../../core/projects/projects.js'
import type { HttpContext } from '../exchange.js'
import { foreignOrigin, mayCall } from './origins.js'

/** Whether a page may call some project of this service. Without an `Origin`, no page is asking. */
export async function isKnownOrigin(
  { backend, isOpenTo }: HttpContext,
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
): Promise<boolean> {
  if (mayCall(origin, host, { allowed: [], isOpenTo })) return true
  return origin !== undefined && origin !== 'null' && allowsOrigin(backend, origin)
}

/** Whether a page of another site embeds it, as an image, without asking to read it. A navigation does not count. */
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

/** Where it is not known yet which project is meant, the page must be one that some project allows. Contract 10.5. */
export async function requireKnownOrigin(http: HttpContext, req: IncomingMessage): Promise<void> {
  if (!(await isKnownOrigin(http, req)))
    throw foreignOrigin(req.headers.origin, { allowed: [], isOpenTo: http.isOpenTo })
}
