/** Takes a request from the network to the core: checks caller, origin, rate and format. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import type { Backend, Identity } from '../core/context.js'
import { requireProject } from '../core/projects/require-project.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { applyFaults } from './faults/apply-faults.js'
import { identifyCaller } from './guards/identify.js'
import { isKnownOrigin, isPartOfOtherSite, requireKnownOrigin } from './guards/known-origins.js'
import { isOwnOrigin } from './guards/origins.js'
import { namedDialect, projectDialect, setDialect } from './reply/spoken-dialect.js'
import { hasVersion } from './request/preconditions.js'
import { readBody } from './request/read-body.js'
import { assignProject } from './requests/record.js'
import type { Endpoint, Route, RouteInput } from './route.js'
import { serveProject } from './serve-project.js'
import { countRequest, readHead, reply, requireProjectOrigin } from './serving-steps.js'

/** @throws {SvcError} any error that keeps the request from being served */
export async function serveRoute(http: HttpContext, endpoint: Endpoint, exchange: Exchange): Promise<Outgoing> {
  const serve = servers[endpoint.flat.needs]
  exchange.route = endpoint.flat.id
  const answer = await serve(http, endpoint, exchange)
  const { method, headers } = exchange.req
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading || !hasVersion(headers['if-none-match'], answer.headers.etag)) return answer
  return { status: 304, headers: answer.headers, body: '' }
}

type Server = (http: HttpContext, endpoint: Endpoint, exchange: Exchange) => Promise<Outgoing>

const servers: { readonly [Need in Route['needs']]: Server } = {
  caller: serveProject,
  key: serveProject,
  user: serveProject,
  public: servePublic,
  control: serveControl,
  nothing: serveAnyone,
}

/**
 * Serves a route without a key, because the request carries a secret. Failures count against a budget that is checked first,
 * before reading a body or running a statement. With a valid key or token, the rules of its project apply.
 */
async function servePublic(http: HttpContext, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'public') throw new Error(`The route "${route.id}" is not public.`)
  const countFailure = route.isFree ? () => undefined : await enterBudget(http, exchange)
  let isGood = false
  try {
    const { answer, isRefused } = await answerPublic(http, route, exchange)
    isGood = answer.status < 400 && !isRefused
    return answer
  } finally {
    if (!isGood) countFailure()
  }
}

async function answerPublic(http: HttpContext, route: Extract<Route, { needs: 'public' }>, exchange: Exchange) {
  const { isOpenTo } = http
  if (!route.isNavigation) await requireKnownOrigin(http, exchange.req)
  const identity = route.isNavigation ? undefined : await identifyIfGood(exchange)
  if (identity) {
    assignProject(http, exchange, identity)
    exchange.dialect = projectDialect(identity.project)
    exchange.isDialectKnown = true
    requireProjectOrigin(exchange, { allowed: identity.project.settings.allowedOrigins, isOpenTo })
    await countRequest(http, identity, exchange)
  }
  setDialect(http, exchange, identity ? exchange.dialect : await namedDialect(http, exchange, { isRefused: true }))
  if (identity) await applyFaults(http, exchange)
  const { backend } = exchange
  const input = await readInput(http, route, exchange)
  const named = identity ? undefined : await route.projectOf?.(backend, input)
  if (named) {
    setDialect(http, exchange, projectDialect(named))
    assignProject(http, exchange, { project: named })
    await applyFaults(http, exchange)
  }
  const value = await route.handle(exchange.backend, input)
  return { answer: await reply(route, value, exchange), isRefused: isRefused(value) }
}

/**
 * These routes need no authorization. Invalid credentials count as not sent, because apps keep sending expired tokens and
 * browsers send proxy passwords.
 */
async function identifyIfGood({ backend, req: { headers } }: Exchange): Promise<Identity | undefined> {
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return undefined
  try {
    return await identifyCaller(backend, headers)
  } catch (error) {
    if (error instanceof SvcError && httpStatus(error) === 401) return undefined
    throw error
  }
}

/** Counts requests that other sites trigger in a browser separately, so that they don't use up the budget of allowed pages. */
async function enterBudget(http: HttpContext, { req, address }: Exchange): Promise<() => void> {
  const isOwn = !isPartOfOtherSite(req) && (await isKnownOrigin(http, req))
  return http.publicBudget.enter(isOwn ? address : `${address} for other sites`)
}

/** Detects a failed login, because the browser is redirected either way. */
function isRefused(value: Awaited<ReturnType<Route['handle']>>): boolean {
  return typeof value === 'object' && value !== null && 'isRefused' in value && value.isRefused === true
}

async function serveControl(http: HttpContext, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'control') throw new Error(`The route "${route.id}" is not for the control API.`)
  const { origin, host, 'svc-control-token': token } = exchange.req.headers
  // Control answers are the same in every dialect.
  exchange.isDialectKnown = true
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages of other origins may not control the emulator.')
  }
  if (http.controlToken === undefined || typeof token !== 'string' || !isSame(token, http.controlToken)) {
    const places = 'The emulator saves it in ".svc/emulator.json"; `svc serve` takes it from SVC_ADMIN_TOKEN'
    throw new SvcError('UNAUTHORIZED', `Send the control token as "svc-control-token". ${places}.`)
  }
  exchange.hasControl = true
  if (route.form) return serveForm(http, route, exchange)
  const input = await readInput(http, route, exchange)
  return reply(route, await route.handle(forRequest(exchange), input), exchange)
}

/** Adds the request to the audit entries of an operation. */
function forRequest({ backend, id }: Exchange): Backend {
  return { ...backend, requestId: id }
}

/** Takes files for the project in the path. Removes those that are not adopted by the end. */
async function serveForm(http: HttpContext, route: Extract<Route, { needs: 'control' }>, exchange: Exchange) {
  const { backend } = http
  const head = readHead(http, route, exchange)
  const project = await requireProject(backend, exchange.params.project ?? '')
  const { toJson, uploads } = await readBody(http, route, exchange, { backend, project })
  try {
    const body = await route.body?.read(head.dialect, await toJson())
    return await reply(route, await route.handle(forRequest(exchange), { ...head, body, uploads }), exchange)
  } finally {
    await uploads.dispose().catch((error) => http.log.failure(exchange.id, error))
  }
}

async function serveAnyone(http: HttpContext, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'nothing') throw new Error(`The route "${route.id}" needs a caller.`)
  await requireKnownOrigin(http, exchange.req)
  setDialect(http, exchange, await namedDialect(http, exchange))
  const input = await readInput(http, route, exchange)
  if (route.isExpensive?.(input)) http.publicBudget.enter(`${input.address} for what is made for anyone`)()
  return reply(route, await route.handle(http.backend, input), exchange)
}

/** Reads the input of a route without files. */
async function readInput(
  http: HttpContext,
  route: Route,
  exchange: Exchange,
): Promise<RouteInput<string, unknown, unknown>> {
  const head = readHead(http, route, exchange)
  const { toJson, uploads } = await readBody(http, route, exchange)
  return { ...head, body: await route.body?.read(head.dialect, await toJson()), uploads }
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
