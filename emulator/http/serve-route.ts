/** What a request meets between the door and the core: who asks, from where, how often, in which form. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { plainError } from '../../client/protocol/model/error-words.js'
import { placed, SvcError } from '../../client/protocol/model/errors.js'
import type { Dialect } from '../../client/protocol/wire/dialects.js'
import type { Context, Identity } from '../core/context.js'
import { type Answer, once } from '../core/documents/idempotency.js'
import { discardUploads, type Uploads } from '../core/files/uploads.js'
import type { Wish } from '../core/realtime/subscriptions.js'
import { useTicket } from '../core/realtime/tickets.js'
import { unitOf } from '../core/unit-of-work.js'
import type { Door, Exchange, Outgoing } from './exchange.js'
import { clientAddress } from './guards/client-address.js'
import { identifyCaller } from './guards/identify.js'
import { isKnownOrigin, isPartOfOtherSite, requireKnownOrigin } from './guards/known-origins.js'
import { isOwnOrigin, type OriginRules, originHeaders, requireOrigin } from './guards/origins.js'
import { streamEvents } from './realtime/sse.js'
import { writeReply } from './reply/reply.js'
import { namedDialect, projectDialect, speak } from './reply/spoken-dialect.js'
import { type Placing, samePlace } from './request/issue-places.js'
import { asksForNothing, hasAlready, readGuard, readIdempotencyKey } from './request/preconditions.js'
import { markOf, readBody } from './request/read-body.js'
import { readParameters } from './request/read-list.js'
import { type Input, isBatch, type Route } from './route.js'

/** The route that a path and method mean, by the `paths` axis; nearly always the same. */
export type Endpoint = { readonly [Place in Dialect['paths']]: Route }

/** @throws {SvcError} whatever stands between this request and its answer */
export async function serveRoute(door: Door, endpoint: Endpoint, exchange: Exchange): Promise<Outgoing> {
  const serve = servers[endpoint.flat.needs]
  const answer = await serve(door, endpoint, exchange)
  const { method, headers } = exchange.req
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading || !hasAlready(headers['if-none-match'], answer.headers.etag)) return answer
  return { status: 304, headers: answer.headers, body: '' }
}

type Server = (door: Door, endpoint: Endpoint, exchange: Exchange) => Promise<Outgoing>

const servers: { readonly [Need in Route['needs']]: Server } = {
  caller: serveProject,
  key: serveProject,
  user: serveProject,
  public: servePublic,
  control: serveControl,
  nothing: serveAnyone,
}

async function serveProject(door: Door, endpoint: Endpoint, exchange: Exchange): Promise<Outgoing> {
  const { backend, openToLoopback } = door
  const { req } = exchange
  const ticket = endpoint.flat.takesTicket ? parameterOf(req, 'ticket') : undefined
  if (endpoint.flat.takesTicket) exchange.asked = parameterOf(req, 'dialect')
  const identity = ticket ? await useTicket(backend, ticket) : await identifyCaller(backend, req.headers)
  const { settings } = identity.project
  exchange.dialect = projectDialect(identity.project)
  exchange.isDialectKnown = true
  requireOriginOf(exchange, { allowed: settings.allowedOrigins, openToLoopback })
  countRequest(door, identity, exchange)
  speak(exchange, exchange.dialect)

  const route = endpoint[exchange.dialect.paths]
  requireAllowed(route, identity, req.method)
  const head = readHead(door, route, exchange)
  const body = await readBody(route, exchange, { backend, project: identity.project })
  const ctx: Context = { ...identity, ...unitOf(backend) }
  return keepingFiles(door, { exchange, project: identity.project.id }, body.uploads, async () => {
    const { dialect } = exchange
    const json = await body.toJson()
    const read = await placing(
      () => body.places(samePlace),
      () => route.body?.read(dialect, json),
    )
    const input = { ...head, body: read, uploads: body.uploads }
    const places = () => body.places(route.body?.places?.(dialect, json) ?? samePlace)
    // `requireAllowed` has seen to it that the world is the one that the route needs.
    const handle = route.handle as (ctx: Context, given: typeof input) => ReturnType<Route['handle']>
    let own: Outgoing | undefined
    const work = async (ctx: Context) => {
      own = await reply(route, await placing(places, () => handle(ctx, input)), exchange)
      return own
    }
    const mark = markOf(json, body.uploads)
    const key = route.isCreating ? await readIdempotencyKey(req, ctx, { body: mark, dialect }) : undefined
    const answer = await (key ? once(ctx, key, work as (ctx: Context) => Promise<Answer>) : work(ctx))
    // All that a duplicate did is taken back, its files with it.
    if (answer !== own && body.uploads.files.length > 0) body.uploads.isAdopted = false
    return answer
  })
}

