/** What each failure says where there is nothing more to say of it. By itself, so that an app does not load it. */
import { type ErrorCode, type ErrorExtras, SvcError } from './errors.js'

const words: Readonly<Record<ErrorCode, string>> = {
  INVALID_QUERY: 'A query parameter could not be understood.',
  INVALID_BODY: 'The body is not valid JSON.',
  INVALID_COLLECTION: 'That is not a valid collection name.',
  INVALID_FILTER: 'A filter could not be understood.',
  INVALID_PATH: 'That is not a valid path or file name.',
  INVALID_MESSAGE: 'The message could not be understood.',
  IDP_NOT_CONFIGURED: 'The identity provider is not configured.',
  INVALID_DIALECT: 'No such dialect.',
  INVALID_OPTION: 'An option of the client is missing or not valid.',
  UNAUTHORIZED: 'An API key is missing or not valid.',
  INVALID_TOKEN: 'The user token is not valid.',
  INVALID_CREDENTIALS: 'The email or the password is wrong.',
  FORBIDDEN: 'You may not do this.',
  ORIGIN_NOT_ALLOWED: 'This origin is not allowed.',
  EMAIL_NOT_VERIFIED: 'Verify your email address first.',
  '2FA_REQUIRED': 'A two-factor code is needed.',
  NOT_FOUND: 'Not found.',
  USER_NOT_FOUND: 'No such user.',
  METHOD_NOT_ALLOWED: 'That method is not allowed here.',
  COLLECTION_EXISTS: 'A collection with that name already exists.',
  SNAPSHOT_EXISTS: 'A snapshot with that name already exists.',
  EMAIL_ALREADY_EXISTS: 'That email is in use.',
  FILE_IN_USE: 'The file belongs to a document or a user.',
  RESYNC: 'Those changes are no longer kept. Read the collection again.',
  CONFLICT: 'The document has changed since.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  FILE_TOO_LARGE: 'The file is too large.',
  STORAGE_LIMIT: 'The storage is full.',
  INVALID_RANGE: 'The file has no bytes in that range.',
  UNSUPPORTED_MEDIA_TYPE: 'Send JSON or a multipart form.',
  VALIDATION_ERROR: 'The body does not fit.',
  INVALID_SNAPSHOT: 'That is not a snapshot, or a damaged one.',
  IDEMPOTENCY_MISMATCH: 'That idempotency key was used with another body.',
  RESULT_TOO_LARGE: 'The answer would be too large. Ask for fewer records at once, or populate less.',
  UPGRADE_REQUIRED: 'Open a WebSocket here, or read GET /realtime/sse/<collection>.',
  RATE_LIMITED: 'Too many requests.',
  INTERNAL: 'Something went wrong on our side.',
  INVALID_RESPONSE: 'What answered is not the service, or speaks another dialect.',
  UNAVAILABLE: 'The service is busy. Try again in a moment.',
  NETWORK: 'The service could not be reached.',
  TIMEOUT: 'The service did not answer in time.',
}

/** A failure in the words of the catalog. */
export function plainError(code: ErrorCode, extras?: ErrorExtras): SvcError {
  return new SvcError(code, words[code], [], extras)
}

/** Of `UNAVAILABLE`: a write that may have been done, or not. */
export const unknownOutcome = 'The service does not know whether that was done. Look before you repeat it.'
