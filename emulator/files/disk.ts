/** Files on this machine's disk: each under its id, in one of 256 folders by the id's last two digits. */
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '../../client/model/errors.js'
import type { FileStore } from './file-store.js'

/** Space that stays free, so that the database beside the files never meets a full disk. */
const defaultReservedBytes = 64 * 1024 * 1024

/** How many bytes may come in between two looks at the disk. */
const bytesBetweenLooks = 16 * 1024 * 1024

/** The clock that stamps files may be behind the one that is asked for the time. */
const clockSlackMilliseconds = 50

export interface DiskOptions {
  /** Made if it is not there. Nobody else may write in it. */
  readonly folder: string
  /** Whether it goes when the store is closed. */
  readonly isTemporary?: boolean
  /** Space that stays free. */
  readonly reservedBytes?: number
}

/** Opens the store and throws away what was still coming in when the last process ended. */
export async function openDiskStore({
  folder,
  isTemporary = false,
  reservedBytes = defaultReservedBytes,
}: DiskOptions): Promise<FileStore> {
  const openedAt = Date.now() - clockSlackMilliseconds
  const incoming = join(folder, 'tmp')
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const folderOf = (id: string) => join(folder, id.slice(-2))
  const pathOf = (id: string) => join(folderOf(id), id)

  /** @throws {SvcError} `STORAGE_LIMIT` */
  async function requireSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < reservedBytes) throw diskFull()
  }

  /** Moves a whole file to its place, where it is to be found after a power cut too. */
  async function settle(from: string, id: string): Promise<void> {
    const home = folderOf(id)
    try {
      await rename(from, pathOf(id))
    } catch (error) {
      if (!isMissing(error)) throw error
      await mkdir(home, { recursive: true, mode: 0o700 })
      await syncFolder(folder)
      await rename(from, pathOf(id))
    }
    await syncFolder(home)
  }

  return {
    async write(id, bytes) {
      const place = join(incoming, id)
      try {
        await requireSpace()
        const file = await open(place, 'wx', 0o600)
        try {
          await writeAll(file, bytes, requireSpace)
          await file.datasync()
        } finally {
          await file.close()
        }
        await settle(place, id)
      } catch (error) {
        await rm(place, { force: true })
        throw isFull(error) ? diskFull() : error
      }
    },

    async read(id, range) {
      const file = await open(pathOf(id), 'r').catch(noneIfMissing)
      return file?.createReadStream({ start: range?.first ?? 0, end: range?.last, highWaterMark: 256 * 1024 })
    },

    async remove(ids) {
      await Promise.all(ids.map((id) => rm(pathOf(id), { force: true })))
    },

    async *list() {
      for (const home of await readdir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(home)) continue
        const ids = await readdir(join(folder, home))
        yield ids.filter((id) => /^[0-9a-f-]{36}$/.test(id))
      }
    },

    has: async (id) => (await stat(pathOf(id)).catch(noneIfMissing)) !== undefined,

    // The folder is this process's own: what was there before it began, no request is at work on.
    async isSettled(id) {
      const found = await stat(pathOf(id)).catch(noneIfMissing)
      return found !== undefined && found.mtimeMs < openedAt
    },

    async close() {
      if (isTemporary) await rm(folder, { recursive: true, force: true })
    },
  }
}

async function writeAll(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  requireSpace: () => Promise<void>,
): Promise<void> {
  let unlooked = 0
  for await (const chunk of bytes) {
    unlooked += chunk.length
    if (unlooked > bytesBetweenLooks) {
      await requireSpace()
      unlooked = 0
    }
    // A write may take less than it was given.
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Windows has no such thing.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  } finally {
    await handle.close()
  }
}

function diskFull() {
  return new SvcError('STORAGE_LIMIT', 'The disk is nearly full. Free some space.')
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

function noneIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}
