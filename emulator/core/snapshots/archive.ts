/**
 * Defines the file format of snapshots: a tar of `snapshot.json`, the rows of each part as NDJSON, the bytes of files,
 * and finally `SHA256SUMS`, which lists all entries before it in the format of `sha256sum -c`.
 */
import { createHash } from 'node:crypto'
import { SvcError } from '../../../client/protocol/model/errors.js'

export const archiveFormat = 'svc-snapshot'
export const archiveVersion = 1

export const headName = 'snapshot.json'
export const sumsName = 'SHA256SUMS'

/** Content of `snapshot.json`. */
export interface ArchiveHead {
  readonly format: typeof archiveFormat
  readonly version: number
  /** The last migration of the database it was exported from. */
  readonly schema: number
  readonly name: string
  readonly branch: string | null
  readonly commit: string | null
  readonly madeAt: string
  /** Names of the secrets that were left out. */
  readonly missing: readonly string[]
  /** Columns of each part. */
  readonly columns: Readonly<Record<string, readonly string[]>>
}

export const rowsName = (part: string, number: number) => `rows/${part}/${String(number).padStart(6, '0')}.ndjson`
export const bytesName = (file: string) => `files/${file}`

const rowsForm = /^rows\/([a-z_]{1,40})\/\d{6,9}\.ndjson$/
const bytesForm = /^files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Tells the kind of an entry by its name; undefined for unknown entries. Names are never used as paths. */
export function readEntryName(
  name: string,
):
  | { readonly kind: 'head' | 'sums' }
  | { readonly kind: 'rows'; readonly part: string }
  | { readonly kind: 'bytes'; readonly file: string }
  | undefined {
  if (name === headName) return { kind: 'head' }
  if (name === sumsName) return { kind: 'sums' }
  const part = rowsForm.exec(name)?.[1]
  if (part !== undefined) return { kind: 'rows', part }
  const file = bytesForm.exec(name)?.[1]
  return file === undefined ? undefined : { kind: 'bytes', file }
}

/** Hashes bytes with SHA-256 for `SHA256SUMS`. */
export async function hashBytes(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}

export function invalidSnapshot(why: string, cause?: unknown): SvcError {
  return new SvcError('INVALID_SNAPSHOT', `Not a valid snapshot: ${why}.`, [], { cause })
}
