/** Serves a request of a key, a user or a ticket on behalf of a project. */
import type { IncomingMessage } from 'node:http'
import { userRefusal } from '../../client/protocol/model/access/user-refusal.js'
import { plainError } from '../../client/protocol/model/error-words.js'
import { placed, SvcError } from '../../client/protocol/model/errors.js'
import { axes } from '../../client/protocol/wire/axes.js'
import { requireScope } from '../core/access/scopes.js'
import { findCollection } from '../core/collections/collections.js'
import { workLong } from '../core/concurrency/long-reads.js'
import type { Backend, Context, Identity } from '../core/context.js'
import { once, type StoredAnswer } from '../core/documents/idempotency.js'
import { useTicket } from '../core/realtime/tickets.js'
import { unitFor } from '../core/unit-of-work.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { applyFaults } from './faults/apply-faults.js'
import { identifyCaller, isUnknownKey, noKeySent, withinKeyBudget } from './guards/identify.js'
import { dialectHeader, firstReadable, projectDialect, setDialect } from './reply/spoken-dialect.js'
import { admitFiles } from './request/admit-files.js'
import { type Placing, samePlace } from './request/issue-places.js'
import { readIdempotencyKey } from './request/preconditions.js'
import { type Body, fingerprint, readBody } from './request/read-body.js'
import { readParameters } from './request/read-list.js'
import { assignProject } from './requests/record.js'
import { type Endpoint, isInDialect, type Route } from './route.js'
import { countRequest, readHead, reply, requireProjectOrigin } from './serving-steps.js'

export async function serveProject(http: HttpContext, endpoint: Endpoint, exchange: Exchange): Promise<Outgoing> {
  const { isOpenTo } = http
  const identity = await withinKeyBudget(http.publicBudget, exchange.address, () =>
    identify(exchange.backend, endpoint, exchange).catch(async (error) => {
      const byKey = await identifyByKeyAlone(endpoint, exchange, error)
      if (byKey) return byKey
      exchange.isKeyUnknown = isUnknownKey(error)
      throw error
    }),
  )
  const { project } = identity
  assignProject(http, exchange, identity)
  exchange.dialect = projectDialect(project)
  exchange.isDialectKnown = true
  requireProjectOrigin(exchange, { allowed: project.settings.allowedOrigins, isOpenTo })
  await countRequest(http, identity, exchange)
  setDialect(http, exchange, exchange.dialect)
  await applyFaults(http, exchange)

  const { backend } = exchange
  const { route, params } = await findRoute({ ...identity, ...unitFor(backend) }, endpoint, exchange)
  exchange.route = route.id
  const refusals = axes.refusals[exchange.dialect.refusals]
  requireServed(route, exchange)
  requireAllowed(route, identity)
  const head = { ...readHead(http, route, exchange), params }
  const ctx: Context = {
    ...identity,
    ...unitFor(backend),
    requestId: exchange.id,
    room: exchange.room,
    leniency: refusals.leniency,
  }
  const room = await admitFiles(ctx, route, exchange, head)
  try {
    const body = await readBody(http, route, exchange, { backend, project, room })
    return await answerWith(http, ctx, route, exchange, { head, body })
  } finally {
    room?.close()
  }
}

/** Chooses the route by the dialect, and by the collections that the project has. */
async function findRoute(ctx: Context, endpoint: Endpoint, { dialect, params }: Exchange) {
  const route = endpoint[dialect.paths]
  const { gives } = route
  if (!gives || !(await findCollection(ctx, gives.way))) return { route, params }
  return { route: gives.to, params: { collection: gives.way } }
}

async function answerWith(
  http: HttpContext,
  ctx: Context,
  route: Route,
  exchange: Exchange,
  parts: RequestParts,
): Promise<Outgoing> {
  const { uploads } = parts.body
  try {
    const { answer, isRepeated } = await answerOnce(ctx, route, exchange, parts)
    // A duplicate is rolled back completely, including its files.
    if (!isRepeated) uploads.commit()
    return answer
  } finally {
    await uploads.dispose().catch((error) => http.log.failure(exchange.id, error))
  }
}

