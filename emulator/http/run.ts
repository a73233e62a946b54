/** The life of a request, from its first header to the last byte of its answer. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SvcError } from '../../client/model/errors.js'
import { writeJson } from '../../client/model/json.js'
import { writeError } from '../../client/wire/answers.js'
import { type Dialect, dialects, readDialect } from '../../client/wire/dialect.js'
import type { Backend } from '../core/context.js'
import { databaseFault } from '../core/database-faults.js'
import type { Answer } from '../core/idempotency.js'
import type { Log } from './log.js'
import type { RateLimiter } from './rate-limit.js'
import { Aborted } from './read-json.js'
import type { Stream, Streams } from './sse.js'

/** What all requests of a process share. */
export interface Door {
  readonly backend: Backend
  readonly log: Log
  readonly limiter: RateLimiter
  /** Refuses a request by the name it calls us. */
  readonly requireHost: (host: string | undefined) => void
  readonly openToLoopback: boolean
  readonly controlToken: string | undefined
  readonly streams: Streams
}

/** One request on its way, and what is known of it so far. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly id: string
  /** The parts of its path that have a name. */
  readonly params: Readonly<Record<string, string>>
  /** What the answer is written in: `a`, then the project's, then what the request asked for. */
  dialect: Dialect
  /** Headers for the answer, whether it goes well or not. */
  headers: Readonly<Record<string, string>>
}

/** An answer that is there, or one that goes on after its headers. */
export type Outgoing = Answer | (Pick<Answer, 'status' | 'headers'> & Stream)

export type Serve = (exchange: Exchange) => Outgoing | Promise<Outgoing>

/** Serves a request and answers it, whatever happens. `pattern` stands for its path in the log. */
export async function run(
  door: Door,
  pattern: string,
  serve: Serve,
  req: IncomingMessage & { params?: object },
  res: ServerResponse,
): Promise<void> {
  const startedAt = performance.now()
  const exchange: Exchange = { req, id: randomUUID(), params: { ...req.params }, dialect: dialects.a, headers: {} }
  const answer = await serveOrFail(door, serve, exchange)
  // What goes on after its headers has to learn that nobody is there any more.
  if (!answer || (res.destroyed && !('open' in answer))) return
  send(res, exchange, answer)
  if (!door.log.isOpen) return
  door.log.request({
    method: req.method ?? '',
    route: pattern,
    status: answer.status,
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    requestId: exchange.id,
  })
}

async function serveOrFail(door: Door, serve: Serve, exchange: Exchange): Promise<Outgoing | undefined> {
  try {
    door.requireHost(exchange.req.headers.host)
    return await serve(exchange)
  } catch (error) {
    return error instanceof Aborted ? undefined : answerFailure(door, exchange, error)
  }
}

function answerFailure({ log }: Door, { req, id, dialect }: Exchange, error: unknown): Answer {
  const known = error instanceof SvcError ? error : databaseFault(error)
  if (!known) log.failure(id, error)
  const failure = known ?? new SvcError('INTERNAL', `Something went wrong on our side. The log has more under "${id}".`)
  const { status, headers, body } = writeError(readDialectOr(dialect, req), failure)
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

/** What the request asked for, on top of what is known already; just that if it cannot be read. */
function readDialectOr(known: Dialect, req: IncomingMessage): Dialect {
  try {
    return readDialect(dialectHeader(req), known)
  } catch {
    return known
  }
}

export function dialectHeader(req: IncomingMessage): string | undefined {
  const header = req.headers['svc-dialect']
  return Array.isArray(header) ? header.join(', ') : header
}

function send(res: ServerResponse, { id, headers }: Exchange, answer: Outgoing): void {
  const isBodiless = answer.status === 204 || answer.status === 304 || 'open' in answer
  res.writeHead(answer.status, {
    'cache-control': 'no-store',
    ...answer.headers,
    ...headers,
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    ...(isBodiless ? {} : { 'content-length': Buffer.byteLength(answer.body) }),
  })
  if ('open' in answer) answer.open(res)
  else res.end(isBodiless ? undefined : answer.body)
}
