/** Where the bytes of files go: a folder, or whatever an address names. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskStore } from './disk.js'
import type { FileStore } from './port.js'

export interface FilePlace {
  /** `s3://bucket/prefix`. */
  readonly url: string | undefined
  /** Left out, files are gone when the store is closed. */
  readonly folder: string | undefined
  /** Sets the files of one database apart from those of others. */
  readonly place: string
  /** Whether files on a disk outlive a power cut, as rows on a server do. */
  readonly isSynced: boolean
}

export async function openFileStore({ url, folder, place, isSynced }: FilePlace): Promise<FileStore> {
  if (url !== undefined) {
    // Its library is optional, and takes long to load.
    const { openS3Store } = await import('./s3.js')
    return openS3Store({ url, place })
  }
  if (folder !== undefined) return openDiskStore({ folder: join(folder, place), isSynced })
  return openDiskStore({ folder: await mkdtemp(join(tmpdir(), 'svc-files-')), isTemporary: true })
}
