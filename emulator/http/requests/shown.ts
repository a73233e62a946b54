/** Formats a recorded request for the control API. Requests of other routes are searched for secrets here. */
import type { RequestRecord, RequestSummary } from '../../../client/protocol/control/requests.js'
import type { StoredUser } from '../../../client/protocol/model/document.js'
import type { Json } from '../../../client/protocol/model/json.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { KeptBody, KeptRequest, KeptStatement } from '../../core/requests/request-log.js'
import { isSecretName, maskedAddress, maskedBody, maskedJson, maskedText } from './masking.js'
import { whyNoReplay } from './replayable.js'

const maxValueCharacters = 200

/** Emails of users, by user id. */
export type Emails = ReadonlyMap<StoredUser['id'], string>

export function shownSummary(request: KeptRequest, emails: Emails): RequestSummary {
  const { id, at, state, method, url, route, project, dialect, status, error, timing, body, answerBody } = request
  return {
    ...{ id, at: new Date(at).toISOString(), state, method, path: maskedAddress(url), route, project },
    caller: shownCaller(request, emails),
    ...{ dialect, status, code: error?.code ?? null, milliseconds: rounded(timing.total) },
    ...{ bytesIn: body.bytes, bytesOut: answerBody.bytes, replayOf: request.replayOf },
  }
}

export function shownRecord(request: KeptRequest, emails: Emails): RequestRecord {
  const { address, origin, headers, body, answerHeaders, answerBody, statements, statementCount, error } = request
  const why = whyNoReplay(request)
  return {
    ...shownSummary(request, emails),
    ...{ address, origin: origin === null ? null : maskedText(origin) },
    request: { headers: shownHeaders(headers), body: shownBody(body) },
    answer: { headers: shownHeaders(answerHeaders), body: shownBody(answerBody) },
    timing: shownTiming(request),
    statements: statements.map(shownStatement),
    statementCount,
    error: error ? shownError(error) : null,
    reason: (error?.reason ? maskedJson(error.reason as unknown as Json) : null) as Reason | null,
    replayable: { is: why === undefined, why: why ?? null },
  }
}

function shownCaller({ caller }: KeptRequest, emails: Emails): RequestSummary['caller'] {
  if (!caller) return { kind: 'nobody', key: null, user: null }
  const { user, key, secret } = caller
  const kind = user ? 'user' : secret ? 'secret key' : 'key'
  return { kind, key: key?.id ?? null, user: user ? { id: user.id, email: emails.get(user.id) ?? null } : null }
}

function shownHeaders(headers: KeptRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskedText(value)]))
}

function shownBody({ content, isMasked, ...body }: KeptBody): RequestRecord['answer']['body'] {
  if (content === null) return { ...body, text: null, isMasked }
  if (body.type !== null && !isText(body.type)) return { ...body, text: null, isMasked, leftOut: 'binary' }
  const text = content.toString()
  const shown = maskedBody(text)
  return { ...body, text: shown, isMasked: isMasked || shown !== text }
}

function isText(type: string): boolean {
  return /^(?:text\/|application\/(?:json|[\w.-]+\+json|x-www-form-urlencoded))/i.test(type)
}

function shownTiming({ timing }: KeptRequest): RequestRecord['timing'] {
  const { total, receiving, queue, database, hashing, writing } = timing
  return {
    receiving: rounded(receiving),
    queue: rounded(queue),
    database: rounded(database),
    hashing: rounded(hashing),
    writing: rounded(writing),
    // Parts that ran in parallel may add up to more than the total.
    own: rounded(Math.max(0, total - receiving - queue - database - hashing - writing)),
  }
}

function shownStatement({ text, values, parameters, milliseconds, rows }: KeptStatement) {
  const shown = values?.map((value) => (value === null ? null : String(value)))
  // A filter may name its field in one parameter and hold the value in another.
  const areSecret = shown?.some((value) => value?.split(',').some(isSecretName))
  return {
    text: text.trim().replaceAll(/\n {4}/g, '\n'),
    parameters,
    values: shown && !areSecret ? shown.map((value) => value && shownValue(value)) : null,
    milliseconds: rounded(milliseconds),
    rows,
  }
}

function shownValue(value: string): string {
  const masked = maskedBody(value)
  return masked.length > maxValueCharacters ? `${masked.slice(0, maxValueCharacters)}…` : masked
}

function shownError({ code, message, issues }: NonNullable<KeptRequest['error']>): RequestRecord['error'] {
  return {
    code,
    message: maskedText(message),
    issues: issues.map(({ path, message, type }) => ({ path: [...path], message: maskedText(message), type })),
  }
}

function rounded(milliseconds: number): number {
  return Math.round(Math.max(0, milliseconds) * 100) / 100
}
