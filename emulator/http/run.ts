/** Runs a request, from its first header to the last byte of its answer. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { plainError } from '../../client/protocol/model/error-words.js'
import { httpStatus } from '../../client/protocol/model/errors.js'
import type { Fault } from '../../client/protocol/model/faults/fault.js'
import { writeJson } from '../../client/protocol/model/json.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { encodeError } from '../../client/protocol/wire/records/documents.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import type { Exchange, HttpContext, Outgoing, Serve } from './exchange.js'
import { endFaultily } from './faults/answer-faultily.js'
import { activeFaults } from './faults/apply-faults.js'
import { clientAddress } from './guards/client-address.js'
import { describeCaller } from './guards/identify.js'
import { isKnownOrigin } from './guards/known-origins.js'
import { originHeaders, requireOneHost } from './guards/origins.js'
import { clientClosedRequest, ownPaths } from './logging/log.js'
import type { Stream } from './realtime/sse.js'
import { loggedFailure } from './reply/logged-failure.js'
import { dialectHeaders, namedDialect, setReadableDialect } from './reply/spoken-dialect.js'
import { answerWhileSending, isSending } from './reply/unread-bodies.js'
import { countBytes, endWith, type Text } from './reply/write-steps.js'
import { openHeldBody } from './request/held-body.js'
import { Aborted } from './request/read-json.js'
import type { GivenAnswer } from './requests/capture.js'
import { record, takeReplay, trace } from './requests/record.js'

/** Serves a request and always answers it; never rejects. `pattern` stands for its path in the log. */
export async function run(
  http: HttpContext,
  pattern: string,
  serve: Serve,
  req: IncomingMessage & { params?: object },
  res: ServerResponse,
): Promise<void> {
  const startedAt = performance.now()
  const address = clientAddress(req, http.trustedProxies)
  const params: Record<string, string> = { ...req.params }
  // SQL cannot hold U+0000, so no handler may see such a parameter.
  const isServed = !Object.values(params).some((value) => value.includes('\0'))
  const exchange: Exchange = {
    req,
    address,
    id: randomUUID(),
    params: isServed ? params : {},
    dialect: dialects.a,
    isDialectKnown: false,
    isKeyUnknown: false,
    requestedDialect: undefined,
    headers: originHeaders(undefined),
    backend: http.backend,
    trace: undefined,
    route: undefined,
    project: undefined,
    caller: undefined,
    hasControl: false,
    held: openHeldBody(http.memory, address),
    room: http.memory.openRoom(address),
    error: undefined,
    faults: [],
    replay: takeReplay(http, req),
  }
  // An error that cannot be encoded becomes an internal error.
  await answerAndRecord(http, exchange, { pattern, startedAt, serve: isServed ? serve : serveNothing }, res)
    .catch((error) => sendFailure(http, res, exchange, error))
    .finally(exchange.room.leave)
}

function serveNothing(): never {
  throw plainError('NOT_FOUND')
}

interface Served {
  readonly pattern: string
  readonly startedAt: number
  readonly serve: Serve
}

async function answerAndRecord(
  http: HttpContext,
  exchange: Exchange,
  served: Served,
  res: ServerResponse,
): Promise<void> {
  const { req } = exchange
  const { pattern, startedAt, serve } = served
  const isOwn = pattern.startsWith(ownPaths)
  if (http.backend.requests.isOn && !isOwn && !req.url?.startsWith(ownPaths)) trace(exchange)
  const answer = await serveOrFail(http, serve, exchange)
  // Loses the answer although the request was carried out.
  if (activeFaults(exchange, ['drop']).length > 0) res.destroy()
  const latency = isOwn ? 0 : http.latency()
  if (latency > 0) await pause(latency)
  // A stream has to learn that its client has disconnected.
  if (!answer || (res.destroyed && !('open' in answer))) {
    const hasCallerLeft = exchange.faults.length === 0
    record(http, exchange, { pattern, startedAt, hasCallerLeft }, res)
    if (hasCallerLeft) log(http, exchange, served, clientClosedRequest)
    return
  }
  const answeredAt = performance.now()
  const sent = await send(http, res, exchange, answer).catch((error) => sendFailure(http, res, exchange, error))
  record(http, exchange, { pattern, startedAt, answeredAt, answer: sent }, res)
  log(http, exchange, served, res.statusCode)
}

