/** Stores files on this machine's disk, each named by its id. */
import { randomUUID } from 'node:crypto'
import { constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, opendir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BytesKept, type FileStore, StorageError } from './port.js'
import { shared } from './shared.js'

/** Reserves space, so that the database beside the files never meets a full disk. */
const defaultReservedBytes = 64 * 1024 * 1024

/** Limits how old a check of the disk may be, and how many bytes may arrive before the next one. */
const freshMilliseconds = 1_000
const bytesBetweenLooks = 16 * 1024 * 1024

/** The unit of reads and writes. */
const pieceBytes = 256 * 1024

/** Never follows a symbolic link: one in a cloned folder could point anywhere. Contract 12.4. */
const { O_RDONLY, O_NOFOLLOW = 0 } = constants

const pageOfIds = 1_000
const nothing: Piece = { chunks: [], length: 0 }

/** Chunks written together, because each write is a task of the thread pool. */
interface Piece {
  readonly chunks: readonly Uint8Array[]
  readonly length: number
}

export interface DiskOptions {
  /** Created if missing. Nothing else may write to it. */
  readonly folder: string
  /** Whether files survive a power cut. Worth the time only if the rows do too. */
  readonly isSynced?: boolean
  /** Space to keep free, in bytes. */
  readonly reservedBytes?: number
}

/** Opens the store. Unfinished uploads of the last process have no row and are deleted as orphans. */
export async function openDiskStore({
  folder,
  isSynced = false,
  reservedBytes = defaultReservedBytes,
}: DiskOptions): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const openedAt = readStamp(folder)
  const handle = await open(folder, 'r')
  // Syncs the folder once for files that arrive together.
  const syncFolder = shared(() => handle.sync().catch(ignoreUnlessReal))
  const requireSpace = openSpaceGuard(folder, reservedBytes)
  const filePath = (id: string) => join(folder, id)

  async function writeAll(path: string, first: Piece, more: AsyncIterable<Piece>): Promise<void> {
    const file = await open(path, 'wx', 0o600)
    let writing = begin(file, first)
    try {
      // Receives the next piece while this one is written.
      for await (const piece of more) {
        await requireSpace(piece.length)
        await writing
        writing = begin(file, piece)
      }
      await writing
      if (isSynced) await file.datasync()
    } finally {
      await writing.catch(() => undefined)
      await file.close()
    }
  }

  async function land(path: string, first: Piece, more: AsyncIterable<Piece>): Promise<void> {
    if (first.length < pieceBytes && !isSynced) await writeFile(path, first.chunks, { flag: 'wx', mode: 0o600 })
    else await writeAll(path, first, more)
    if (isSynced) await syncFolder()
  }

  /** Tells a missing file from a missing folder, for example an unmounted disk: then nothing is known of the file. */
  async function noneOfFolder(error: NodeJS.ErrnoException): Promise<undefined> {
    noneIfMissing(error)
    if (await stat(folder).catch(noneIfMissing)) return undefined
    throw new StorageError('unreachable', 'The folder for files does not exist.', error)
  }

  return {
    async write(id, bytes) {
      const path = filePath(id)
      const pieces = inPieces(bytes)
      try {
        await requireSpace(0)
        const { value: first = nothing } = await pieces.next()
        await land(path, first, pieces).catch(async (error) => {
          // An existing file belongs to another write.
          if (error.code !== 'EEXIST') await rm(path, { force: true })
          throw error
        })
      } catch (error) {
        throw asStorageError(error)
      }
    },

    async read(id, range) {
      const file = await open(filePath(id), O_RDONLY | O_NOFOLLOW).catch(noneOfFolder)
      return file?.createReadStream({ start: range?.first ?? 0, end: range?.last, highWaterMark: pieceBytes })
    },

    async remove(ids) {
      const outcomes = await Promise.allSettled(ids.map((id) => rm(filePath(id), { force: true })))
      const failure = outcomes.find((outcome) => outcome.status === 'rejected')
      if (!failure) return
      const kept = ids.filter((_, at) => outcomes[at]?.status === 'rejected')
      throw new BytesKept(kept, `Could not delete "${kept[0]}" from the disk.`, failure.reason)
    },

    async *list() {
      let ids: string[] = []
      for await (const { name } of (await opendir(folder, { bufferSize: pageOfIds }).catch(noneOfFolder)) ?? []) {
        if (!/^[0-9a-f-]{36}$/.test(name)) continue
        if (ids.push(name) < pageOfIds) continue
        yield ids
        ids = []
      }
      yield ids
    },

    has: async (id) => (await lstat(filePath(id)).catch(noneOfFolder))?.isFile() ?? false,

    // Only this process uses the folder, so no request is writing a file from before it started.
    async isSettled(id) {
      const found = await lstat(filePath(id)).catch(noneIfMissing)
      return found !== undefined && found.mtimeMs < openedAt
    },

    close: () => handle.close(),
  }
}

/** Reads the time from the disk, whose clock may differ from ours and count whole seconds. */
function readStamp(folder: string): number {
  // Uses a random name, because a symbolic link in a cloned folder could point anywhere. Contract 12.4.
  const mark = join(folder, `opened.${randomUUID()}`)
  try {
    writeFileSync(mark, '', { mode: 0o600, flag: 'wx' })
    const { mtimeMs } = statSync(mark)
    rmSync(mark)
    return mtimeMs
  } catch {
    // Without a timestamp, no file counts as older.
    return 0
  }
}

/** Avoids an unhandled rejection: the error is handled when the next piece arrives. */
function begin(file: FileHandle, piece: Piece): Promise<void> {
  const writing = writeWhole(file, piece)
  writing.catch(() => undefined)
  return writing
}

/** Repeats, because a write may take fewer bytes than it was given. */
async function writeWhole(file: FileHandle, { chunks, length }: Piece): Promise<void> {
  const { bytesWritten } = await file.writev([...chunks])
  if (bytesWritten === length) return
  const bytes = Buffer.concat(chunks)
  for (let at = bytesWritten; at < length; ) at += (await file.write(bytes, at)).bytesWritten
}

/** Only the last piece may be smaller than the others. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Piece, undefined> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    chunks.push(chunk)
    length += chunk.length
    if (length < pieceBytes) continue
    yield { chunks, length }
    chunks = []
    length = 0
  }
  yield { chunks, length }
}

/** Refuses writes when little space is left. Checks now and then, not for every file. */
function openSpaceGuard(folder: string, reservedBytes: number): (bytes: number) => Promise<void> {
  let lookedAt = -freshMilliseconds
  let bytesSince = 0
  let isScarce = false
  const look = shared(async () => {
    const { bavail, bsize } = await statfs(folder)
    isScarce = bavail * bsize < reservedBytes
    lookedAt = performance.now()
    bytesSince = 0
  })
  return async (bytes) => {
    bytesSince += bytes
    const isFresh = performance.now() - lookedAt < freshMilliseconds && bytesSince < bytesBetweenLooks
    if (!isFresh) await look()
    if (isScarce) throw new StorageError('full', 'The disk is nearly full.')
  }
}

/** Windows cannot sync a folder, and does not need to. */
function ignoreUnlessReal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP') throw error
}

/** Attributes system errors of writes to the storage. Other errors, and errors of reads, come from the sender. */
function asStorageError(error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || syscall === 'read') return error
  const kind = ['ENOSPC', 'EDQUOT'].includes(code) ? 'full' : 'failed'
  return new StorageError(kind, `Could not write the file to the disk: ${code}.`, error)
}
