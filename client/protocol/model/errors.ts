import type { Reason } from './requests/reason.js'

/**
 * Every code and the status that the service answers it with. An app loads neither this nor the words, which are in
 * `error-words.ts`: the answer holds both. Spec, "Errors"; contract 10.
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
  FILE_IN_USE: 409,
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

/** What only the client says: there was no answer, none of the service's, or nothing to ask. */
const clientCodes = ['NETWORK', 'TIMEOUT', 'INVALID_RESPONSE', 'INVALID_OPTION'] as const

export type ErrorCode = keyof typeof statuses | (typeof clientCodes)[number]

/**
 * One thing that is wrong with an input: where, what, and of which kind. On the service's side `path` is the place in the
 * body that was sent; in the client it is the place in what the call was given, without the `data`, `documents` or
 * `updates` that the client wraps it in: `['author', 'name']`, and in a batch `[3, 'title']`, or the id of the document.
 */
export interface Issue {
  readonly path: readonly (string | number)[]
  /** Where the path begins; left out, in the body. */
  readonly in?: 'header' | 'query'
  readonly message: string
  readonly type: string
}

export interface ErrorExtras {
  /** Seconds to wait before a retry makes sense; becomes `retry-after`. */
  readonly retryAfterSeconds?: number
  /** Methods that a known path does serve; becomes `Allow`. */
  readonly allow?: readonly string[]
  /** The request this is the answer to, as in `x-request-id`. */
  readonly requestId?: string
  /** The status as it was answered. */
  readonly status?: number
  /** Of a write: whether it may have been carried out, since its answer was lost. */
  readonly mayBeDone?: boolean
  /** What exactly stood in the way; the service keeps it, and no answer has it. */
  readonly reason?: Reason
  readonly cause?: unknown
}

/** Every failure of the service, on both ends of the wire. `code` is stable, `message` is for people. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  declare readonly code: ErrorCode
  declare readonly issues: readonly Issue[]
  /** As it was answered; of what was never answered, nothing. */
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAfterSeconds: number | undefined
  declare readonly allow: readonly string[] | undefined
  /** Whether a write may have been carried out all the same: its answer was lost. Look before you repeat it. */
  declare readonly mayBeDone: boolean | undefined
  /** On the service's side only. */
  declare readonly reason: Reason | undefined

  constructor(code: ErrorCode, message: string, issues: readonly Issue[] = [], { cause, ...extras }: ErrorExtras = {}) {
    super(message, cause ? { cause } : undefined)
    Object.assign(this, { code, issues, ...extras })
  }

  /** An app may hold this class more than once: of two packages, of two bundles, of a page and its frame. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one has instances of its own.
    if (this !== SvcError) return Function.prototype[Symbol.hasInstance].call(this, value)
    const isError = Object.prototype.toString.call(value) === '[object Error]'
    return isError && (value as Error).name === 'SvcError'
  }
}

/** What was thrown, as an error of ours: that code and message, unless it is one. */
export function asError(
  cause: unknown,
  code: ErrorCode = 'INTERNAL',
  message: string = Object(cause).message,
): SvcError {
  return cause instanceof SvcError ? cause : new SvcError(code, message, [], { cause })
}

/** The same failure, with the paths of its issues seen from elsewhere. */
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

/** The status of a failure, also of one that is still to be answered; 0 where it is only the client's. */
export function statusOf({ code, status }: SvcError): number {
  return status ?? (Object.hasOwn(statuses, code) ? statuses[code as keyof typeof statuses] : 0)
}
