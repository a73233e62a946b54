/** Aborts multipart uploads of dead processes: S3 keeps and bills their parts, but lists no object for them. */
import type { ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3'

type Library = typeof import('@aws-sdk/client-s3')

/** Uploads under a prefix. */
interface UploadsLocation {
  readonly bucket: string
  readonly home: string
}

/** The position at which a page of the list begins. */
type Marker = { readonly KeyMarker?: string; readonly UploadIdMarker?: string }

/**
 * Aborts abandoned uploads. If the server or the keys do not allow listing them, a lifecycle rule of the bucket has to
 * remove them.
 */
export async function abortUploads(
  client: S3Client,
  s3: Library,
  { bucket, home }: UploadsLocation,
  isAbandoned: (begun: Date) => boolean,
): Promise<void> {
  for (let from: Marker | undefined = {}; from; ) {
    const page: ListMultipartUploadsCommandOutput | undefined = await client
      .send(new s3.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: home, ...from }))
      .catch(noneIfUnable)
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
      if (!Key?.startsWith(home) || UploadId === undefined || !Initiated || !isAbandoned(Initiated)) continue
      await client.send(new s3.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch(noneIfUnable)
    }
    from = nextMarker(page)
  }
}

function nextMarker(page: ListMultipartUploadsCommandOutput | undefined): Marker | undefined {
  const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page ?? {}
  if (!IsTruncated || NextKeyMarker === undefined) return undefined
  return {
    KeyMarker: NextKeyMarker,
    ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
  }
}

/** Another process may have ended the upload, and not every server supports these requests. */
function noneIfUnable(error: unknown): undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 501 || (status >= 400 && status < 500)) return undefined
  throw error
}
