/**
 * Files that come with a request. Their bytes land first, under ids of their own; the transaction that writes the request's
 * record adopts them; what is not adopted is removed again.
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
import { isNamedType, namedEndings, typeOf } from './mime-types.js'
import { endlessRoom, noRoom, type UploadRoom } from './upload-room.js'

/** A file on its way in. */
export interface IncomingFile {
  /** The name of its part. */
  readonly field: string
  readonly name: string
  /** What its sender says it is. */
  readonly type: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** What a file may be. */
export interface FileRules {
  /** Id of the project that the file is for. */
  readonly project: string
  readonly mostBytes: number
  /** Otherwise its name ends as the specification's types do. Contract 8.4. */
  readonly mayBeAnyType: boolean
  /** Whether its bytes are hashed, so that two requests can be distinguished. */
  readonly isHashed: boolean
  /** What the files of the request may take together. */
  readonly room: UploadRoom
}

/** A file whose bytes are there. */
export interface Upload {
  readonly field: string
  readonly id: string
  readonly name: string
  readonly size: number
  readonly mimeType: string
  /** A hash of the bytes, where one was asked for. */
  readonly digest: string | undefined
}

/** The files that a request brought along. */
export interface Uploads {
  readonly files: readonly Upload[]
  /**
   * Gives the files to their owner, at the top folder unless another is named, and answers when. Call it in the transaction that
   * writes the owner.
   *
   * @throws {SvcError} `STORAGE_LIMIT`
   */
  adopt(ctx: Context, owner: FileOwner, path?: string): Promise<string>
  /** That transaction has been committed. */
  commit(): void
  /**
   * Removes the bytes, unless they were adopted and committed. Whether they were is for the database to say: a commit may have gone
   * through although its answer was lost, or may still be on its way. Where the database cannot be asked, the bytes stay, and it is
   * asked later.
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
 * Room for the files of a request: what the project has left, or all that it may have for a request that only gets the answer of
 * an earlier one again.
 *
 * @param scope of its idempotency key, if it has one
 */
export async function openUploadRoom(ctx: Context, scope: string | undefined): Promise<UploadRoom> {
  const { backend, db, project } = ctx
  const { total: limitBytes } = storageLimits[project.settings.tier]
  if (limitBytes === null) return endlessRoom
  const { bytes: used } = await selectUsage(db, project.id)
  // Afterwards: what is used may be by the files of the earlier request, which ended meanwhile.
  const isRepeat = scope !== undefined && (await isAnswered(ctx, scope))
  return backend.uploadRooms.open(project.id, {
    freeBytes: isRepeat ? limitBytes : limitBytes - used,
    limitBytes,
    scope,
  })
}

/**
 * Takes in the bytes of a file. They are there once this resolves, and not at all if it rejects.
 *
 * @throws {SvcError} `FILE_TOO_LARGE`, `STORAGE_LIMIT`, `INVALID_PATH`, `VALIDATION_ERROR` for a type that is not taken
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
  return { field: file.field, id, name, size, mimeType: typeOf(name, file.type), digest: hash?.digest('hex') }
}

/**
 * Gives files to their owner, and answers when.
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
  return new SvcError('FILE_TOO_LARGE', `A file here is at most ${formatBytes(most)}.`, [], { reason })
}

/** Removes the bytes of files that no transaction has been given yet; those of a store that fails then are removed later. */
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
 * The fields with the addresses of the files in them: behind those of an array that was sent too, and as an array where one name has
 * several. Contract 3.4.
 *
 * @throws {SvcError} `VALIDATION_ERROR` for a file whose field holds another value
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
  const issue = { path: [field], message: 'is sent as a file, and also as a value that is not an array', type: 'array' }
  throw new SvcError('VALIDATION_ERROR', `"${field}" ${issue.message}.`, [issue])
}

/** Contract 8.4. */
function requireNamedType(field: string, name: string): void {
  if (isNamedType(name)) return
  const issue = { path: [field], message: `ends in none of ${namedEndings.join(', ')}`, type: 'file_type' }
  throw new SvcError('VALIDATION_ERROR', `"${name}" ${issue.message}.`, [issue])
}
