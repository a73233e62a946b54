/** Configures where the bytes of files go: a folder, memory, or the storage that the address names. */
import { join } from 'node:path'
import { openDiskStore } from './disk.js'
import { openMemoryStore } from './memory.js'
import type { FileStore } from './port.js'

export interface FileLocation {
  /** `s3://bucket/prefix`. */
  readonly url: string | undefined
  /** Default: files are in memory. */
  readonly folder: string | undefined
  /** Separates the files of this database from others in the same folder or bucket. */
  place(): Promise<string>
  /** Whether files on disk survive a power cut, as rows on a server do. */
  readonly isSynced: boolean
}

export async function openFileStore({ url, folder, place, isSynced }: FileLocation): Promise<FileStore> {
  if (url !== undefined) {
    // Loaded on demand: the library is optional and slow to load.
    const { openS3Store } = await import('./s3.js')
    return openS3Store({ url, place: await place() })
  }
  if (folder !== undefined) return openDiskStore({ folder: join(folder, await place()), isSynced })
  return openMemoryStore()
}
