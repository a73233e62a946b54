/** The only place where a code, its status and its default wording meet. Spec, "Errors"; contract 10. */
export const errors = {
  INVALID_BODY: { status: 400, message: 'The body is not valid JSON.' },
  INVALID_COLLECTION: { status: 400, message: 'That is not a valid collection name.' },
  INVALID_FILTER: { status: 400, message: 'A filter could not be understood.' },
  INVALID_QUERY: { status: 400, message: 'A query parameter could not be understood.' },
  INVALID_PATH: { status: 400, message: 'That is not a valid path or file name.' },
  INVALID_MESSAGE: { status: 400, message: 'The message could not be understood.' },
  IDP_NOT_CONFIGURED: { status: 400, message: 'The identity provider is not configured.' },
  INVALID_DIALECT: { status: 400, message: 'No such dialect.' },
  UNAUTHORIZED: { status: 401, message: 'An API key is missing or not valid.' },
  INVALID_TOKEN: { status: 401, message: 'The user token is not valid.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The email or the password is wrong.' },
  FORBIDDEN: { status: 403, message: 'You may not do this.' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'This origin is not allowed.' },
  EMAIL_NOT_VERIFIED: { status: 403, message: 'Verify your email address first.' },
  '2FA_REQUIRED': { status: 403, message: 'A two-factor code is needed.' },
  NOT_FOUND: { status: 404, message: 'There is no such thing here.' },
  USER_NOT_FOUND: { status: 404, message: 'There is no such user.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'That method is not allowed here.' },
  COLLECTION_EXISTS: { status: 409, message: 'There is a collection of that name.' },
  EMAIL_ALREADY_EXISTS: { status: 409, message: 'That email is in use.' },
  FILE_IN_USE: { status: 409, message: 'The file belongs to a document or a user.' },
  RESYNC: { status: 409, message: 'Those changes are no longer kept. Read the collection again.' },
  CONFLICT: { status: 412, message: 'The document has changed since.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large.' },
  FILE_TOO_LARGE: { status: 413, message: 'The file is too large.' },
  STORAGE_LIMIT: { status: 413, message: 'The storage is full.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send JSON or a multipart form.' },
  VALIDATION_ERROR: { status: 422, message: 'The body does not fit.' },
  IDEMPOTENCY_MISMATCH: { status: 422, message: 'That idempotency key was used with another body.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests.' },
  INTERNAL: { status: 500, message: 'Something went wrong on our side.' },
  /** Only the client says these two: there was no answer. */
  NETWORK: { status: 0, message: 'The service could not be reached.' },
  TIMEOUT: { status: 0, message: 'The service did not answer in time.' },
  UNAVAILABLE: { status: 503, message: 'The service is busy. Try again in a moment.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

/** One thing that is wrong with an input: where, what, and of which kind. */
export interface Issue {
  readonly path: readonly (string | number)[]
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
  /** The status as answered; left out, the catalog's. */
  readonly status?: number
  readonly cause?: unknown
}

/** Every failure of the service, on both ends of the wire. `code` is stable, `message` is for people. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined

  constructor(
    readonly code: ErrorCode,
    message: string = errors[code].message,
    readonly issues: readonly Issue[] = [],
    extras: ErrorExtras = {},
  ) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.status = extras.status ?? errors[code].status
    this.requestId = extras.requestId
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.allow = extras.allow
  }
}

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(errors, text)
}
