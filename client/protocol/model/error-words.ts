/** Default message of each error code. A separate file, so that apps do not load the texts. */
import { type ErrorCode, type ErrorExtras, SvcError } from './errors.js'

const words: Readonly<Record<ErrorCode, string>> = {
  INVALID_QUERY: 'Invalid query parameter.',
  INVALID_BODY: 'The request body is not valid JSON.',
  INVALID_COLLECTION: 'Invalid collection name.',
  INVALID_FILTER: 'Invalid filter.',
  INVALID_PATH: 'Invalid path or file name.',
  INVALID_MESSAGE: 'Invalid message.',
  IDP_NOT_CONFIGURED: 'The identity provider is not configured.',
  INVALID_DIALECT: 'Unknown dialect.',
  INVALID_OPTION: 'A client option is missing or invalid.',
  UNAUTHORIZED: 'API key missing or invalid.',
  INVALID_TOKEN: 'Your session is invalid or has expired. Sign in again.',
  INVALID_CREDENTIALS: 'Wrong email or password.',
  FORBIDDEN: "You don't have permission to do this.",
  ORIGIN_NOT_ALLOWED: 'This origin is not allowed.',
  EMAIL_NOT_VERIFIED: 'Verify your email address first.',
  '2FA_REQUIRED': 'Enter your two-factor code.',
  NOT_FOUND: 'Not found.',
  USER_NOT_FOUND: 'User not found.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  COLLECTION_EXISTS: 'A collection with this name already exists.',
  SNAPSHOT_EXISTS: 'A snapshot with this name already exists.',
  EMAIL_ALREADY_EXISTS: 'This email is already in use.',
  DUPLICATE_VALUE: 'Another document already has this value.',
  FILE_IN_USE: 'This file belongs to a document or a user.',
  DOCUMENT_IN_USE: 'Other documents still link here.',
  RESYNC: 'These changes are no longer available. Read the collection again.',
  CONFLICT: 'The document was changed. Reload it and try again.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  FILE_TOO_LARGE: 'The file is too large.',
  STORAGE_LIMIT: 'Storage is full.',
  INVALID_RANGE: 'The file has no bytes in this range.',
  UNSUPPORTED_MEDIA_TYPE: 'Send JSON or a multipart form.',
  VALIDATION_ERROR: 'The request body is not valid.',
  INVALID_SNAPSHOT: 'This snapshot is invalid or damaged.',
  IDEMPOTENCY_MISMATCH: 'This idempotency key was used with a different body.',
  RESULT_TOO_LARGE: 'The response is too large. Request fewer records, or populate less.',
  UPGRADE_REQUIRED: 'Open a WebSocket here, or read GET /realtime/sse/<collection>.',
  RATE_LIMITED: 'Too many requests.',
  INTERNAL: 'Something went wrong.',
  INVALID_RESPONSE: 'The response did not come from the service, or uses another dialect.',
  UNAVAILABLE: 'The service is busy. Try again in a moment.',
  NETWORK: 'Could not reach the service.',
  TIMEOUT: 'The service did not respond in time.',
}

/** Creates an error with the default message of its code. */
export function plainError(code: ErrorCode, extras?: ErrorExtras): SvcError {
  return new SvcError(code, words[code], [], extras)
}

/** Message of `UNAVAILABLE` when a write may or may not have been committed. */
export const unknownOutcome = 'The change may or may not have been saved. Check before you try again.'
