import { createHash } from 'node:crypto'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { FileRecord } from '../../../client/protocol/model/file.js'
import type { SeedFile } from '../../../client/protocol/model/seed/steps.js'
import { type FileOwner, orphanFile } from '../../store/files.js'
import { orphanStandalone, selectOwnerFiles, selectStandalone } from '../../store/seeds.js'
import type { Context } from '../context.js'
import { fileUrl, requireFolder } from '../files/file-names.js'
import { insertUploads, type Upload } from '../files/uploads.js'
import { type Referable, remember, type Seeding } from './seeding.js'

/** Stores a file without an owner. Files of records are stored with their record. */
export async function applyFile(seeding: Seeding, { name, part, path: sent, isOwned }: SeedFile): Promise<void> {
  const { ctx, mode, uploads, files } = seeding
  const upload = uploads.get(part)
  if (!upload) throw new SvcError('INVALID_BODY', `The form has no part "${part}".`)
  if (isOwned) {
    seeding.owned.set(name, upload)
    return
  }
  const isFirst = !seeding.known.has('files')
  if (isFirst && mode === 'replace') await orphanStandalone(ctx.db, ctx.project.id)
  const path = requireFolder(sent)
  const before = await selectStandalone(ctx.db, ctx.project.id, { path, name: upload.name })
  if (before && (mode === 'fill' || (await isSame(ctx, before, upload)))) {
    files.kept++
    return remember(seeding, 'files', name, referable(ctx, before))
  }
  if (before) await orphanFile(ctx.db, ctx.project.id, before.id)
  const createdAt = await insertUploads(ctx, [upload], { owner: 'none', path })
  files[before ? 'updated' : 'created']++
  remember(seeding, 'files', name, referable(ctx, { ...upload, path, createdAt }))
}

/** The files of a record, and those still to be stored. */
export interface Owning {
  readonly referable: ReadonlyMap<string, Referable>
  readonly fresh: readonly Upload[]
}

const ownsNothing: Owning = { referable: new Map(), fresh: [] }

/** Finds the files that a record will own. Existing files with the same name and bytes are not stored again. */
export async function findOwned(
  { ctx, owned }: Seeding,
  names: readonly string[] | undefined,
  owner: string | undefined,
): Promise<Owning> {
  if (!names || names.length === 0) return ownsNothing
  const before = owner === undefined ? [] : await selectOwnerFiles(ctx.db, owner)
  const all = new Map<string, Referable>()
  const fresh: Upload[] = []
  for (const name of names) {
    const upload = owned.get(name)
    if (!upload) throw new SvcError('VALIDATION_ERROR', `The seed has no owned file "${name}".`)
    const same = await findSame(ctx, before, upload)
    if (!same) fresh.push(upload)
    all.set(
      name,
      referable(ctx, same ?? { ...upload, path: '', createdAt: ctx.backend.now(ctx.project.id).toISOString() }),
    )
  }
  return { referable: all, fresh }
}

/** Assigns files to their owner, which must exist. */
export async function adopt(
  { ctx, files }: Pick<Seeding, 'ctx' | 'files'>,
  uploads: readonly Upload[],
  owner: FileOwner,
): Promise<void> {
  if (uploads.length > 0) await insertUploads(ctx, uploads, { owner, path: '' })
  files.created += uploads.length
}

async function findSame(ctx: Context, files: readonly FileRecord[], upload: Upload): Promise<FileRecord | undefined> {
  for (const file of files) if (file.name === upload.name && (await isSame(ctx, file, upload))) return file
  return undefined
}

async function isSame({ backend }: Context, file: FileRecord, upload: Upload): Promise<boolean> {
  if (file.size !== upload.size) return false
  const bytes = await backend.files.read(file.id)
  if (!bytes) return false
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex') === upload.digest
}

function referable({ backend }: Context, { id, name, path, size, mimeType, createdAt }: FileRecord): Referable {
  return { id, name, path, size, mimeType, createdAt, url: fileUrl(backend, { id, name }) }
}
