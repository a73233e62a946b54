/** Builds the record of an answered request, limited in size and without secrets. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import {
  type KeptBody,
  type KeptRequest,
  type KeptStatement,
  type Timing,
  valuesLength,
} from '../../core/requests/request-log.js'
import type { Trace, TracedStatement } from '../../core/requests/trace.js'
import { dialectHeaders } from '../reply/spoken-dialect.js'
import { countBytes, type Text } from '../reply/write-steps.js'
import type { Incoming } from '../stages.js'
import { cutMark, maskedHeader } from './masking.js'
import { isSecretPath, maskedSecretBody, maskedUrl, type Secrets, scrubbed } from './secret-routes.js'

/** The limits for a body, an address, all headers, a statement and its values. */
const maxBodyBytes = 64 * 1024
const maxUrlCharacters = 8 * 1024
const maxHeaderCharacters = 8 * 1024
const maxStatementCharacters = 8 * 1024
const maxValueCharacters = 4 * 1024

/** The answer to a request. */
export interface GivenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  /** null for a stream. */
  readonly body: Text | null
}

export interface Captured {
  /** The path of its route, with parameters. */
  readonly pattern: string
  readonly startedAt: number
  /** When the answer was ready to send. Omitted if it never was. */
  readonly answeredAt?: number
  /**
   * Whether the client disconnected or the service was stopping. Otherwise an aborted answer is a fault of the service, real or
   * simulated.
   */
  readonly hasCallerLeft?: boolean
  readonly answer?: GivenAnswer | undefined
  /** The error that it was refused with. */
  readonly error?: SvcError | undefined
}

export function captureRequest(known: Incoming, trace: Trace, seen: Captured): KeptRequest {
  const { req, id, route, project, caller, dialect = dialects.a, address, replay } = known
  const { pattern, startedAt, answeredAt, answer, error, hasCallerLeft = false } = seen
  const { url = '', method = '' } = req
  const isSecret = isSecretPath(pattern === '*' ? url : pattern)
  const secrets: Secrets | undefined = isSecret ? { found: new Set() } : undefined
  const endedAt = performance.now()
  trace.isOver = true
  const timing = toTiming(trace, { startedAt, answeredAt: answeredAt ?? endedAt, endedAt })
  const shortUrl = url.length > maxUrlCharacters ? `${cut(url, maxUrlCharacters)}${cutMark}` : url
  return {
    id,
    at: Date.now() - timing.total,
    state: answer === undefined ? 'aborted' : answer.body === null ? 'open' : 'answered',
    method,
    url: secrets ? maskedUrl(secrets, shortUrl, pattern) : shortUrl,
    route: route ?? null,
    isSecret,
    project: project?.id ?? null,
    caller,
    dialect: dialectHeaders(dialect)['svc-dialect'],
    status: answer?.status ?? null,
    address,
    origin: req.headers.origin ?? null,
    headers: keptHeaders(req.headers),
    // Comes before the answer, which may repeat its secrets.
    body: requestBody(req, trace.received, secrets),
    answerHeaders: keptHeaders(answer?.headers ?? {}),
    answerBody: answerBody(answer, method, secrets),
    error: error && keptError(error, secrets),
    timing,
    statements: trace.statements.map((statement) => keptStatement(statement, isSecret)),
    statementCount: trace.statementCount,
    hasCallerLeft,
    replayOf: replay?.of ?? null,
  }
}

/** Completes the record of a stream: how much longer it took, and the bytes that its connection sent. */
export function completeStream(request: KeptRequest, longer: number, bytes: number): KeptRequest {
  const { timing, answerBody } = request
  return {
    ...request,
    state: 'answered',
    answerBody: { ...answerBody, bytes },
    timing: { ...timing, total: timing.total + longer, writing: timing.writing + longer },
  }
}

function toTiming(
  { receiving, queue, database, hashing }: Trace,
  { startedAt, answeredAt, endedAt }: { startedAt: number; answeredAt: number; endedAt: number },
): Timing {
  return { total: endedAt - startedAt, receiving, queue, database, hashing, writing: endedAt - answeredAt }
}

