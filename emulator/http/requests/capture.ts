/** What is kept of a request once it was answered: bounded, and without what opens anything. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import {
  type KeptBody,
  type KeptRequest,
  type KeptStatement,
  type Timing,
  valuesLength,
} from '../../core/requests/request-log.js'
import type { Trace, TracedStatement } from '../../core/requests/trace.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { clientAddress } from '../guards/client-address.js'
import { dialectHeaders } from '../reply/spoken-dialect.js'
import { bytesOf, type Text } from '../reply/write-steps.js'
import { cutMark, maskedHeader } from './masking.js'
import { isSecretPath, maskedSecretBody, maskedUrl, type Secrets, scrubbed } from './secret-routes.js'

/** Of a body, of an address, of all headers, of a statement and of its values. */
const maxBodyBytes = 64 * 1024
const mostUrlCharacters = 8 * 1024
const mostHeaderCharacters = 8 * 1024
const mostStatementCharacters = 8 * 1024
const mostValueCharacters = 4 * 1024

/** What a request was answered. */
export interface GivenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  /** null of an answer that goes on after its headers. */
  readonly body: Text | null
}

export interface Captured {
  /** What stands for the path of its route. */
  readonly pattern: string
  readonly startedAt: number
  /** When the answer was there to be sent; left out, it never was. */
  readonly answeredAt?: number
  /** Or was sent away by a stop; left out, whatever broke off is a fault of the service, or a simulated one. */
  readonly hasCallerLeft?: boolean
  readonly answer?: GivenAnswer
}

export function captured(http: HttpContext, exchange: Exchange, trace: Trace, seen: Captured): KeptRequest {
  const { req, id } = exchange
  const { pattern, startedAt, answeredAt, answer, hasCallerLeft = false } = seen
  const { url = '', method = '' } = req
  const isSecret = isSecretPath(pattern === '*' ? url : pattern)
  const secrets: Secrets | undefined = isSecret ? { found: new Set() } : undefined
  const endedAt = performance.now()
  trace.isOver = true
  const timing = timingOf(trace, { startedAt, answeredAt: answeredAt ?? endedAt, endedAt })
  const shortUrl = url.length > mostUrlCharacters ? `${cut(url, mostUrlCharacters)}${cutMark}` : url
  return {
    id,
    at: Date.now() - timing.total,
    state: answer === undefined ? 'aborted' : answer.body === null ? 'open' : 'answered',
    method,
    url: secrets ? maskedUrl(secrets, shortUrl, pattern) : shortUrl,
    route: exchange.route ?? null,
    isSecret,
    project: exchange.project?.id ?? null,
    caller: exchange.caller,
    dialect: dialectHeaders(exchange.dialect)['svc-dialect'],
    status: answer?.status ?? null,
    address: clientAddress(req, http.trustedProxies),
    origin: req.headers.origin ?? null,
    headers: keptHeaders(req.headers),
    // Before the answer, which may repeat its secrets.
    body: requestBody(req, exchange.received, secrets),
    answerHeaders: keptHeaders(answer?.headers ?? {}),
    answerBody: answerBody(answer, method, secrets),
    error: exchange.error && keptError(exchange.error, secrets),
    timing,
    statements: trace.statements.map((statement) => keptStatement(statement, isSecret)),
    statementCount: trace.statementCount,
    hasCallerLeft,
    replayOf: exchange.replay?.of ?? null,
  }
}

/** What a stream came to: how much longer it took, and the bytes that its connection has sent. */
export function endedStream(request: KeptRequest, longer: number, bytes: number): KeptRequest {
  const { timing, answerBody } = request
  return {
    ...request,
    state: 'answered',
    answerBody: { ...answerBody, bytes },
    timing: { ...timing, total: timing.total + longer, writing: timing.writing + longer },
  }
}

function timingOf(
  { receiving, queue, database, hashing }: Trace,
  { startedAt, answeredAt, endedAt }: { startedAt: number; answeredAt: number; endedAt: number },
): Timing {
  return { total: endedAt - startedAt, receiving, queue, database, hashing, writing: endedAt - answeredAt }
}

function keptHeaders(headers: IncomingHttpHeaders | GivenAnswer['headers']): Record<string, string> {
  const kept: Record<string, string> = {}
  let left = mostHeaderCharacters
  for (const name in headers) {
    const given = headers[name]
    if (given === undefined) continue
    const value = maskedHeader(name, Array.isArray(given) ? given.join(', ') : String(given))
    left -= name.length + value.length
    if (left < 0) break
    kept[name] = value
  }
  return kept
}

