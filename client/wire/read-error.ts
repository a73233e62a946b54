import { type ErrorCode, type Issue, isErrorCode, SvcError, statuses } from '../model/errors.js'
import { type Json, objectIn } from '../model/json.js'
import { arrayIn, type HeaderReader } from './readers.js'

/** A failure as either format tells it; an answer in neither becomes the code that its status suggests. */
export function readError(status: number, header: HeaderReader, body: Json | undefined): SvcError {
  const { error, detail } = objectIn(body)
  const { code, message = detail, issues: listed = detail } = objectIn(error)
  const said = header('svc-error-code') ?? code
  const issues = arrayIn(listed).map(readIssue)
  const words = typeof message === 'string' ? message : (issues[0]?.message ?? `The service answered ${status}.`)
  return new SvcError(isErrorCode(said) ? said : codeOf(status), words, issues, {
    status,
    requestId: header('x-request-id') ?? undefined,
    // A date is passed over.
    retryAfterSeconds: Number(header('retry-after')) || undefined,
  })
}

function readIssue(issue: Json): Issue {
  const { loc, msg = '', type = '' } = objectIn(issue)
  const path = arrayIn(loc) as Issue['path']
  return { path: path[0] === 'body' ? path.slice(1) : path, message: String(msg), type: String(type) }
}

function codeOf(status: number): ErrorCode {
  const codes = Object.keys(statuses) as ErrorCode[]
  return codes.find((code) => statuses[code] === status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_QUERY')
}
