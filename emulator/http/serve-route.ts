/** What a request meets between the network and the core: who asks, from where, how often, in which form. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import type { Backend, Identity } from '../core/context.js'
import { requireProject } from '../core/projects/require-project.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { meetFaults } from './faults/meet-faults.js'
import { clientAddress } from './guards/client-address.js'
import { identifyCaller } from './guards/identify.js'
import { isKnownOrigin, isPartOfOtherSite, requireKnownOrigin } from './guards/known-origins.js'
import { isOwnOrigin } from './guards/origins.js'
import { namedDialect, projectDialect, speak } from './reply/spoken-dialect.js'
import { hasAlready } from './request/preconditions.js'
import { readBody } from './request/read-body.js'
import { recognise } from './requests/record.js'
import type { Endpoint, Route, RouteInput } from './route.js'
import { serveProject } from './serve-project.js'
import { countRequest, readHead, reply, requireOriginOf } from './serving-steps.js'

/** @throws {SvcError} whatever stands between this request and its answer */
export async function serveRoute(http: HttpContext, endpoint: Endpoint, exchange: Exchange): Promise<Outgoing> {
  const serve = servers[endpoint.flat.needs]
  exchange.route = endpoint.flat.id
  const answer = await serve(http, endpoint, exchange)
  const { method, headers } = exchange.req
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading || !hasAlready(headers['if-none-match'], answer.headers.etag)) return answer
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
 * No key is needed: what the request carries is a secret of its own. Failures come out of a budget that is asked first,
 * before a body is read or a statement run. Where a good key or token comes along, its project's rules hold.
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
    recognise(http, exchange, identity)
    exchange.dialect = projectDialect(identity.project)
    exchange.isDialectKnown = true
    requireOriginOf(exchange, { allowed: identity.project.settings.allowedOrigins, isOpenTo })
    await countRequest(http, identity, exchange)
  }
  speak(exchange, identity ? exchange.dialect : await namedDialect(http, exchange, { isRefused: true }))
  if (identity) await meetFaults(http, exchange)
  const { backend } = exchange
  const input = await readInput(http, route, exchange)
  const named = identity ? undefined : await route.projectOf?.(backend, input)
  if (named) {
    speak(exchange, projectDialect(named))
    recognise(http, exchange, { project: named })
    await meetFaults(http, exchange)
  }
  const value = await route.handle(exchange.backend, input)
  return { answer: await reply(route, value, exchange), isRefused: isRefused(value) }
}

/**
 * These routes take no authorization. An app goes on sending a token that has ended, and a browser the password of a proxy:
 * such credentials count as not sent.
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

/** What other sites let a browser do takes nothing from the pages that may call. */
async function enterBudget(http: HttpContext, { req }: Exchange): Promise<() => void> {
  const address = clientAddress(req, http.trustedProxies)
  const isOwn = !isPartOfOtherSite(req) && (await isKnownOrigin(http, req))
  return http.publicBudget.enter(isOwn ? address : `${address} for other sites`)
}

/** A browser is sent on, whether its login was known here or not. */
function isRefused(value: Awaited<ReturnType<Route['handle']>>): boolean {
  return typeof value === 'object' && value !== null && 'isRefused' in value && value.isRefused === true
}

async function serveControl(http: HttpContext, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'control') throw new Error(`The route "${route.id}" is not for the control API.`)
  const { origin, host, 'svc-control-token': token } = exchange.req.headers
  // The same in every dialect.
  exchange.isDialectKnown = true
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages of other origins may not control the emulator.')
  }
  if (http.controlToken === undefined || typeof token !== 'string' || !isSame(token, http.controlToken)) {
    const places = 'an emulator\'s is in ".svc/emulator.json", that of `svc serve` is SVC_ADMIN_TOKEN'
    throw new SvcError('UNAUTHORIZED', `Send the control token as "svc-control-token": ${places}.`)
  }
  exchange.hasControl = true
  if (route.form) return serveForm(http, route, exchange)
  const input = await readInput(http, route, exchange)
  return reply(route, await route.handle(forRequest(exchange), input), exchange)
}

/** The audit log says which request an operation was. */
function forRequest({ backend, id }: Exchange): Backend {
  return { ...backend, requestId: id }
}

/** Files for the project that the path names. Those that are not adopted by the end are removed. */
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
  speak(exchange, await namedDialect(http, exchange))
  const input = await readInput(http, route, exchange)
  if (route.isDear?.(input)) http.publicBudget.enter(`${input.address} for what is made for anyone`)()
  return reply(route, await route.handle(http.backend, input), exchange)
}

/** The input of a route that takes no files. */
async function readInput(
  http: HttpContext,
  route: Route,
  exchange: Exchange,
): Promise<RouteInput<string, unknown, unknown>> {
  const head = readHead(http, route, exchange)
  const { toJson, uploads } = await readBody(http, route, exchange)
  return { ...head, body: await route.body?.read(head.dialect, await toJson()), uploads }
}

/** Takes as long whatever the difference. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
