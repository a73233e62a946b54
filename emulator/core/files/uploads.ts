/**
 * Receives the files of a request. Stores their bytes first, under new ids. The transaction that writes the request's
 * record adopts them; files that are not adopted are removed.
 */
import { createHash } from 'node:crypto'
import { type Fields, requireNoOperator } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { type Json, setOwn } from '../../../client/protocol/model/json.js'
import { storageLimits } from '../../../client/protocol/model/limits.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { type FileOwner, insertFiles, selectSettled, selectUsage } from '../../store/files.js'
import type { Backend, Context } from '../context.js'
import { isAnswered } from '../documents/idempotency.js'
import { happened } from '../unit-of-work.js'
import { fileUrl, requireFileName } from './file-names.js'
import { detectType, isNamedType, namedEndings } from './mime-types.js'
import { noRoom, type UploadRoom, unlimitedRoom } from './upload-room.js'

/** A file being received. */
export interface IncomingFile {
  /** Name of its multipart part. */
  readonly field: string
  readonly name: string
  /** Type declared by the sender. */
  readonly type: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Rules that an uploaded file must meet. */
export interface FileRules {
  /** Id of the project that the file is for. */
  readonly project: string
  readonly mostBytes: number
  /** If false, the name must have an extension from the specification. Contract 8.4. */
  readonly mayBeAnyType: boolean
  /** Whether to hash the bytes, to tell two requests apart. */
  readonly isHashed: boolean
  /** Room shared by all files of the request. */
  readonly room: UploadRoom
}

/** A file whose bytes are stored. */
export interface Upload {
  readonly field: string
  readonly id: string
  readonly name: string
  readonly size: number
  readonly mimeType: string
  /** Hash of the bytes, if requested. */
  readonly digest: string | undefined
}

/** The files of a request. */
export interface Uploads {
  readonly files: readonly Upload[]
  /**
   * Assigns the files to their owner, in the top folder by default, and returns the time. Call it in the transaction
   * that writes the owner.
   *
   * @throws {SvcError} `STORAGE_LIMIT`
   */
  adopt(ctx: Context, owner: FileOwner, path?: string): Promise<string>
  /** Call it after the transaction has committed. */
  commit(): void
  /**
   * Removes the bytes unless they were adopted and committed. Asks the database, because a commit may have succeeded
   * although its answer was lost, or may still be in progress. If the database is unavailable, keeps the bytes and asks
   * later.
   */
  dispose(): Promise<void>
}

export const noUploads: Uploads = Object.freeze({
  files: [],
  adopt: async ({ backend, project }: Context) => backend.now(project.id).toISOString(),
  commit: () => undefined,
  dispose: async () => undefined,
})

export function openUploads(
  backend: Pick<Backend, 'db' | 'files' | 'discardLater'>,
  project: string,
  files: readonly Upload[],
): Uploads {
  if (files.length === 0) return noUploads
  let isAdopted = false
  let isCommitted = false
  return {
    files,
    async adopt(ctx, owner, path = '') {
      const at = await insertUploads(ctx, files, { owner, path })
      isAdopted = true
      return at
    },
    commit() {
      isCommitted = isAdopted
    },
    async dispose() {
      if (!isCommitted) await discardUploads(backend, project, files)
    },
  }
}

/**
 * Opens room for the files of a request: what the project may still store. A request that only repeats an earlier
 * answer gets the whole limit.
 *
 * @param scope of its idempotency key, if it has one
 */
export async function openUploadRoom(ctx: Context, scope: string | undefined): Promise<UploadRoom> {
  const { backend, db, project } = ctx
  const { total: limitBytes } = storageLimits[project.settings.tier]
  if (limitBytes === null) return unlimitedRoom
  const { bytes: used } = await selectUsage(db, project.id)
  // Checks after reading the usage, because the earlier request may have ended meanwhile and stored its files.
  const isRepeat = scope !== undefined && (await isAnswered(ctx, scope))
  return backend.uploadRooms.open(project.id, {
    freeBytes: isRepeat ? limitBytes : limitBytes - used,
    limitBytes,
    scope,
  })
}

/**
 * Stores the bytes of a file: all of them if this resolves, none if it rejects.
 *
 * @throws {SvcError} `FILE_TOO_LARGE`, `STORAGE_LIMIT`, `INVALID_PATH`, `VALIDATION_ERROR` for a type that is not
 * accepted
 */
export async function landUpload(
  backend: Backend,
  file: IncomingFile,
  { project, mostBytes, mayBeAnyType, isHashed, room }: FileRules,
): Promise<Upload> {
  const name = requireFileName(file.name)
  if (!mayBeAnyType) requireNamedType(file.field, name)
  const id = backend.newId(backend.now(project))
  const hash = isHashed ? createHash('sha256') : undefined
  let size = 0
  async function* weighed() {
    for await (const chunk of file.bytes) {
      size += chunk.length
      if (size > mostBytes) throw fileTooLarge(mostBytes)
      room.take(chunk.length)
      hash?.update(chunk)
      yield chunk
    }
  }
  await backend.files.write(id, weighed())
  return { field: file.field, id, name, size, mimeType: detectType(name, file.type), digest: hash?.digest('hex') }
}

/**
 * Assigns files to their owner and returns the time.
 *
 * @throws {SvcError} `STORAGE_LIMIT`
 */
export async function insertUploads(
  ctx: Context,
  files: readonly Upload[],
  { owner, path }: { owner: FileOwner; path: string },
): Promise<string> {
  const { db, project, backend } = ctx
  const at = backend.now(project.id).toISOString()
  const { total: limitBytes } = storageLimits[project.settings.tier]
  const place = { project: project.id, owner, limitBytes, at }
  const hasRoom = await insertFiles(
    db,
    place,
    files.map((file) => ({ ...file, path })),
  )
  if (!hasRoom) throw noRoom(limitBytes ?? 0)
  for (const { id, name, size } of files) {
    happened(ctx, { kind: 'file.uploaded', projectId: project.id, file: { id, name, size } })
  }
  return at
}

function fileTooLarge(most: number): SvcError {
  const reason: Reason = { kind: 'limit', limit: 'file bytes', most, setting: 'tier' }
  return new SvcError('FILE_TOO_LARGE', `File is too large (max ${formatBytes(most)}).`, [], { reason })
}

/** Removes the bytes of files that no transaction has adopted. If the store fails, retries later. */
export async function removeUploads(
  { files, discardLater }: Pick<Backend, 'files' | 'discardLater'>,
  project: string,
  uploads: readonly Upload[],
): Promise<void> {
  const ids = uploads.map(({ id }) => id)
  try {
    await files.remove(ids)
  } catch (error) {
    discardLater(project, ids)
    throw error
  }
}

async function discardUploads(
  { db, files, discardLater }: Pick<Backend, 'db' | 'files' | 'discardLater'>,
  project: string,
  uploads: readonly Upload[],
): Promise<void> {
  const ids = uploads.map(({ id }) => id)
  try {
    const kept = new Set(await selectSettled(db, project, ids))
    await files.remove(ids.filter((id) => !kept.has(id)))
  } catch (error) {
    discardLater(project, ids)
    throw error
  }
}

/**
 * Adds the URLs of the files to the fields: appends to an array sent in the same field, and makes an array for several
 * files. Contract 3.4.
 *
 * @throws {SvcError} `VALIDATION_ERROR` for a file whose field has another value
 */
export function withUploads(backend: Backend, fields: Fields, { files }: Uploads): Fields {
  if (files.length === 0) return fields
  for (const { field } of files) requireNoOperator({ [field]: null })
  const whole = { ...fields }
  for (const field of new Set(files.map(({ field }) => field))) {
    const urls = files.filter((file) => file.field === field).map((file) => fileUrl(backend, file))
    setOwn(whole, field, withKept(field, Object.hasOwn(fields, field) ? fields[field] : null, urls))
  }
  return whole
}

function withKept(field: string, kept: Json | undefined, urls: readonly string[]): Json {
  if (Array.isArray(kept)) return [...kept, ...urls]
  const [url = '', another] = urls
  if (kept === null || kept === undefined) return another === undefined ? url : [...urls]
  const issue = { path: [field], message: 'was sent both as a file and as a value that is not an array', type: 'array' }
  throw new SvcError('VALIDATION_ERROR', `"${field}" ${issue.message}.`, [issue])
}

/** Contract 8.4. */
function requireNamedType(field: string, name: string): void {
  if (isNamedType(name)) return
  const issue = { path: [field], message: `must end in ${namedEndings.join(', ')}`, type: 'file_type' }
  throw new SvcError('VALIDATION_ERROR', `"${name}" ${issue.message}.`, [issue])
}
