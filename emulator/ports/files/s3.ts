/** Stores files in an S3 bucket. Each key is the prefix and the id. */
import { Readable } from 'node:stream'
import type { _Error, ListObjectsCommand, ListObjectsCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { StartError } from '../../database/start-error.js'
import { awaitChanges } from './await-changes.js'
import { BytesKept, type FileStore, StorageError } from './port.js'
import { noneIfMissing, noneIfMissingByHead, refuse, refuseBucket } from './s3-failures.js'
import { cannotOpenBucket, readS3Url, type S3Address } from './s3-start.js'
import { abortUploads } from './s3-uploads.js'

/** The part size of large files; S3 allows at most 10,000 parts. */
const partBytes = 8 * 1024 * 1024
/** The initial buffer. Most files fit; it grows for the others. */
const initialPartBytes = 64 * 1024
const nothing = new Uint8Array()

/** The page size of S3 for listing and deleting. */
const piece = 1_000

/**
 * The age after which bytes without a row are orphans, and unfinished uploads abandoned. A form may take an hour: its
 * first file is stored at the beginning, and its rows are written at the end.
 */
const settledMilliseconds = 2 * 3_600_000

export interface S3Options {
  /** `s3://bucket/prefix`, with `?endpoint=…&region=…` if needed. Keys come from the environment. */
  readonly url: string
  /** Separates the files of this database from others. */
  readonly place: string
  /** The timeout of a request that sends or fetches a part before it is retried, and then of the bytes that follow. */
  readonly maxMilliseconds?: number
  readonly maxReads?: number
}

type Library = Awaited<ReturnType<typeof loadLibrary>>

const maxConnectMilliseconds = 5_000

/** Limits concurrent reads of a process. Above it, the slowest reader is closed. */
const maxOpenReads = 1_000
/** Room for new reads before the slowest reader is known. They wait for a connection. */
const beginningReads = 100

/** Caches whether the bucket exists. */
const keptMilliseconds = 1_000

/** @throws {StartError} `FILES_UNREACHABLE`, or `NO_PACKAGE` if the AWS SDK is not installed */
export async function openS3Store({
  url,
  place,
  maxMilliseconds = 30_000,
  maxReads = maxOpenReads,
}: S3Options): Promise<FileStore> {
  const named = readS3Url(url)
  const { bucket, prefix } = named
  const s3 = await loadLibrary()
  const options = clientOptions(named, maxMilliseconds)
  const client = new s3.S3Client(options)
  // Gives reads their own connections, because a slow reader holds one until it is done.
  const { requestHandler } = options
  const sockets = { maxSockets: maxReads + beginningReads }
  const reads = new s3.S3Client({
    ...options,
    requestHandler: { ...requestHandler, httpAgent: sockets, httpsAgent: sockets },
  })
  const home = `${prefix}${place}/`
  await client.send(new s3.HeadBucketCommand({ Bucket: bucket })).catch((cause) => {
    client.destroy()
    reads.destroy()
    throw cannotOpenBucket(cause, named)
  })
  const objectParams = (id: string) => ({ Bucket: bucket, Key: home + id })

  const requireBucket = cacheBriefly(() =>
    client.send(new s3.HeadBucketCommand({ Bucket: bucket })).catch(refuseBucket),
  )

  /** Follows the clock of the server, which the library tracks to sign requests. Ours may be hours off. */
  const serverTime = () => Date.now() + client.config.systemClockOffset

  async function head(id: string) {
    const found = await client.send(new s3.HeadObjectCommand(objectParams(id))).catch(noneIfMissingByHead)
    if (!found) await requireBucket()
    return found
  }

  return awaitChanges({
    bufferedBytes: partBytes,
    maxReads,

    async write(id, bytes) {
      const parts = splitParts(bytes)
      const { value: first = nothing } = await parts.next()
      if (first.length === partBytes) await writeParts(client, s3, objectParams(id), [first, parts])
      else await client.send(new s3.PutObjectCommand({ ...objectParams(id), Body: first })).catch(refuse)
    },

    async read(id, range) {
      const get = async (part: Part) => {
        const { first, last = '', tag } = part
        const Range = first === 0 && last === '' ? undefined : `bytes=${first}-${last}`
        const found = await reads
          .send(new s3.GetObjectCommand({ ...objectParams(id), Range, IfMatch: tag }))
          .catch(noneIfMissing)
        return found && { body: found.Body as Readable, tag: found.ETag, bytes: found.ContentLength ?? 0 }
      }
      const { first, last } = range ?? { first: 0, last: undefined }
      const begun = await get({ first, last, tag: undefined })
      if (!begun) return undefined
      const stream = Readable.from(goingOn(begun, { first, last, tag: begun.tag }, get), { objectMode: false })
      // Destroys the body here: a generator that has not started would not run its cleanup.
      return stream.once('close', () => begun.body.destroy())
    },

    async remove(ids) {
      const kept: _Error[] = []
      for (let at = 0; at < ids.length; at += piece) {
        const Objects = ids.slice(at, at + piece).map((id) => ({ Key: home + id }))
        const { Errors = [] } = await client
          .send(new s3.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }))
          .catch(refuse)
        kept.push(...Errors)
      }
      if (kept.length > 0) throw keptIn(home, kept)
    },

    list: () => listObjects(client, s3.ListObjectsCommand, bucket, home),
    has: async (id) => (await head(id)) !== undefined,

    async isSettled(id) {
      const { LastModified } = (await head(id)) ?? {}
      return LastModified !== undefined && serverTime() - LastModified.getTime() > settledMilliseconds
    },

    async removeAbandoned() {
      const isAbandoned = (begun: Date) => serverTime() - begun.getTime() > settledMilliseconds
      await abortUploads(client, s3, { bucket, home }, isAbandoned).catch(refuse)
    },

    async close() {
      client.destroy()
      reads.destroy()
    },
  })
}

