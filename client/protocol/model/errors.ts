import type { Reason } from './requests/reason.js'

/**
 * Maps error codes to statuses. Apps load neither this table nor the messages in `error-words.ts`, because responses
 * contain both. Spec, "Errors"; contract 10.
 */
export const statuses = {
  INVALID_QUERY: 400,
  INVALID_BODY: 400,
  INVALID_COLLECTION: 400,
  INVALID_FILTER: 400,
  INVALID_PATH: 400,
  INVALID_MESSAGE: 400,
  IDP_NOT_CONFIGURED: 400,
  INVALID_DIALECT: 400,
  UNAUTHORIZED: 401,
  INVALID_TOKEN: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  ORIGIN_NOT_ALLOWED: 403,
  EMAIL_NOT_VERIFIED: 403,
  '2FA_REQUIRED': 403,
  NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  COLLECTION_EXISTS: 409,
  SNAPSHOT_EXISTS: 409,
  EMAIL_ALREADY_EXISTS: 409,
  DUPLICATE_VALUE: 409,
  FILE_IN_USE: 409,
  DOCUMENT_IN_USE: 409,
  RESYNC: 409,
  CONFLICT: 412,
  PAYLOAD_TOO_LARGE: 413,
  FILE_TOO_LARGE: 413,
  STORAGE_LIMIT: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_RANGE: 416,
  VALIDATION_ERROR: 422,
  INVALID_SNAPSHOT: 422,
  IDEMPOTENCY_MISMATCH: 422,
  RESULT_TOO_LARGE: 422,
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const

/** Codes of errors that come from the client, not from the service. */
const clientCodes = ['NETWORK', 'TIMEOUT', 'INVALID_RESPONSE', 'INVALID_OPTION'] as const

export type ErrorCode = keyof typeof statuses | (typeof clientCodes)[number]

/**
 * One problem with an input. In the service, `path` is a position in the body. In the client, it is a position in the
 * argument of the call, without the `data`, `documents` or `updates` that wrap it on the wire: `['author', 'name']`. In a
 * batch it starts with the index or id of the document: `[3, 'title']`.
 */
export interface Issue {
  readonly path: readonly (string | number)[]
  /** Part of the request that the path refers to. Default: the body. */
  readonly in?: 'header' | 'query'
  readonly message: string
  readonly type: string
}

export interface ErrorExtras {
  /** Seconds to wait before a retry. Sent as `retry-after`. */
  readonly retryAfterSeconds?: number
  /** Methods that the path supports. Sent as `Allow`. */
  readonly allow?: readonly string[]
  /** Id of the request, as in `x-request-id`. */
  readonly requestId?: string
  /** HTTP status of the response. */
  readonly status?: number
  /** True if a write may have succeeded although its response was lost. */
  readonly mayBeDone?: boolean
  /** Details for developers. The service keeps them and never sends them. */
  readonly reason?: Reason
  readonly cause?: unknown
}

/** Error of the service or the client. `code` is stable; `message` is for people and may change. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  declare readonly code: ErrorCode
  declare readonly issues: readonly Issue[]
  /** HTTP status; undefined without a response. */
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAfterSeconds: number | undefined
  declare readonly allow: readonly string[] | undefined
  /** True if a write may have succeeded although its response was lost. Check before you retry. */
  declare readonly mayBeDone: boolean | undefined
  /** Set only inside the service. */
  declare readonly reason: Reason | undefined

  constructor(code: ErrorCode, message: string, issues: readonly Issue[] = [], { cause, ...extras }: ErrorExtras = {}) {
    super(message, cause ? { cause } : undefined)
    Object.assign(this, { code, issues, ...extras })
  }

  /** Compares by name, because an app may load this class twice: from two packages, bundles or frames. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses must use the standard check.
    if (this !== SvcError) return Function.prototype[Symbol.hasInstance].call(this, value)
    const isError = Object.prototype.toString.call(value) === '[object Error]'
    return isError && (value as Error).name === 'SvcError'
  }
}

/** Wraps a thrown value in an `SvcError`, unless it already is one. */
export function asError(
  cause: unknown,
  code: ErrorCode = 'INTERNAL',
  message: string = Object(cause).message,
): SvcError {
  return cause instanceof SvcError ? cause : new SvcError(code, message, [], { cause })
}

/** Copies an error with the paths of its issues changed. */
export function placed(error: unknown, place: (path: Issue['path']) => Issue['path']): unknown {
  if (!(error instanceof SvcError) || error.issues.length === 0) return error
  const { name: _, code, message, issues, ...extras } = error
  return new SvcError(
    code,
    message,
    issues.map((issue) => ({ ...issue, path: place(issue.path) })),
    { ...extras, cause: error.cause },
  )
}

/** Returns the HTTP status of an error, even before it is sent; 0 for errors of the client. */
export function httpStatus({ code, status }: SvcError): number {
  return status ?? (Object.hasOwn(statuses, code) ? statuses[code as keyof typeof statuses] : 0)
}