function identify(backend: Backend, { flat: route }: Endpoint, exchange: Exchange): Promise<Identity> {
  const { req, replay } = exchange
  if (replay?.identity) return Promise.resolve(replay.identity)
  if (!route.takesTicket) return identifyCaller(backend, req.headers)
  exchange.requestedDialect = readParameter(req, 'dialect')
  const ticket = readParameter(req, 'ticket')
  return ticket ? useTicket(backend, ticket) : identifyCaller(backend, req.headers)
}

/** Ignores an invalid user token beside a valid key, in dialects that take its sender for nobody. */
async function identifyByKeyAlone(
  { flat: route }: Endpoint,
  { backend, req }: Exchange,
  error: unknown,
): Promise<Identity | undefined> {
  const { authorization, ...headers } = req.headers
  const isBad = error instanceof SvcError && error.code === 'INVALID_TOKEN'
  if (!isBad || route.needs !== 'caller' || authorization === undefined || headers['x-api-key'] === undefined) {
    return undefined
  }
  const identity = await identifyCaller(backend, headers)
  const { refusals } = firstReadable([dialectHeader(req)], projectDialect(identity.project))
  return axes.refusals[refusals].refusesBadTokens ? undefined : identity
}

/** @throws {SvcError} `UNAUTHORIZED` without a key, `METHOD_NOT_ALLOWED` for a method that the dialect lacks */
function requireServed(route: Route, { req, replay, dialect }: Exchange): void {
  const hasKey = req.headers['x-api-key'] !== undefined || route.takesTicket || replay !== undefined
  if (axes.refusals[dialect.refusals].requiresKey && !hasKey) throw noKeySent()
  if (isInDialect(route, dialect)) return
  const message = 'A document cannot be put in this dialect. Use PATCH.'
  throw new SvcError('METHOD_NOT_ALLOWED', message, [], { allow: ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'] })
}

/** @throws {SvcError} `UNAUTHORIZED`, `FORBIDDEN`, `EMAIL_NOT_VERIFIED` */
function requireAllowed({ needs, scope, isReading, method }: Route, { project, caller }: Identity): void {
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

interface RequestParts {
  readonly head: ReturnType<typeof readHead>
  readonly body: Body
}

/** Handles the request, or repeats the stored answer if its idempotency key was used before. */
async function answerOnce(
  ctx: Context,
  route: Route,
  exchange: Exchange,
  { head, body }: RequestParts,
): Promise<Answered> {
  const { req, dialect } = exchange
  const json = await body.toJson()
  const read = await placing(
    () => body.places(samePlace),
    () => route.body?.read(dialect, json),
  )
  const input = { ...head, body: read, uploads: body.uploads }
  const places = () => body.places(route.body?.places?.(dialect, json) ?? samePlace)
  // Safe, because `requireAllowed` has checked the kind of caller that the route needs.
  const handle = route.handle as (ctx: Context, given: typeof input) => ReturnType<Route['handle']>
  const work = async (ctx: Context) => reply(route, await placing(places, () => handle(ctx, input)), exchange)
  const mark = fingerprint(json, body.uploads)
  const answer = async (ctx: Context): Promise<Answered> => {
    const key = route.isCreating ? await readIdempotencyKey(req, ctx, { body: mark, dialect }) : undefined
    if (!key) return { answer: await work(ctx), isRepeated: false }
    // Routes that create never answer with a stream.
    return once(ctx, key, work as (ctx: Context) => Promise<StoredAnswer>)
  }
  return body.isLarge ? workLong(ctx, answer) : answer(ctx)
}

interface Answered {
  readonly answer: Outgoing
  readonly isRepeated: boolean
}

/** Maps the paths of issues to places in the request body. */
async function placing<Value>(places: () => Placing, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw placed(error, places())
  }
}

function readParameter({ url = '' }: IncomingMessage, name: string): string | undefined {
  return readParameters(url).find(([other]) => other === name)?.[1]
}
