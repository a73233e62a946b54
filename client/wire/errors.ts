/** The `errors` axis. Spec, "Errors": the envelope says code and message, the detail form says neither code nor status. */
import { type ErrorCode, errors, type Issue, isErrorCode, SvcError } from '../model/errors.js'
import { isObject, type Json, type Writable } from '../model/json.js'
import type { JsonSchema } from './codec.js'
import type { HeaderReader } from './envelopes.js'
import { arrayOf, object, text } from './schemas.js'

interface ErrorFormat {
  readonly schema: JsonSchema
  write(error: SvcError): Writable
}

const issueSchema = object({ loc: { type: 'array' }, msg: text, type: text })

export const errorFormats = {
  envelope: {
    schema: object({
      success: { const: false },
      error: object({ code: text, message: text, issues: arrayOf(issueSchema) }, { optional: ['issues'] }),
    }),
    write: ({ code, message, issues }) => ({
      success: false,
      error: { code, message, ...(issues.length > 0 ? { issues: issues.map(writeIssue) } : {}) },
    }),
  },
  /** A list is for `VALIDATION_ERROR` only, a text for all else. Contract 10.8. */
  detail: {
    schema: object({ detail: { oneOf: [text, arrayOf(issueSchema)] } }),
    write: ({ code, message, issues }) => ({
      detail: code === 'VALIDATION_ERROR' ? (issues.length > 0 ? issues.map(writeIssue) : [whole(message)]) : message,
    }),
  },
} as const satisfies Record<string, ErrorFormat>

/** Headers of a failure, in both formats. */
export function errorHeaders({ code, retryAfterSeconds, allow }: SvcError): Record<string, string> {
  return {
    'svc-error-code': code,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
  }
}

/** A failure as either format tells it; an answer in neither becomes the code that its status suggests. */
export function readError(status: number, header: HeaderReader, body: Json | undefined): SvcError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const detail = isObject(body) ? body.detail : undefined
  const said = header('svc-error-code') ?? error.code
  const code = isErrorCode(said) ? said : codeOf(status)
  const issues = (Array.isArray(error.issues) ? error.issues : Array.isArray(detail) ? detail : []).map(readIssue)
  const message =
    typeof error.message === 'string' ? error.message : typeof detail === 'string' ? detail : issues[0]?.message
  const wait = header('retry-after')
  return new SvcError(code, message, issues, {
    status,
    requestId: header('x-request-id') ?? undefined,
    retryAfterSeconds: wait ? Number(wait) : undefined,
  })
}

function writeIssue({ path, message, type }: Issue): { loc: readonly (string | number)[]; msg: string; type: string } {
  return { loc: ['body', ...path], msg: message, type }
}

function whole(message: string) {
  return writeIssue({ path: [], message, type: 'value' })
}

function readIssue(issue: Json): Issue {
  const { loc, msg, type } = isObject(issue) ? issue : {}
  const path = Array.isArray(loc) ? loc.map((part) => (typeof part === 'number' ? part : String(part))) : []
  return { path: path[0] === 'body' ? path.slice(1) : path, message: String(msg ?? ''), type: String(type ?? '') }
}

function codeOf(status: number): ErrorCode {
  const preferred: Readonly<Record<number, ErrorCode>> = {
    400: 'INVALID_QUERY',
    401: 'UNAUTHORIZED',
    403: 'FORBIDDEN',
    404: 'NOT_FOUND',
    409: 'COLLECTION_EXISTS',
    413: 'PAYLOAD_TOO_LARGE',
    422: 'VALIDATION_ERROR',
  }
  const codes = Object.keys(errors) as ErrorCode[]
  return (
    preferred[status] ??
    codes.find((code) => errors[code].status === status) ??
    (status >= 500 ? 'INTERNAL' : 'INVALID_QUERY')
  )
}