/** Tells what is wrong by its place in what was sent. */
async function placing<Value>(places: () => Placing, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw placed(error, places())
  }
}

/** Leaves no file of a request that failed, or that has been answered before. */
async function keepingFiles(
  { backend, log }: Door,
  { exchange: { id }, project }: { exchange: Exchange; project: string },
  uploads: Uploads,
  work: () => Promise<Outgoing>,
): Promise<Outgoing> {
  if (uploads.files.length === 0) return work()
  let isKept = false
  try {
    const answer = await work()
    isKept = uploads.isAdopted
    return answer
  } finally {
    if (!isKept) await discardUploads(backend, project, uploads.files).catch((error) => log.failure(id, error))
  }
}

/** @throws {SvcError} `UNAUTHORIZED`, `EMAIL_NOT_VERIFIED` */
function requireAllowed({ needs, isReading }: Route, { project, caller }: Identity, method: string | undefined): void {
  if (needs === 'key' && !caller.key) throw new SvcError('UNAUTHORIZED', 'Send an API key; a user token is not enough.')
  if (needs === 'user' && !caller.user) throw new SvcError('UNAUTHORIZED', 'Send the token of a user.')
  const reads = isReading || method === 'GET' || method === 'HEAD'
  if (needs !== 'caller' || reads || !project.settings.requireVerifiedEmail) return
  if (caller.user?.isVerified === false) throw plainError('EMAIL_NOT_VERIFIED')
}

/**
 * No key is needed: what the request carries is a secret of its own. Failures come out of a budget that is asked first,
 * before a body is read or a statement run. Where a key comes along, its project's rules hold.
 */
async function servePublic(door: Door, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'public') throw new Error(`The route "${route.id}" is not public.`)
  const countFailure = route.isFree ? () => undefined : await enterBudget(door, exchange)
  let isGood = false
  try {
    const { answer, isRefused } = await answerPublic(door, route, exchange)
    isGood = answer.status < 400 && !isRefused
    return answer
  } finally {
    if (!isGood) countFailure()
  }
}

async function answerPublic(door: Door, route: Extract<Route, { needs: 'public' }>, exchange: Exchange) {
  const { backend, openToLoopback } = door
  const { authorization, 'x-api-key': key } = exchange.req.headers
  if (!route.isNavigation) await requireKnownOrigin(door, exchange.req)
  if (authorization !== undefined || key !== undefined) {
    const identity = await identifyCaller(backend, exchange.req.headers)
    exchange.dialect = projectDialect(identity.project)
    exchange.isDialectKnown = true
    requireOriginOf(exchange, { allowed: identity.project.settings.allowedOrigins, openToLoopback })
    countRequest(door, identity, exchange)
  }
  const isOfKey = exchange.isDialectKnown
  speak(exchange, isOfKey ? exchange.dialect : await namedDialect(door, exchange))
  const input = await readInput(door, route, exchange)
  const named = isOfKey ? undefined : await route.projectOf?.(backend, input)
  if (named) speak(exchange, projectDialect(named))
  const value = await route.handle(backend, input)
  return { answer: await reply(route, value, exchange), isRefused: isRefused(value) }
}

/** What other sites let a browser do takes nothing from the pages that may call. */
async function enterBudget(door: Door, { req }: Exchange): Promise<() => void> {
  const address = clientAddress(req, door.trustedProxies)
  const isOwn = !isPartOfOtherSite(req) && (await isKnownOrigin(door, req))
  return door.publicBudget.enter(isOwn ? address : `${address} for other sites`)
}

