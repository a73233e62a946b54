/** Multipart uploads whose process died: S3 keeps their parts, shows them in no list of objects, and charges for them. */
import type { ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3'

type Library = typeof import('@aws-sdk/client-s3')

/** Uploads below a prefix. */
interface UploadsPlace {
  readonly bucket: string
  readonly home: string
}

/** Where a page of the list begins. */
type Marker = { readonly KeyMarker?: string; readonly UploadIdMarker?: string }

/**
 * Gives up those that are abandoned. Where the server does not list them, or the keys may not, they are left to a lifecycle rule
 * of the bucket.
 */
export async function abortUploads(
  client: S3Client,
  s3: Library,
  { bucket, home }: UploadsPlace,
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
    from = nextOf(page)
  }
}

function nextOf(page: ListMultipartUploadsCommandOutput | undefined): Marker | undefined {
  const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page ?? {}
  if (!IsTruncated || NextKeyMarker === undefined) return undefined
  return {
    KeyMarker: NextKeyMarker,
    ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
  }
}

/** Another process may have ended an upload meanwhile, and not every server knows the requests. */
function noneIfUnable(error: unknown): undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 501 || (status >= 400 && status < 500)) return undefined
  throw error
}
