/** Reads the address of a bucket, and explains to an operator why it cannot be opened. */
import { StartError } from '../../database/start-error.js'
import { hasNoKeys } from './s3-failures.js'

export interface S3Address {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** Default: Amazon. */
  readonly endpoint: string | undefined
  readonly region: string
}

/** Aborting a multipart upload needs the last one. */
export const neededPermissions =
  'The keys need s3:ListBucket on the bucket, and s3:GetObject, PutObject, DeleteObject and AbortMultipartUpload on its objects.'

const keys = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

/** @throws {StartError} `FILES_UNREACHABLE` if the address names no bucket */
export function readS3Url(text: string): S3Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:' || url.hostname === '') {
    throw unreachable(`"${text}" is not a valid bucket address.`, 'Use s3://bucket/prefix.')
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
    const hint = 'Start it with http:// or https://, for example s3://bucket/prefix?endpoint=https://s3.example.com.'
    throw unreachable(`The endpoint "${endpoint}" is not the address of a server.`, hint)
  }
  const prefix = url.pathname.replace(/^\/|\/$/g, '')
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? process.env.AWS_REGION ?? 'us-east-1',
  }
}

interface Thrown {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** Explains why the first request to a bucket failed. */
export function cannotOpenBucket(cause: unknown, { bucket, endpoint, region }: S3Address): StartError {
  const { name, message, code, $metadata, $response } = cause as Thrown
  const status = $metadata?.httpStatusCode
  const server = endpoint ?? 'Amazon S3'
  const home = $response?.headers?.['x-amz-bucket-region']
  if (hasNoKeys(cause)) {
    return unreachable(`No keys found for the bucket "${bucket}".`, `Set ${keys} in the environment.`, cause)
  }
  if (home !== undefined && home !== region) {
    const hint = `Add region=${home} to --files-url, as in s3://${bucket}/prefix?region=${home}, or set AWS_REGION.`
    return unreachable(`The bucket "${bucket}" is in the region "${home}", not in "${region}".`, hint, cause)
  }
  if (status === 404) {
    const hint = 'Create it, or correct bucket and endpoint in --files-url (SVC_FILES_URL).'
    return unreachable(`Bucket "${bucket}" does not exist at ${server}.`, hint, cause)
  }
  if (status === 401 || status === 403) {
    const hint = `${neededPermissions} Set ${keys} in the environment.`
    return unreachable(`The bucket "${bucket}" refuses the keys, or they lack s3:ListBucket.`, hint, cause)
  }
  if (status !== undefined && status < 500) {
    const hint = `Check whether the keys have expired (AWS_SESSION_TOKEN), and region ("${region}") and endpoint in --files-url, as in s3://bucket/prefix?region=…&endpoint=….`
    return unreachable(`The bucket "${bucket}" refuses the request: ${status} ${name}.`, hint, cause)
  }
  const said = status === undefined ? message || code || name : `${status} ${name}`
  const hint = `Check that ${server} can be reached from here, and check bucket and endpoint in --files-url (SVC_FILES_URL).`
  return unreachable(`The bucket "${bucket}" does not answer: ${said}.`, hint, cause)
}

function unreachable(message: string, hint: string, cause?: unknown): StartError {
  return new StartError('FILES_UNREACHABLE', message, hint, cause)
}
