/** Files on this machine's disk, each under its id. */
import { randomUUID } from 'node:crypto'
import { constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, opendir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BytesKept, type FileStore, StorageError } from './port.js'
import { shared } from './shared.js'

/** Space that stays free, so that the database beside the files never meets a full disk. */
const defaultReservedBytes = 64 * 1024 * 1024

/** How old a look at the disk may be, and how many bytes may come in since. */
const freshMilliseconds = 1_000
const bytesBetweenLooks = 16 * 1024 * 1024

/** What is written at once, and read at once. */
const pieceBytes = 256 * 1024

/** A symbolic link is none of our files: one that came with a cloned folder may lead anywhere. Contract 12.4. */
const { O_RDONLY, O_NOFOLLOW = 0 } = constants

const pageOfIds = 1_000
const nothing: Piece = { chunks: [], length: 0 }

/** Chunks that are written together, since each write takes a turn of another thread. */
interface Piece {
  readonly chunks: readonly Uint8Array[]
  readonly length: number
}

export interface DiskOptions {
  /** Made if it is not there. Nothing else may write in it. */
  readonly folder: string
  /** Whether bytes outlive a power cut. That is worth its time where the rows beside them do. */
  readonly isSynced?: boolean
  /** Space that stays free. */
  readonly reservedBytes?: number
}

/** Opens the store. What was still coming in when the last process ended has no row, and goes with what has none. */
export async function openDiskStore({
  folder,
  isSynced = false,
  reservedBytes = defaultReservedBytes,
}: DiskOptions): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const openedAt = stampOf(folder)
  const handle = await open(folder, 'r')
  // Files that arrive together are named on the disk together.
  const syncFolder = shared(() => handle.sync().catch(ignoreUnlessReal))
  const requireSpace = openSpaceGuard(folder, reservedBytes)
  const pathOf = (id: string) => join(folder, id)

  async function writeAll(place: string, first: Piece, more: AsyncIterable<Piece>): Promise<void> {
    const file = await open(place, 'wx', 0o600)
    let writing = begin(file, first)
    try {
      // While one piece is written, the next one comes in.
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

  async function land(place: string, first: Piece, more: AsyncIterable<Piece>): Promise<void> {
    if (first.length < pieceBytes && !isSynced) await writeFile(place, first.chunks, { flag: 'wx', mode: 0o600 })
    else await writeAll(place, first, more)
    if (isSynced) await syncFolder()
  }

  /** Without the folder, as while its disk is not mounted, nothing is known of the file. */
  async function noneOfFolder(error: NodeJS.ErrnoException): Promise<undefined> {
    noneIfMissing(error)
    if (await stat(folder).catch(noneIfMissing)) return undefined
    throw new StorageError('unreachable', 'The folder of the files is not there.', error)
  }

  return {
    async write(id, bytes) {
      const place = pathOf(id)
      const pieces = inPieces(bytes)
      try {
        await requireSpace(0)
        const { value: first = nothing } = await pieces.next()
        await land(place, first, pieces).catch(async (error) => {
          // What was there before is another write's.
          if (error.code !== 'EEXIST') await rm(place, { force: true })
          throw error
        })
      } catch (error) {
        throw asStorageError(error)
      }
    },

    async read(id, range) {
      const file = await open(pathOf(id), O_RDONLY | O_NOFOLLOW).catch(noneOfFolder)
      return file?.createReadStream({ start: range?.first ?? 0, end: range?.last, highWaterMark: pieceBytes })
    },

    async remove(ids) {
      const outcomes = await Promise.allSettled(ids.map((id) => rm(pathOf(id), { force: true })))
      const failure = outcomes.find((outcome) => outcome.status === 'rejected')
      if (!failure) return
      const kept = ids.filter((_, at) => outcomes[at]?.status === 'rejected')
      throw new BytesKept(kept, `The disk keeps "${kept[0]}".`, failure.reason)
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

    has: async (id) => (await lstat(pathOf(id)).catch(noneOfFolder))?.isFile() ?? false,

    // The folder is this process's own: what was there before it began, no request is at work on.
    async isSettled(id) {
      const found = await lstat(pathOf(id)).catch(noneIfMissing)
      return found !== undefined && found.mtimeMs < openedAt
    },

    close: () => handle.close(),
  }
}

/** The time as the folder's disk stamps it, which may be by another clock than ours, and to the second only. */
function stampOf(folder: string): number {
  // Under a random name: a symbolic link that came with a cloned folder may lead anywhere. Contract 12.4.
  const mark = join(folder, `opened.${randomUUID()}`)
  try {
    writeFileSync(mark, '', { mode: 0o600, flag: 'wx' })
    const { mtimeMs } = statSync(mark)
    rmSync(mark)
    return mtimeMs
  } catch {
    // Where nothing can be stamped, nothing counts as older.
    return 0
  }
}

/** Its failure is looked at when the next piece is there, and must not end the process until then. */
function begin(file: FileHandle, piece: Piece): Promise<void> {
  const writing = writeWhole(file, piece)
  writing.catch(() => undefined)
  return writing
}

/** A write may take less than it was given. */
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

/** Refuses once too little space is left. It looks now and then, not for every file. */
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

/** Windows cannot sync a folder, and has no need to. */
function ignoreUnlessReal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP') throw error
}

/** What the system says of a write is the storage's; anything else, and what it says of reading, comes from the sender of the bytes. */
function asStorageError(error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || syscall === 'read') return error
  const kind = ['ENOSPC', 'EDQUOT'].includes(code) ? 'full' : 'failed'
  return new StorageError(kind, `The disk did not take the file: ${code}.`, error)
}
