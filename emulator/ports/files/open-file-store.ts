/** Where the bytes of files go: a folder, this process's memory, or whatever an address names. */
import { join } from 'node:path'
import { openDiskStore } from './disk.js'
import { openMemoryStore } from './memory.js'
import type { FileStore } from './port.js'

export interface FilePlace {
  /** `s3://bucket/prefix`. */
  readonly url: string | undefined
  /** Left out, files are in memory. */
  readonly folder: string | undefined
  /** Sets the files of one database apart from those of others; asked where others have the same folder or bucket. */
  place(): Promise<string>
  /** Whether files on a disk outlive a power cut, as rows on a server do. */
  readonly isSynced: boolean
}

export async function openFileStore({ url, folder, place, isSynced }: FilePlace): Promise<FileStore> {
  if (url !== undefined) {
    // Its library is optional, and takes long to load.
    const { openS3Store } = await import('./s3.js')
    return openS3Store({ url, place: await place() })
  }
  if (folder !== undefined) return openDiskStore({ folder: join(folder, await place()), isSynced })
  return openMemoryStore()
}
