/** What a request meets between the door and the core: who asks, from where, how often, in which form. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { SvcError } from '../../client/model/errors.js'
import type { JsonObject } from '../../client/model/json.js'
import type { Project } from '../../client/model/project.js'
import { type Dialect, dialects, readDialect } from '../../client/wire/dialect.js'
import type { Context, Identity } from '../core/context.js'
import { type Answer, once } from '../core/idempotency.js'
import { identifyCaller } from './identify.js'
import { isOwnOrigin, mayCall, originHeaders, requireOrigin } from './origins.js'
import { hasAlready, readGuard, readIdempotencyKey } from './preconditions.js'
import { readJsonObject } from './read-json.js'
import { readParameters } from './read-list.js'
import { writeReply } from './reply.js'
import type { Input, Route } from './route.js'
import { type Door, dialectHeader, type Exchange } from './run.js'

/** The route that a path and method mean, by the `paths` axis; nearly always the same. */
export type Endpoint = { readonly [Place in Dialect['paths']]: Route }

/** @throws {SvcError} whatever stands between this request and its answer */
export async function serveRoute(door: Door, endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
  const serve = servers[endpoint.flat.needs]
  const answer = await serve(door, endpoint, exchange)
  const { method, headers } = exchange.req
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading || !hasAlready(headers['if-none-match'], answer.headers.etag)) return answer
  return { status: 304, headers: answer.headers, body: '' }
}

type Server = (door: Door, endpoint: Endpoint, exchange: Exchange) => Promise<Answer>

const servers: { readonly [Need in Route['needs']]: Server } = {
  key: serveProject,
  control: serveControl,
  nothing: serveAnyone,
}

async function serveProject(door: Door, endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
  const { backend, openToLoopback } = door
  const { req } = exchange
  const { origin, host } = req.headers
  // Pages of this machine may read that their key is wrong; of other pages nobody knows yet whether they may call.
  if (mayCall(origin, host, { allowed: [], openToLoopback })) exchange.headers = originHeaders(origin)

  const identity = await identifyCaller(backend, req.headers)
  const { settings } = identity.project
  exchange.dialect = projectDialect(identity.project)
  requireOrigin(origin, host, { allowed: settings.allowedOrigins, openToLoopback })
  exchange.headers = originHeaders(origin)
  countRequest(door, identity, exchange)
  exchange.dialect = readDialect(dialectHeader(req), exchange.dialect)

  const route = endpoint[exchange.dialect.paths]
  if (route.needs !== 'key') throw new Error(`The route "${route.id}" shares its path with one for other callers.`)
  const { input, json } = await readInput(route, exchange)
  const ctx: Context = { ...identity, backend, db: backend.db, inTransaction: false }
  const work = async (ctx: Context) => reply(route, await route.handle(ctx, input), exchange)
  const key = route.isCreating ? readIdempotencyKey(req, ctx, { body: json, dialect: exchange.dialect }) : undefined
  return key ? once(ctx, key, work) : work(ctx)
}

async function serveControl(door: Door, { flat: route }: Endpoint, exchange: Exchange): Promise<Answer> {
  if (route.needs !== 'control') throw new Error(`The route "${route.id}" is not for the control API.`)
  const { origin, host, 'svc-control-token': token } = exchange.req.headers
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new SvcError('ORIGIN_NOT_ALLOWED', 'Pages of other origins may not control the emulator.')
  }
  if (door.controlToken === undefined || typeof token !== 'string' || !isSame(token, door.controlToken)) {
    throw new SvcError('UNAUTHORIZED', 'Send the control token of ".svc/emulator.json" as "svc-control-token".')
  }
  const { input } = await readInput(route, exchange)
  return reply(route, await route.handle(door.backend, input), exchange)
}

async function serveAnyone(door: Door, { flat: route }: Endpoint, exchange: Exchange): Promise<Answer> {
  if (route.needs !== 'nothing') throw new Error(`The route "${route.id}" is not for everybody.`)
  const { origin, host } = exchange.req.headers
  requireOrigin(origin, host, { allowed: [], openToLoopback: door.openToLoopback })
  exchange.headers = originHeaders(origin)
  const { input } = await readInput(route, exchange)
  return reply(route, await route.handle(door.backend, input), exchange)
}

const projectDialects = new WeakMap<Project, Dialect>()

function projectDialect(project: Project): Dialect {
  const known = projectDialects.get(project)
  if (known) return known
  const dialect = readDialect(project.settings.dialect, dialects.a)
  projectDialects.set(project, dialect)
  return dialect
}

function countRequest({ limiter }: Door, { project, caller }: Identity, exchange: Exchange): void {
  const state = limiter.count(caller.id, project.settings)
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

async function readInput(
  route: Route,
  { req, params, dialect }: Exchange,
): Promise<{ input: Input<string, unknown, unknown>; json: JsonObject }> {
  for (const value of Object.values(params)) if (value.includes('\0')) throw new SvcError('NOT_FOUND')
  const parameters = readParameters(req.url ?? '')
  const query = route.query?.read(dialect, parameters)
  const guard = route.isGuarded ? readGuard(req.headers['if-match']) : 'any'
  const json = route.body ? await readJsonObject(req) : {}
  return { input: { params, body: route.body?.read(dialect, json), query, dialect, guard }, json }
}

function reply(route: Route, value: Awaited<ReturnType<Route['handle']>>, { dialect }: Exchange): Answer {
  return writeReply(route.reply, value, dialect, route.status ?? 200)
}

/** Takes as long whatever the difference. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