/** A browser is sent on, whether its login was known here or not. */
function isRefused(value: Awaited<ReturnType<Route['handle']>>): boolean {
  return typeof value === 'object' && value !== null && 'isRefused' in value && value.isRefused === true
}

async function serveControl(door: Door, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'control') throw new Error(`The route "${route.id}" is not for the control API.`)
  const { origin, host, 'svc-control-token': token } = exchange.req.headers
  // The same in every dialect.
  exchange.isDialectKnown = true
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages of other origins may not control the emulator.')
  }
  if (door.controlToken === undefined || typeof token !== 'string' || !isSame(token, door.controlToken)) {
    throw new SvcError('UNAUTHORIZED', 'Send the control token of ".svc/emulator.json" as "svc-control-token".')
  }
  const input = await readInput(door, route, exchange)
  return reply(route, await route.handle(door.backend, input), exchange)
}

async function serveAnyone(door: Door, { flat: route }: Endpoint, exchange: Exchange): Promise<Outgoing> {
  if (route.needs !== 'nothing') throw new Error(`The route "${route.id}" is not for everybody.`)
  await requireKnownOrigin(door, exchange.req)
  speak(exchange, await namedDialect(door, exchange))
  const input = await readInput(door, route, exchange)
  return reply(route, await route.handle(door.backend, input), exchange)
}

/** Once the project is known, its own rules hold: a page that another project allows may read nothing of this one. */
function requireOriginOf(exchange: Exchange, rules: OriginRules): void {
  const { origin, host } = exchange.req.headers
  exchange.headers = originHeaders(undefined)
  requireOrigin(origin, host, rules)
  exchange.headers = originHeaders(origin)
}

function countRequest({ limiter }: Door, { project, caller }: Identity, exchange: Exchange): void {
  const state = limiter.count(caller.key?.id ?? project.id, project.settings)
  if (!state) return
  exchange.headers = {
    ...exchange.headers,
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetSeconds),
  }
  const { retryAfterSeconds } = state
  if (retryAfterSeconds === undefined) return
  throw new SvcError('RATE_LIMITED', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, [], {
    retryAfterSeconds,
  })
}

/** What a request says before its body. */
function readHead({ streams, trustedProxies }: Door, route: Route, { req, params, dialect }: Exchange) {
  for (const value of Object.values(params)) if (value.includes('\0')) throw plainError('NOT_FOUND')
  const parameters = readParameters(req.url ?? '')
  const query = route.query?.read(dialect, parameters)
  const guard = route.isGuarded ? readGuard(req.headers['if-match']) : ('any' as const)
  const address = clientAddress(req, trustedProxies)
  const stream = (ctx: Context, wish: Wish) => streamEvents(ctx, wish, dialect, streams)
  return { params, query, dialect, guard, address, headers: req.headers, stream }
}

/** The input of a route that takes no files. */
async function readInput(door: Door, route: Route, exchange: Exchange): Promise<Input<string, unknown, unknown>> {
  const head = readHead(door, route, exchange)
  const { toJson, uploads } = await readBody(route, exchange)
  return { ...head, body: await route.body?.read(head.dialect, await toJson()), uploads }
}

/** Our choice: of a batch only, whose answer is as large as what was sent. */
const nothing: Answer = { status: 204, headers: { 'preference-applied': 'return=minimal' }, body: '' }

function reply(
  route: Route,
  value: Awaited<ReturnType<Route['handle']>>,
  { req, dialect }: Exchange,
): Outgoing | Promise<Outgoing> {
  if (isBatch(route) && asksForNothing(req.headers.prefer)) return nothing
  return writeReply(route.reply, value, dialect, route.status ?? 200)
}

function parameterOf({ url = '' }: IncomingMessage, name: string): string | undefined {
  return readParameters(url).find(([other]) => other === name)?.[1]
}

/** Takes as long whatever the difference. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