function keptHeaders(headers: IncomingHttpHeaders | GivenAnswer['headers']): Record<string, string> {
  const kept: Record<string, string> = {}
  let left = maxHeaderCharacters
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
  if (received) return keptText(received, { type, secrets, bytes: received.length })
  const isEmpty = req.headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0
  const bytes = isEmpty ? 0 : length === undefined ? null : Number(length)
  const isForm = type?.startsWith('multipart/') === true
  return emptyBody({ type, bytes, leftOut: isEmpty ? 'empty' : isForm ? 'binary' : 'unread' })
}

function answerBody(answer: GivenAnswer | undefined, method: string, secrets: Secrets | undefined): KeptBody {
  const type = answer ? String(answer.headers['content-type'] ?? '') || null : null
  if (!answer) return emptyBody({ type, bytes: 0, leftOut: 'empty' })
  const { body } = answer
  if (body === null)
    return emptyBody({ type, bytes: Number(answer.headers['content-length'] ?? 0) || null, leftOut: 'stream' })
  if (body.length === 0 || method === 'HEAD') return emptyBody({ type, bytes: 0, leftOut: 'empty' })
  return keptText(body, { type, secrets, bytes: Number(answer.headers['content-length'] ?? countBytes(body)) })
}

/** Returns the text of a body, up to the limit. Copies bytes, because they may be a view of a larger buffer. */
function keptText(
  content: Buffer | Text,
  { type, secrets, bytes }: { type: string | null; secrets: Secrets | undefined; bytes: number },
): KeptBody {
  if (bytes === 0) return emptyBody({ type, bytes, leftOut: 'empty' })
  const isCut = bytes > maxBodyBytes
  if (secrets) return secretText(secrets, isCut ? undefined : joinText(content), { type, bytes })
  const whole = isCut || Buffer.isBuffer(content) ? Buffer.from(readBeginning(content)) : joinText(content)
  return { type, bytes, content: whole, isCut, isMasked: false, leftOut: null }
}

function secretText(
  secrets: Secrets,
  text: string | undefined,
  { type, bytes }: { type: string | null; bytes: number },
): KeptBody {
  const masked = text === undefined ? undefined : maskedSecretBody(secrets, text, type)
  if (masked === undefined) return emptyBody({ type, bytes, leftOut: 'secret' })
  return { type, bytes, content: scrubbed(secrets, masked), isCut: false, isMasked: masked !== text, leftOut: null }
}

function emptyBody({ type, bytes, leftOut }: Pick<KeptBody, 'type' | 'bytes' | 'leftOut'>): KeptBody {
  return { type, bytes, content: null, isCut: false, isMasked: false, leftOut }
}

function joinText(content: Buffer | Text): string {
  if (Buffer.isBuffer(content)) return content.toString()
  return typeof content === 'string' ? content : content.join('')
}

function readBeginning(content: Buffer | Text): Buffer {
  if (Buffer.isBuffer(content)) return content.subarray(0, maxBodyBytes)
  const [first = ''] = typeof content === 'string' ? [content] : content
  return Buffer.from(first.slice(0, maxBodyBytes)).subarray(0, maxBodyBytes)
}

/** Copies the text, because a substring would keep the whole text in memory. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString()
}

function keptError({ code, message, issues, reason }: SvcError, secrets: Secrets | undefined): KeptRequest['error'] {
  if (!secrets) return { code, message, issues, reason }
  // Errors may quote the request.
  return JSON.parse(scrubbed(secrets, JSON.stringify({ code, message, issues, reason })))
}

/** Tables whose rows are secret or personal. */
const secretTables =
  /\b(?:project_keys|projects|users|user_secrets|sessions|one_time_tokens|pending_logins|failed_guesses|recent_attempts|realtime_tickets|mails|idp_accounts|idp_logins|idempotency|snapshots|snapshot_files)\b/

function keptStatement({ sql, rows, milliseconds }: TracedStatement, isSecret: boolean): KeptStatement {
  const { text, values } = sql
  const mayBeKept = !isSecret && valuesLength(values) <= maxValueCharacters && !secretTables.test(text)
  return {
    text: cut(text, maxStatementCharacters),
    parameters: values.length,
    values: mayBeKept ? values : undefined,
    milliseconds,
    rows,
  }
}