function log(
  http: HttpContext,
  { req, id, hasControl, caller }: Exchange,
  { pattern, startedAt }: Served,
  status: number,
) {
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

async function serveOrFail(http: HttpContext, serve: Serve, exchange: Exchange): Promise<Outgoing | undefined> {
  try {
    const { req } = exchange
    await beginTurn(http, exchange).catch((error) => {
      // Reading the project's dialect would wait for the database again.
      exchange.isDialectKnown = true
      throw error
    })
    if (req.socket.destroyed) throw new Aborted()
    requireOneHost(req)
    http.requireHost(req.headers.host)
    const origin = http.requestedOrigin(req.headers.host)
    if (origin !== undefined) exchange.backend = { ...exchange.backend, reachedAt: () => origin }
    if (req.headers.origin !== undefined && (await isKnownOrigin(http, req))) {
      exchange.headers = originHeaders(req.headers.origin)
    }
    const answer = await serve(exchange)
    if (!exchange.isDialectKnown) setReadableDialect(exchange, await namedDialect(http, exchange))
    return answer
  } catch (error) {
    return error instanceof Aborted ? undefined : answerFailure(http, exchange, error)
  } finally {
    exchange.held.end()
  }
}

/** Addresses take turns, and so do the keys used from one address, whether valid or not. */
async function beginTurn(http: HttpContext, { req, address }: Exchange): Promise<void> {
  const { 'x-api-key': key, authorization } = req.headers
  const credentials = String(key ?? authorization ?? '')
  const turns = credentials === '' ? http.turns : http.databaseTurns
  await turns.take([address, credentials])
}

async function answerFailure(http: HttpContext, exchange: Exchange, error: unknown): Promise<StoredAnswer> {
  const { id } = exchange
  const failure = loggedFailure(http, id, error)
  exchange.error = failure
  const isRefused = httpStatus(failure) === 401 || exchange.isKeyUnknown
  // If the database is down, the project's dialect is unknown.
  const base = exchange.isDialectKnown
    ? exchange.dialect
    : await namedDialect(http, exchange, { isRefused }).catch(() => dialects.a)
  setReadableDialect(exchange, base)
  const { status, headers, body } = encodeError(exchange.dialect, failure)
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...headers,
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: writeJson(body),
  }
}

/** Answers with an internal error if the answer could not be written. An answer that has begun can only be aborted. */
async function sendFailure(http: HttpContext, res: ServerResponse, exchange: Exchange, error: unknown): Promise<Sent> {
  if (!res.headersSent) return send(http, res, exchange, await answerFailure(http, exchange, error))
  http.log.failure(exchange.id, error)
  res.destroy()
  return undefined
}

/** The sent answer; undefined if it was aborted. */
type Sent = GivenAnswer | undefined

async function send(http: HttpContext, res: ServerResponse, exchange: Exchange, answer: Outgoing): Promise<Sent> {
  const { req, id, dialect } = exchange
  const isStream = 'open' in answer
  const isEarly = !isStream && isSending(req)
  const isBodiless = answer.status === 204 || answer.status === 304 || isStream
  const sendsBody = !isBodiless && req.method !== 'HEAD'
  const faults = faultsInAnswer(exchange, isStream, sendsBody)
  // Once per answer: counting a large text takes milliseconds.
  const bytes = isStream ? 0 : countBytes(answer.body)
  const headers = {
    'cache-control': 'no-store',
    ...answer.headers,
    ...exchange.headers,
    ...dialectHeaders(dialect),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    ...(isEarly ? { connection: 'close' } : {}),
    ...(isBodiless ? {} : { 'content-length': bytes }),
  }
  exchange.room.keep(bytes)
  res.writeHead(answer.status, headers)
  if ('open' in answer) {
    openStream(http, exchange, res, answer, faults)
    return { status: answer.status, headers, body: null }
  }
  if (isEarly) sendEarly(http, exchange, res, sendsBody ? { text: answer.body, bytes } : { text: '', bytes: 0 })
  else if (sendsBody) await sendBody(http, exchange, res, { text: answer.body, bytes }, faults)
  else res.end()
  return { status: answer.status, headers, body: isBodiless ? '' : answer.body }
}

function faultsInAnswer(exchange: Exchange, isStream: boolean, sendsBody: boolean): readonly Fault[] {
  if (isStream) return activeFaults(exchange, ['stall'])
  return sendsBody ? activeFaults(exchange, ['slow', 'cut']) : []
}

interface Body {
  readonly text: Text
  readonly bytes: number
}

function sendBody(
  { readers }: HttpContext,
  { room }: Exchange,
  res: ServerResponse,
  { text, bytes }: Body,
  faults: readonly Fault[],
): Promise<void> {
  const sending = faults.length > 0 ? endFaultily(res, text, faults) : endWith(res, text)
  // Nearly every answer is taken at once, so it needs no watching.
  if (res.writableLength > 0 || !res.writableEnded) readers.watch(res, room, bytes)
  return sending
}

function sendEarly(
  { chunks, readers }: HttpContext,
  { room }: Exchange,
  res: ServerResponse,
  { text, bytes }: Body,
): void {
  answerWhileSending(chunks, res, text)
  readers.watch(res, room, bytes)
}

/** The approximate read-ahead of a file download. With the limit on files, it also bounds open descriptors. */
const streamBytes = 64 * 1024

/** Flushes the headers first, as one text. Otherwise Node holds them in some fifty pieces for as long as the answer lasts. */
function openStream(
  { chunks, readers }: HttpContext,
  { room }: Exchange,
  res: ServerResponse,
  stream: Stream,
  faults: readonly Fault[],
): void {
  res.flushHeaders()
  // A fault silences the stream. It still ends like any other.
  if (faults.length > 0) res.write = () => true
  stream.open(res)
  if (stream.hasBackpressure) chunks.release(res.req.socket)
  else readers.watch(res, room, streamBytes, 'file')
}
