/** The steps shared by requests to all kinds of routes. Each kind orders them itself. */
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Context, Identity } from '../core/context.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import type { SubscribeRequest } from '../core/realtime/subscriptions.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { isFromThisMachine } from './guards/client-address.js'
import { type OriginRules, originHeaders, requireOrigin } from './guards/origins.js'
import { streamEvents } from './realtime/sse.js'
import { writeReply } from './reply/reply.js'
import { prefersMinimal, readGuard } from './request/preconditions.js'
import { readParameters } from './request/read-list.js'
import { isBatch, type Route } from './route.js'

/**
 * Checks the origin against the rules of the project, once it is known. A page that only another project allows may not read
 * anything.
 */
export function requireProjectOrigin(exchange: Exchange, rules: OriginRules): void {
  const { origin, host } = exchange.req.headers
  exchange.headers = originHeaders(undefined)
  requireOrigin(origin, host, rules)
  exchange.headers = originHeaders(origin)
}

export async function countRequest(
  { backend, limiter }: HttpContext,
  { project, caller }: Identity,
  exchange: Exchange,
): Promise<void> {
  if (project.settings.rateLimit === 'off') return
  const now = backend.now(project.id)
  const state = await limiter.count(caller.key?.id ?? project.id, project.settings, now)
  if (!state) return
  exchange.headers = {
    ...exchange.headers,
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetSeconds),
  }
  const { retryAfterSeconds, window, limit, resetSeconds } = state
  if (retryAfterSeconds === undefined) return
  throw new SvcError('RATE_LIMITED', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, [], {
    retryAfterSeconds,
    reason: {
      kind: 'rate limit',
      ...{ window, limit, endsAt: new Date(resetSeconds * 1_000).toISOString(), setting: 'rateLimit' },
    },
  })
}

/** Reads the headers and parameters of a request, before its body. */
export function readHead({ streams }: HttpContext, route: Route, { req, address, params, dialect }: Exchange) {
  const parameters = readParameters(req.url ?? '')
  const query = route.query?.read(dialect, parameters)
  const guard = route.isGuarded ? readGuard(req.headers['if-match']) : ('any' as const)
  const { origin = null } = req.headers
  const stream = (ctx: Context, request: SubscribeRequest) => {
    const { key, user } = ctx.caller
    const owners = [key?.id ?? ctx.project.id, user?.id ?? address] as const
    return streams.atWork.run(owners, () => streamEvents(ctx, request, { dialect, streams, address, origin }))
  }
  const isLocal = isFromThisMachine(req)
  return {
    params,
    query,
    dialect,
    guard,
    address,
    isLocal,
    headers: req.headers,
    bytes: req,
    stream,
    openStreams: streams.open,
  }
}

/** Our choice: only for batches, whose answer is as large as the request. */
const nothing: StoredAnswer = { status: 204, headers: { 'preference-applied': 'return=minimal' }, body: '' }

export function reply(
  route: Route,
  value: Awaited<ReturnType<Route['handle']>>,
  { req, dialect }: Exchange,
): Outgoing | Promise<Outgoing> {
  if (isBatch(route) && prefersMinimal(req.headers.prefer)) return nothing
  return writeReply(route.reply, value, dialect, route.status ?? 200)
}
