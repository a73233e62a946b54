/** The second step: whether the sender may make the request, before its body is read. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { userRefusal } from '../../../client/protocol/model/access/user-refusal.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project, ProjectSettings } from '../../../client/protocol/model/project.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import { requireScope } from '../../core/access/scopes.js'
import { findCollection } from '../../core/collections/collections.js'
import type { Context } from '../../core/context.js'
import { unitFor } from '../../core/unit-of-work.js'
import { applyFaults } from '../faults/apply-faults.js'
import { noKeySent } from '../guards/identify.js'
import { isKnownOrigin, isPartOfOtherSite } from '../guards/known-origins.js'
import { isOwnOrigin, originHeaders, requireOrigin } from '../guards/origins.js'
import type { HttpContext } from '../http-context.js'
import { namedDialect, projectDialect, withDialect } from '../reply/spoken-dialect.js'
import { inProject } from '../requests/record.js'
import { type Endpoint, isInDialect } from '../route.js'
import type { Admitted, Identified, Incoming, InDialect, Reach } from '../stages.js'

/** Admits a request to a route of a project. @throws {SvcError} any refusal that doesn't need the body */
export async function admit(
  http: HttpContext,
  endpoint: Endpoint,
  identified: Identified,
  reach: Reach,
): Promise<Admitted> {
  const known = await admitCaller(http, identified, reach)
  const { backend, dialect, id, room, project, caller } = known
  const { leniency } = axes.refusals[dialect.refusals]
  const ctx: Context = { project, caller, ...unitFor(backend), requestId: id, room, leniency }
  const { route, params } = await findRoute(ctx, endpoint, known)
  const admitted = reach({ ...known, route: route.id, served: route, params, ctx })
  requireServed(admitted)
  requireAllowed(admitted)
  return admitted
}

/** Checks what holds for all routes: the origin, the rate limit and the dialect. Then applies faults. */
export async function admitCaller(http: HttpContext, identified: Identified, reach: Reach): Promise<Identified> {
  const allowed = requireAllowedOrigin(http, identified, identified.project.settings, reach)
  const counted = await countRequest(http, allowed, reach)
  return applyFaults(http, withDialect(http, counted, counted.dialect, reach), reach)
}

/** Admits a request without valid credentials. Its dialect is that of the project that it names. */
export async function admitNobody(http: HttpContext, incoming: Incoming, reach: Reach): Promise<InDialect> {
  return withDialect(http, incoming, await namedDialect(http, { ...incoming, isRefused: true }), reach)
}

/** Adds the project that only the path or body names, with its dialect and faults. */
export async function admitNamed(
  http: HttpContext,
  project: Project,
  known: InDialect,
  reach: Reach,
): Promise<InDialect> {
  const inDialect = withDialect(http, known, projectDialect(project), reach)
  return applyFaults(http, reach(inProject(http, inDialect, { project, caller: undefined })), reach)
}

/**
 * Checks the origin against the rules of the project, once it is known. A page that only another project allows may not read
 * anything.
 *
 * @throws {SvcError} `ORIGIN_NOT_ALLOWED`
 */
export function requireAllowedOrigin<Known extends Incoming>(
  { isOpenTo }: HttpContext,
  known: Known,
  { allowedOrigins: allowed }: Pick<ProjectSettings, 'allowedOrigins'>,
  reach: Reach,
): Known {
  const { origin, host } = known.req.headers
  reach({ ...known, headers: originHeaders(undefined) })
  requireOrigin(origin, host, { allowed, isOpenTo })
  return reach({ ...known, headers: originHeaders(origin) })
}

/** @throws {SvcError} `RATE_LIMITED` */
async function countRequest({ backend, limiter }: HttpContext, known: Identified, reach: Reach): Promise<Identified> {
  const { project, caller, headers } = known
  if (project.settings.rateLimit === 'off') return known
  const now = backend.now(project.id)
  const state = await limiter.count(caller.key?.id ?? project.id, project.settings, now)
  if (!state) return known
  const { retryAfterSeconds, window, limit, remaining, resetSeconds } = state
  const limits = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
  const counted = reach({ ...known, headers: { ...headers, ...limits } })
  if (retryAfterSeconds === undefined) return counted
  throw new SvcError('RATE_LIMITED', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, [], {
    retryAfterSeconds,
    reason: {
      kind: 'rate limit',
      ...{ window, limit, endsAt: new Date(resetSeconds * 1_000).toISOString(), setting: 'rateLimit' },
    },
  })
}

/** Chooses the route by the dialect, and by the collections that the project has. */
async function findRoute(ctx: Context, endpoint: Endpoint, { dialect, params }: InDialect) {
  const route = endpoint[dialect.paths]
  const { gives } = route
  if (!gives || !(await findCollection(ctx, gives.way))) return { route, params }
  return { route: gives.to, params: { collection: gives.way } }
}

/** @throws {SvcError} `UNAUTHORIZED` without a key, `METHOD_NOT_ALLOWED` for a method that the dialect lacks */
function requireServed({ served, req, replay, dialect }: Admitted): void {
  const hasKey = req.headers['x-api-key'] !== undefined || served.takesTicket || replay !== undefined
  if (axes.refusals[dialect.refusals].requiresKey && !hasKey) throw noKeySent()
  if (isInDialect(served, dialect)) return
  const message = 'A document cannot be put in this dialect. Use PATCH.'
  throw new SvcError('METHOD_NOT_ALLOWED', message, [], { allow: ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'] })
}

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN`, `EMAIL_NOT_VERIFIED` */
function requireAllowed({ served, project, caller }: Admitted): void {
  const { needs, scope, isReading, method } = served
  if (needs === 'key' && !caller.key) throw lacking('key', 'Send an API key; a user token is not enough.')
  if (needs === 'user' && !caller.user) throw lacking('user', userRefusal)
  const reads = isReading === true || method === 'get'
  const taken = scope ?? (reads ? 'read' : 'write')
  if (taken !== 'none' && taken !== 'in collection') requireScope({ caller }, taken)
  if (needs !== 'caller' || reads || !project.settings.requireVerifiedEmail) return
  if (caller.user?.isVerified !== false) return
  throw plainError('EMAIL_NOT_VERIFIED', {
    reason: { kind: 'setting', setting: 'requireVerifiedEmail', value: 'true' },
  })
}

function lacking(needs: 'key' | 'user', message: string): SvcError {
  return new SvcError('UNAUTHORIZED', message, [], { reason: { kind: 'caller', needs } })
}

/** Counts requests that other sites trigger in a browser separately, so that they don't use up the budget of allowed pages. */
export async function enterBudget(http: HttpContext, { req, address }: Incoming): Promise<() => void> {
  const isOwn = !isPartOfOtherSite(req) && (await isKnownOrigin(http, req))
  return http.publicBudget.enter(isOwn ? address : `${address} for other sites`)
}

/** @throws {SvcError} `ORIGIN_NOT_ALLOWED` for a page, `UNAUTHORIZED` without the control token */
export function requireControl({ controlToken }: HttpContext, { req }: Incoming): void {
  const { origin, host, 'svc-control-token': token } = req.headers
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages of other origins may not control the emulator.')
  }
  if (controlToken === undefined || typeof token !== 'string' || !isSame(token, controlToken)) {
    const places = 'The emulator saves it in ".svc/emulator.json"; `svc serve` takes it from SVC_ADMIN_TOKEN'
    throw new SvcError('UNAUTHORIZED', `Send the control token as "svc-control-token". ${places}.`)
  }
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
