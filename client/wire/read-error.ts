import { type ErrorCode, type Issue, isErrorCode, SvcError, statuses } from '../model/errors.js'
import { isObject, type Json } from '../model/json.js'
import { arrayIn, type HeaderReader } from './readers.js'

/** A failure as either format tells it; an answer in neither becomes the code that its status suggests. */
export function readError(status: number, header: HeaderReader, body: Json | undefined): SvcError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const detail = isObject(body) ? body.detail : undefined
  const said = header('svc-error-code') ?? error.code
  const code = isErrorCode(said) ? said : codeOf(status)
  const issues = arrayIn(error.issues ?? detail).map(readIssue)
  const message =
    typeof error.message === 'string'
      ? error.message
      : typeof detail === 'string'
        ? detail
        : (issues[0]?.message ?? `The service answered ${status}.`)
  return new SvcError(code, message, issues, {
    status,
    requestId: header('x-request-id') ?? undefined,
    // A date is passed over.
    retryAfterSeconds: Number(header('retry-after')) || undefined,
  })
}

function readIssue(issue: Json): Issue {
  const { loc, msg, type } = isObject(issue) ? issue : {}
  const path = Array.isArray(loc) ? loc.map((part) => (typeof part === 'number' ? part : String(part))) : []
  return { path: path[0] === 'body' ? path.slice(1) : path, message: String(msg ?? ''), type: String(type ?? '') }
}

function codeOf(status: number): ErrorCode {
  const codes = Object.keys(statuses) as ErrorCode[]
  return codes.find((code) => statuses[code] === status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_QUERY')
}
