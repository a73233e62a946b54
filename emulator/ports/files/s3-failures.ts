/** What a failure of the library for S3 means. None of these functions is given what the sender of bytes has thrown. */
import { StorageError } from './port.js'

interface Thrown {
  readonly name?: string
  readonly message?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Nothing for an object that is not there. @throws {StorageError} */
export function noneIfMissing(error: unknown): undefined {
  // Without its bucket, nothing is known of the object.
  if ((error as Thrown).name === 'NoSuchBucket') throw noBucket(error)
  // Without s3:ListBucket, a missing object is answered like a refused one. Taken for missing, all files would be gone once the
  // keys are revoked, and that answer would be remembered.
  if (isRefusal(error)) throw refused(error, 'or it is not there and they lack s3:ListBucket')
  if (statusOf(error) !== 404) refuse(error)
}

/** The same for HEAD, whose answers have no body that would say more than a status. */
export function noneIfMissingByHead(error: unknown): undefined {
  if (statusOf(error) === 400) throw refused(error, 'which may have expired')
  return noneIfMissing(error)
}

/** Of a request for the bucket itself. @throws {StorageError} */
export function refuseBucket(error: unknown): never {
  if (statusOf(error) === 404) throw noBucket(error)
  return refuse(error)
}

/** @throws {StorageError} */
export function refuse(error: unknown): never {
  const { name, message } = error as Thrown
  if (hasNoKeys(error)) throw new StorageError('refused', `There are no keys for the bucket: ${message}.`, error)
  if (isRefusal(error)) throw refused(error, 'or what they may not do')
  const status = statusOf(error)
  if (status === undefined)
    throw new StorageError('unreachable', `The bucket does not answer: ${message || name}.`, error)
  const kind = status < 500 ? 'failed' : 'unreachable'
  throw new StorageError(kind, `The bucket refused: ${status} ${name}.`, error)
}

/** Whether keys could not be fetched, as those of a machine's or a pod's role. */
export function hasNoKeys(error: unknown): boolean {
  return /ProviderError$/.test((error as Thrown).name ?? '')
}

/** Temporary keys that have expired are 400. */
function isRefusal(error: unknown): boolean {
  const { name = '' } = error as Thrown
  const status = statusOf(error)
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
  return new StorageError('unreachable', 'The bucket is not there.', error)
}

function statusOf(error: unknown): number | undefined {
  return (error as Thrown).$metadata?.httpStatusCode
}
