/** Maps errors of the S3 library. None of these functions receives errors that the sender of bytes throws. */
import { StorageError } from './port.js'

interface Thrown {
  readonly name?: string
  readonly message?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Returns undefined for a missing object. @throws {StorageError} */
export function noneIfMissing(error: unknown): undefined {
  // Without its bucket, nothing is known of the object.
  if ((error as Thrown).name === 'NoSuchBucket') throw noBucket(error)
  // Without s3:ListBucket, S3 answers 403 for a missing object. Taking 403 for missing would lose all files once the
  // keys are revoked.
  if (isRefusal(error)) throw refused(error, 'or the object is missing and they lack s3:ListBucket')
  if (readStatus(error) !== 404) refuse(error)
}

/** Handles HEAD, whose responses have no body and so only a status. */
export function noneIfMissingByHead(error: unknown): undefined {
  if (readStatus(error) === 400) throw refused(error, 'which may have expired')
  return noneIfMissing(error)
}

/** Handles a request for the bucket itself. @throws {StorageError} */
export function refuseBucket(error: unknown): never {
  if (readStatus(error) === 404) throw noBucket(error)
  return refuse(error)
}

/** @throws {StorageError} */
export function refuse(error: unknown): never {
  const { name, message } = error as Thrown
  if (hasNoKeys(error)) throw new StorageError('refused', `No keys found for the bucket: ${message}.`, error)
  if (isRefusal(error)) throw refused(error, 'or they lack a permission')
  const status = readStatus(error)
  if (status === undefined)
    throw new StorageError('unreachable', `The bucket does not answer: ${message || name}.`, error)
  const kind = status < 500 ? 'failed' : 'unreachable'
  throw new StorageError(kind, `The bucket refused the request: ${status} ${name}.`, error)
}

/** Whether fetching keys failed, for example those of a machine's or a pod's role. */
export function hasNoKeys(error: unknown): boolean {
  return /ProviderError$/.test((error as Thrown).name ?? '')
}

/** Expired temporary keys are 400. */
function isRefusal(error: unknown): boolean {
  const { name = '' } = error as Thrown
  const status = readStatus(error)
  return (
    status === 401 ||
    status === 403 ||
    /^(ExpiredToken|InvalidToken|InvalidIdentityToken|TokenRefreshRequired)/.test(name)
  )
}

function refused(error: unknown, or: string): StorageError {
  return new StorageError('refused', `The bucket refuses the keys (${(error as Error).name}), ${or}.`, error)
}

function noBucket(error: unknown): StorageError {
  return new StorageError('unreachable', 'The bucket does not exist.', error)
}

function readStatus(error: unknown): number | undefined {
  return (error as Thrown).$metadata?.httpStatusCode
}
