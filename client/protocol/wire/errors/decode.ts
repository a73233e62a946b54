import { type ErrorCode, type Issue, SvcError } from '../../model/errors.js'
import { type Json, objectIn } from '../../model/json.js'
import type { HeaderReader } from '../expected.js'

/** Codes for statuses of responses without a code. All others mean invalid input. */
const codes: { readonly [status: number]: ErrorCode } = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
}

/**
 * Decodes an error in either format. Keeps codes that this client does not know.
 *
 * @param wrappers indices in issue paths to leave out, because the client added these names
 * @param otherwise message for a response in neither format, which is not from the service
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
    // Ignores dates.
    retryAfterSeconds: Number(header('retry-after')) || undefined,
  })
}

/** Returns the items of an array; otherwise an empty array. */
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