function clientOptions({ endpoint, region }: S3Address, maxMilliseconds: number) {
  return {
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Other servers may not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The library's default has no timeout, and a hanging request would keep its connection.
    requestHandler: {
      connectionTimeout: maxConnectMilliseconds,
      requestTimeout: maxMilliseconds,
      socketTimeout: maxMilliseconds,
      throwOnRequestTimeout: true,
    },
  } as const
}

/** Caches the result briefly. */
function cacheBriefly(ask: () => Promise<unknown>): () => Promise<unknown> {
  let asked: { readonly at: number; readonly answer: Promise<unknown> } | undefined
  return () => {
    const now = performance.now()
    if (!asked || now - asked.at > keptMilliseconds) asked = { at: now, answer: ask() }
    return asked.answer
  }
}

async function loadLibrary() {
  // Silences the SDK's warning: our package declares the supported Node versions.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  return import('@aws-sdk/client-s3').catch((cause) => {
    const hint =
      'Install it where svc-toolkit is installed: npm install @aws-sdk/client-s3 (with --global for a global svc).'
    throw new StartError('NO_PACKAGE', 'Files in S3 need the package @aws-sdk/client-s3.', hint, cause)
  })
}

/** @throws {StorageError} or what `rest` throws */
async function writeParts(
  client: S3Client,
  s3: Library,
  object: { readonly Bucket: string; readonly Key: string },
  [first, rest]: readonly [Uint8Array, AsyncGenerator<Uint8Array, undefined>],
): Promise<void> {
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(object)).catch(refuse)
  const upload = { ...object, UploadId }
  try {
    const parts: { PartNumber: number; ETag: string | undefined }[] = []
    for (let bytes = first; bytes.length > 0; bytes = (await rest.next()).value ?? nothing) {
      const PartNumber = parts.length + 1
      const part = new s3.UploadPartCommand({ ...upload, PartNumber, Body: bytes })
      const { ETag } = await client.send(part).catch(refuse)
      parts.push({ PartNumber, ETag })
    }
    const whole = new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } })
    await client.send(whole).catch(refuse)
  } catch (error) {
    await client.send(new s3.AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

function keptIn(home: string, errors: readonly _Error[]): BytesKept {
  const ids = errors.map(({ Key = '' }) => Key.slice(home.length))
  return new BytesKept(ids, `Could not delete "${errors[0]?.Key}" from S3: ${errors[0]?.Message}`)
}

/** Uses the older list request, which every S3 server supports. */
async function* listObjects(
  client: S3Client,
  List: typeof ListObjectsCommand,
  bucket: string,
  home: string,
): AsyncGenerator<readonly string[]> {
  for (let last: string | undefined = home; last !== undefined; ) {
    const page: ListObjectsCommandOutput = await client
      .send(new List({ Bucket: bucket, Prefix: home, MaxKeys: piece, Marker: last }))
      .catch(refuse)
    const keys = (page.Contents ?? []).map(({ Key = '' }) => Key)
    yield keys.map((key) => key.slice(home.length)).filter((id) => /^[0-9a-f-]{36}$/.test(id))
    last = page.IsTruncated ? keys.at(-1) : undefined
  }
}

/** A range of an object, as long as the object has not changed. */
interface Part {
  readonly first: number
  readonly last: number | undefined
  readonly tag: string | undefined
}

interface Begun {
  readonly body: Readable
  readonly bytes: number
}

/** Streams a part and resumes where a response breaks off. Fails after two responses in a row without any bytes. */
async function* goingOn(
  begun: Begun,
  { first, last, tag }: Part,
  get: (part: Part) => Promise<Begun | undefined>,
): AsyncGenerator<Uint8Array> {
  const end = first + begun.bytes
  let at = first
  let barren = 0
  let failure: unknown
  for (let current: Begun | undefined = begun; ; ) {
    const before = at
    try {
      for await (const bytes of current?.body ?? []) {
        at += bytes.length
        yield bytes
      }
      if (at >= end) return
    } catch (error) {
      failure = error
    }
    barren = at === before ? barren + 1 : 0
    if (barren > 1) throw new StorageError('unreachable', 'The bucket keeps closing the connection.', failure)
    current = await get({ first: at, last: last ?? end - 1, tag })
  }
}

/**
 * Splits a stream into parts of one size; the last may be smaller or empty. Buffers at most one part, however small the
 * chunks are. Each part is valid until the next one is requested, which reuses its memory.
 */
async function* splitParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let part = Buffer.allocUnsafeSlow(initialPartBytes)
  let length = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (length === part.length) part = Buffer.concat([part], Math.min(2 * length, partBytes))
      const taken = chunk.subarray(at, at + part.length - length)
      part.set(taken, length)
      length += taken.length
      at += taken.length
      if (length < partBytes) continue
      yield part
      length = 0
    }
  }
  yield part.subarray(0, length)
}
