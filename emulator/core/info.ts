import { statfs } from 'node:fs/promises'
import { sizes, storageLimits } from '../../client/protocol/model/limits.js'
import type { Project } from '../../client/protocol/model/project.js'
import { type DatabaseSize, selectSavedAt, selectSize } from '../store/database-size.js'
import type { Backend } from './context.js'
import { requireProject } from './projects/require-project.js'

export interface ServiceInfo {
  /** The project that the service was opened for. */
  readonly project: Project
  readonly database: DatabaseSize & {
    readonly dataDir: string | null
    readonly servers: readonly string[]
    readonly isDurable: boolean
    readonly savedAt: string | null
  }
  readonly disk: { readonly freeBytes: number } | null
  readonly streams: { readonly connections: number; readonly subscriptions: number }
  readonly hashing: { readonly library: '@node-rs/bcrypt' | 'bcryptjs' }
}

/** Reads the service's versions, limits and usage. Contract 11. */
export async function readInfo(backend: Backend): Promise<ServiceInfo> {
  const { db, about, feeds, passwords } = backend
  const { dataDir = null, servers } = about
  const [project, size, savedAt, disk, library] = await Promise.all([
    requireProject(backend, about.project),
    selectSize(db),
    selectSavedAt(db),
    dataDir === null ? null : freeDisk(dataDir),
    passwords.library(),
  ])
  const database = { ...size, dataDir, servers, isDurable: db.capabilities.isDurable, savedAt }
  return { project, database, disk, streams: feeds.open(), hashing: { library } }
}

/** Returns the limits for one request, one document and all files of a project. */
export function readLimits({ tier, rateLimit }: Project['settings']) {
  const { file, total } = storageLimits[tier]
  const { maxBatchItems, maxBodyBytes, maxDocumentBytes } = sizes
  return {
    ...{ tier, rateLimit, fileBytes: file, storageBytes: total },
    ...{ batchItems: maxBatchItems, bodyBytes: maxBodyBytes, documentBytes: maxDocumentBytes },
  }
}

async function freeDisk(folder: string): Promise<{ freeBytes: number }> {
  const { bavail, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize }
}