function requestBody(req: IncomingMessage, received: Buffer | undefined, secrets: Secrets | undefined): KeptBody {
  const { 'content-type': type = null, 'content-length': length } = req.headers
  if (received) return keptText(received, { type, secrets })
  const isEmpty = req.headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0
  const bytes = isEmpty ? 0 : length === undefined ? null : Number(length)
  const isForm = type?.startsWith('multipart/') === true
  return nothingOf({ type, bytes, leftOut: isEmpty ? 'empty' : isForm ? 'binary' : 'unread' })
}

function answerBody(answer: GivenAnswer | undefined, method: string, secrets: Secrets | undefined): KeptBody {
  const type = answer ? String(answer.headers['content-type'] ?? '') || null : null
  if (!answer) return nothingOf({ type, bytes: 0, leftOut: 'empty' })
  const { body } = answer
  if (body === null)
    return nothingOf({ type, bytes: Number(answer.headers['content-length'] ?? 0) || null, leftOut: 'stream' })
  if (body.length === 0 || method === 'HEAD') return nothingOf({ type, bytes: 0, leftOut: 'empty' })
  return keptText(body, { type, secrets })
}

/** The text of a body, or as much of it as is kept. Bytes are copied, since they may be a part of something longer. */
function keptText(
  content: Buffer | Text,
  { type, secrets }: { type: string | null; secrets: Secrets | undefined },
): KeptBody {
  const bytes = Buffer.isBuffer(content) ? content.length : bytesOf(content)
  if (bytes === 0) return nothingOf({ type, bytes, leftOut: 'empty' })
  const isCut = bytes > maxBodyBytes
  if (secrets) return secretText(secrets, isCut ? undefined : textOf(content), { type, bytes })
  const whole = isCut || Buffer.isBuffer(content) ? Buffer.from(beginningOf(content)) : textOf(content)
  return { type, bytes, content: whole, isCut, isMasked: false, leftOut: null }
}

function secretText(
  secrets: Secrets,
  text: string | undefined,
  { type, bytes }: { type: string | null; bytes: number },
): KeptBody {
  const masked = text === undefined ? undefined : maskedSecretBody(secrets, text, type)
  if (masked === undefined) return nothingOf({ type, bytes, leftOut: 'secret' })
  return { type, bytes, content: scrubbed(secrets, masked), isCut: false, isMasked: masked !== text, leftOut: null }
}

function nothingOf({ type, bytes, leftOut }: Pick<KeptBody, 'type' | 'bytes' | 'leftOut'>): KeptBody {
  return { type, bytes, content: null, isCut: false, isMasked: false, leftOut }
}

function textOf(content: Buffer | Text): string {
  if (Buffer.isBuffer(content)) return content.toString()
  return typeof content === 'string' ? content : content.join('')
}

function beginningOf(content: Buffer | Text): Buffer {
  if (Buffer.isBuffer(content)) return content.subarray(0, maxBodyBytes)
  const [first = ''] = typeof content === 'string' ? [content] : content
  return Buffer.from(first.slice(0, maxBodyBytes)).subarray(0, maxBodyBytes)
}

/** A copy: a part of a text would keep the whole of it in memory. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString()
}

function keptError({ code, message, issues, reason }: SvcError, secrets: Secrets | undefined): KeptRequest['error'] {
  if (!secrets) return { code, message, issues, reason }
  // They may quote what was sent.
  return JSON.parse(scrubbed(secrets, JSON.stringify({ code, message, issues, reason })))
}

/** Tables whose rows are secrets or about people. */
const secretTables =
  /\b(?:project_keys|projects|users|user_secrets|sessions|one_time_tokens|pending_logins|failed_guesses|recent_attempts|realtime_tickets|mails|idp_accounts|idp_logins|idempotency|snapshots|snapshot_files)\b/

function keptStatement({ sql, rows, milliseconds }: TracedStatement, isSecret: boolean): KeptStatement {
  const { text, values } = sql
  const mayBeKept = !isSecret && valuesLength(values) <= mostValueCharacters && !secretTables.test(text)
  return {
    text: cut(text, mostStatementCharacters),
    parameters: values.length,
    values: mayBeKept ? values : undefined,
    milliseconds,
    rows,
  }
}
