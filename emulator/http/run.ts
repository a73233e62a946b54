/** Runs a request, from its first header to the last byte of its answer. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { plainError } from '../../client/protocol/model/error-words.js'
import { writeJson } from '../../client/protocol/model/json.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { encodeError } from '../../client/protocol/wire/records/documents.js'
import { openTrace, tracedBackend } from '../core/requests/trace.js'
import { activeFaults, mayLoseAnswer } from './faults/apply-faults.js'
import { clientAddress } from './guards/client-address.js'
import { describeCaller } from './guards/identify.js'
import { isKnownOrigin } from './guards/known-origins.js'
import { originHeaders, requireOneHost } from './guards/origins.js'
import type { HttpContext } from './http-context.js'
import { clientClosedRequest, ownPaths } from './logging/log.js'
import { loggedFailure } from './reply/logged-failure.js'
import { type Sent, send } from './reply/send.js'
import { namedDialect, readableDialect } from './reply/spoken-dialect.js'
import { openHeldBody } from './request/held-body.js'
import { Aborted } from './request/read-json.js'
import type { Captured } from './requests/capture.js'
import { record, takeReplay } from './requests/record.js'
import type { Abandoned, Answered, Incoming, Reach, Serve } from './stages.js'

/** Serves a request and always answers it; never rejects. `pattern` stands for its path in the log. */
export async function run(
  http: HttpContext,
  pattern: string,
  serve: Serve,
  req: IncomingMessage & { params?: object },
  res: ServerResponse,
): Promise<void> {
  const startedAt = performance.now()
  const params: Record<string, string> = { ...req.params }
  // SQL cannot hold U+0000, so no handler may see such a parameter.
  const isServed = !Object.values(params).some((value) => value.includes('\0'))
  const incoming = receive(http, pattern, req, isServed ? params : {})
  const answered = await answer(http, isServed ? serve : serveNothing, incoming)
  incoming.held.end()
  await deliver(http, answered, { pattern, startedAt }, res)
    .catch((error) => sendFailure(http, res, answered, error))
    .finally(incoming.room.leave)
}

function serveNothing(): never {
  throw plainError('NOT_FOUND')
}

function isOwn(path: string): boolean {
  return path.startsWith(ownPaths)
}

/** Starts to measure the request, unless it is one of the emulator's own. */
function receive(http: HttpContext, pattern: string, req: IncomingMessage, params: Incoming['params']): Incoming {
  const { backend, memory, trustedProxies } = http
  const address = clientAddress(req, trustedProxies)
  const isMeasured = backend.requests.isOn && !isOwn(pattern) && !isOwn(req.url ?? '')
  const trace = isMeasured ? openTrace() : undefined
  return {
    req,
    address,
    id: randomUUID(),
    params,
    replay: takeReplay(http, req),
    held: openHeldBody(memory, address),
    room: memory.openRoom(address),
    trace,
    backend: trace ? tracedBackend(backend, trace) : backend,
    headers: originHeaders(undefined),
    route: undefined,
    requestedDialect: undefined,
    isRefused: false,
    project: undefined,
    caller: undefined,
    hasControl: false,
    dialect: undefined,
    faults: [],
    served: undefined,
    ctx: undefined,
  }
}

/** Serves a request. An error is answered with everything that was known by then. */
async function answer(http: HttpContext, serve: Serve, incoming: Incoming): Promise<Answered | Abandoned> {
  let known = incoming
  const reach: Reach = (next) => {
    known = next
    return next
  }
  try {
    const answer = await serve(await enter(http, incoming, reach), reach)
    const dialect = known.dialect ?? readableDialect(known, await namedDialect(http, known))
    return { known: { ...known, dialect }, answer }
  } catch (error) {
    if (error instanceof Aborted) return { known }
    // An error that cannot be encoded becomes an internal error.
    return fail(http, known, error).catch((unencodable) => fail(http, known, unencodable))
  }
}

