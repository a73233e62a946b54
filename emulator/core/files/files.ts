/** Lists, stores and deletes files. Spec, "Storage". */

import { isId } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { FileRecord, StorageUsage, StoredFile } from '../../../client/protocol/model/file.js'
import { storageLimits } from '../../../client/protocol/model/limits.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { defaultSettings, type ProjectSettings } from '../../../client/protocol/model/project.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { orphanFile, selectFile, selectUsage } from '../../store/files.js'
import { type FileReader, isOwned, selectFiles } from '../../store/lists/files.js'
import { readerFor } from '../access/grant.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Backend, Context } from '../context.js'
import { happened } from '../unit-of-work.js'
import { fileUrl, requireFolder } from './file-names.js'
import type { Uploads } from './uploads.js'

/** Stores a file that belongs to no document or user. @throws {SvcError} `STORAGE_LIMIT`, `INVALID_PATH`, `VALIDATION_ERROR` */
export async function uploadFile(ctx: Context, uploads: Uploads, folder: string): Promise<StoredFile> {
  const [upload, ...more] = uploads.files
  if (!upload) throw notTheFile()
  requireTheFile(upload.field, more.length)
  const path = requireFolder(folder)
  const createdAt = await uploads.adopt(ctx, 'none', path)
  const { id, name, size, mimeType } = upload
  return withUrl(ctx.backend, { id, name, path, size, mimeType, createdAt })
}

/**
 * Requires exactly one file in the part `file`.
 *
 * @param others number of other files in the request
 * @throws {SvcError} `VALIDATION_ERROR`
 */
export function requireTheFile(field: string, others: number): void {
  if (field !== 'file' || others > 0) throw notTheFile()
}

function notTheFile(): SvcError {
  const issue = { path: ['file'], message: 'is required and must be the only file', type: 'missing' }
  return new SvcError('VALIDATION_ERROR', `"file" ${issue.message}.`, [issue])
}

/** More than a name, a path and an address take. */
const maxEntryBytes = 8 * 1024

/**
 * Lists the files in a folder and its subfolders that the caller can see, newest first, including owned files. Contract
 * 8.1.
 */
export async function listFiles(
  ctx: Context,
  { path, limit, offset }: { path: string; limit: number; offset: number },
): Promise<Page<StoredFile>> {
  const place = { project: ctx.project.id, path: requireFolder(path), reader: fileReaderFor(ctx) }
  const page = await workLong(ctx, () => selectFiles(ctx.db, place, { limit, offset }), limit * maxEntryBytes)
  return { ...page, items: page.items.map((file) => withUrl(ctx.backend, file)) }
}

/** Deletes a file that belongs to no document or user. @throws {SvcError} `NOT_FOUND`, `FILE_IN_USE` */
export async function removeFile(ctx: Context, id: string): Promise<{ id: string }> {
  const isDropped = isId(id) && (await orphanFile(ctx.db, ctx.project.id, id))
  if (!isDropped) {
    if (isId(id) && (await isOwned(ctx.db, ctx.project.id, id, fileReaderFor(ctx)))) {
      throw plainError('FILE_IN_USE', { reason: { kind: 'in use', file: id } })
    }
    const name = id.slice(0, 80)
    throw new SvcError('NOT_FOUND', `No file "${name}".`, [], { reason: { kind: 'missing', what: 'file', name } })
  }
  ctx.backend.sweepFilesSoon()
  happened(ctx, { kind: 'file.removed', projectId: ctx.project.id, file: { id, name: null, size: null } })
  return { id }
}

function fileReaderFor({ caller }: Context): FileReader {
  return { ...readerFor(caller), user: caller.user?.id }
}

export async function getUsage({ db, project }: Context): Promise<StorageUsage> {
  const { tier } = project.settings
  return { ...(await selectUsage(db, project.id)), limitBytes: storageLimits[tier].total, tier }
}

/** Finds a public file and the settings for serving it. @throws {SvcError} `NOT_FOUND` */
export async function getPublicFile(
  { db }: Backend,
  id: string,
  name: string,
): Promise<{ file: FileRecord; settings: Pick<ProjectSettings, 'allowedOrigins' | 'dialect' | 'inlineFiles'> }> {
  const found = isId(id) ? await selectFile(db, id) : undefined
  if (!found || found.file.name !== name) {
    const reason: Reason = { kind: 'missing', what: 'file', name: `${id}/${name}`.slice(0, 200) }
    throw new SvcError('NOT_FOUND', 'No such file.', [], { reason })
  }
  return { file: found.file, settings: { ...defaultSettings, ...JSON.parse(found.settings) } }
}

function withUrl(backend: Backend, file: FileRecord): StoredFile {
  return { ...file, url: fileUrl(backend, file) }
}
