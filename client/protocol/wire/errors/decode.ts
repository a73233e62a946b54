import { type ErrorCode, type Issue, SvcError } from '../../model/errors.js'
import { type Json, objectIn } from '../../model/json.js'
import type { HeaderReader } from '../expected.js'

/** What an answer means that says no code. Every other refusal is of what was sent. */
const codes: { readonly [status: number]: ErrorCode } = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
}

/**
 * A failure in either format; a code that this client does not know yet is kept as it came.
 *
 * @param wrappers indices in the path of an issue of names around what was handed over, which are left out of it
 * @param otherwise what to say of an answer in neither format, which is none of the service's
 */
export function decodeError(
  status: number,
  header: HeaderReader,
  body: Json | undefined,
  otherwise: string,
  wrappers: readonly number[] = [],
): SvcError {
  const { error, detail } = objectIn(body)
  const { code, message = detail, issues: listed = detail } = objectIn(error)
  const issues = arrayIn(listed).map((issue) => readIssue(issue, wrappers))
  const words = typeof message === 'string' ? message : issues[0]?.message
  const requestId = header('x-request-id') || undefined
  const suggested = codes[status] ?? (status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL')
  const said = header('svc-error-code') ?? code ?? ((words ?? requestId) ? suggested : 'INVALID_RESPONSE')
  return new SvcError(said as ErrorCode, words ?? (requestId ? `The service answered ${status}.` : otherwise), issues, {
    status,
    requestId,
    // A date is passed over.
    retryAfterSeconds: Number(header('retry-after')) || undefined,
  })
}

/** The items of a value; none unless it is a list. */
function arrayIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function readIssue(issue: Json, wrappers: readonly number[]): Issue {
  const { loc, msg = '', type = '' } = objectIn(issue)
  const whole = arrayIn(loc) as Issue['path']
  const path = whole
    .slice(whole[0] === 'body' ? 1 : 0)
    .filter(
      (name, at, { length }) =>
        !wrappers.includes(at) || at > length - 2 || !/^(data|documents|updates)$/.test(name as string),
    )
  return { path, message: msg as string, type: type as string }
}