/** Waits for the request's turn, and checks its host and origin. */
async function enter(http: HttpContext, incoming: Incoming, reach: Reach): Promise<Incoming> {
  const { req, backend, headers } = incoming
  const { host, origin } = req.headers
  await beginTurn(http, incoming).catch((error) => {
    // Reading the project's dialect would wait for the database again.
    reach({ ...incoming, dialect: dialects.a })
    throw error
  })
  if (req.socket.destroyed) throw new Aborted()
  requireOneHost(req)
  http.requireHost(host)
  const reachedAt = http.requestedOrigin(host)
  const isPage = origin !== undefined && (await isKnownOrigin(http, req))
  if (reachedAt === undefined && !isPage) return incoming
  return reach({
    ...incoming,
    backend: reachedAt === undefined ? backend : { ...backend, reachedAt: () => reachedAt },
    headers: isPage ? originHeaders(origin) : headers,
  })
}

/** Addresses take turns, and so do the keys used from one address, whether valid or not. */
async function beginTurn(http: HttpContext, { req, address }: Incoming): Promise<void> {
  const { 'x-api-key': key, authorization } = req.headers
  const credentials = String(key ?? authorization ?? '')
  const turns = credentials === '' ? http.turns : http.databaseTurns
  await turns.take([address, credentials])
}

async function fail(http: HttpContext, known: Incoming, error: unknown): Promise<Answered> {
  const failure = loggedFailure(http, known.id, error)
  // If the database is down, the project's dialect is unknown.
  const base = known.dialect ?? (await namedDialect(http, known).catch(() => dialects.a))
  const dialect = readableDialect(known, base)
  const { status, headers, body } = encodeError(dialect, failure)
  const answer = {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...headers,
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: writeJson(body),
  }
  return { known: { ...known, dialect }, answer, error: failure }
}

type Begun = Pick<Captured, 'pattern' | 'startedAt'>

/** Sends, records and logs the answer. */
async function deliver(
  http: HttpContext,
  answered: Answered | Abandoned,
  begun: Begun,
  res: ServerResponse,
): Promise<void> {
  const { known, answer, error } = answered
  // Loses the answer although the request was carried out.
  if (activeFaults(known.faults, ['drop']).length > 0) res.destroy()
  const latency = isOwn(begun.pattern) ? 0 : http.latency()
  if (latency > 0) await pause(latency)
  // A stream has to learn that its client has disconnected.
  if (!answer || (res.destroyed && !('open' in answer))) {
    const hasCallerLeft = !mayLoseAnswer(known.faults)
    record(http, known, { hasCallerLeft, error, ...begun }, res)
    if (hasCallerLeft) log(http, known, begun, clientClosedRequest)
    return
  }
  const answeredAt = performance.now()
  const sent = await send(http, res, answered).catch((failure) => sendFailure(http, res, answered, failure))
  record(http, known, { answeredAt, ...begun, ...sent }, res)
  log(http, known, begun, res.statusCode)
}

/** Answers with an internal error if the answer could not be written. An answer that has begun can only be aborted. */
async function sendFailure(
  http: HttpContext,
  res: ServerResponse,
  { known, error }: Answered | Abandoned,
  failure: unknown,
): Promise<Sent> {
  if (!res.headersSent) return send(http, res, await fail(http, known, failure))
  http.log.failure(known.id, failure)
  res.destroy()
  return { error }
}

function log(
  http: HttpContext,
  { req, id, hasControl, caller }: Incoming,
  { pattern, startedAt }: Begun,
  status: number,
): void {
  if (!http.log.isOpen) return
  http.log.request({
    ...{ method: req.method ?? '', path: readPath(req), route: pattern, status },
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    requestId: id,
    who: hasControl ? 'control token' : describeCaller(caller),
  })
}

/** Drops the query, which may hold codes, tickets and search terms. */
function readPath({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
