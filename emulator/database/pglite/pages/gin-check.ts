/**
 * Finds pages of GIN indexes that are zero although another page links to them. PostgreSQL takes them for new pages and
 * follows their zeroes as links for ever; in B-trees it reports them. A zero page without a link is fine: a process was
 * killed while adding it.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseError, type Sql, sql } from '../../port.js'
import { fixedBlocks, isZero, pageBytes, readLinks } from './gin-page.js'

/** Limits what a start reads, some hundredths of a second. After a statement had to be stopped, all is read. */
export const maxBytesAtStart = 256 * 1_048_576

const chunkPages = 128
/** A relation file has at most this many pages; the next ones are in `….1` and so on. */
const segmentPages = 131_072

interface Index {
  readonly name: string
  readonly path: string
}

/**
 * Returns the error that PostgreSQL should have reported, if any. Reads the files directly: call it after opening the
 * database, which replays its log, and before writing anything to it.
 */
export async function checkGinIndexes(
  ask: (statement: Sql) => Promise<unknown[]>,
  dataDir: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<DatabaseError | undefined> {
  // Skips invalid indexes: their build was interrupted, so they may contain anything.
  const indexes = (await ask(sql`
    select format('%s.%s', n.nspname, c.relname) as name, pg_relation_filepath(c.oid) as path
    from pg_class c
    join pg_am a on a.oid = c.relam
    join pg_index i on i.indexrelid = c.oid
    join pg_namespace n on n.oid = c.relnamespace
    where a.amname = 'gin' and i.indisvalid
    order by pg_relation_size(c.oid)`)) as Index[]
  let left = Math.floor(maxBytes / pageBytes)
  const damage: string[] = []
  for (const { name, path } of indexes) {
    const read = await lostPages(join(dataDir, path), left)
    left -= read.pages
    if (read.lost.length > 0) damage.push(`index "${name}" contains unexpected zero page at block ${read.lost[0]}`)
  }
  return damage.length === 0 ? undefined : new DatabaseError(damage.join(', '), 'XX002')
}

/** Checks at most `maxPages`, and returns how many it read. */
async function lostPages(file: string, maxPages: number): Promise<{ pages: number; lost: number[] }> {
  const zero: number[] = []
  let pages = 0
  for await (const page of streamPages(file, maxPages)) {
    if (isZero(page)) zero.push(pages)
    pages++
  }
  if (zero.length === 0) return { pages, lost: [] }
  const linked = new Set(fixedBlocks)
  for await (const page of streamPages(file)) for (const block of readLinks(page)) linked.add(block)
  return { pages, lost: zero.filter((block) => linked.has(block)) }
}

/** Yields views of one buffer, which the next read overwrites. */
async function* streamPages(file: string, maxPages = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(chunkPages * pageBytes)
  let left = maxPages
  for (let segment = 0; left > 0; segment++) {
    const handle = await openSegment(segment === 0 ? file : `${file}.${segment}`)
    if (!handle) return
    try {
      for (let at = 0; at < segmentPages && left > 0; at += chunkPages) {
        const pages = await readPages(handle, chunk, at, Math.min(chunkPages, left))
        for (let page = 0; page < pages; page++) yield chunk.subarray(page * pageBytes, (page + 1) * pageBytes)
        left -= pages
        if (pages < chunkPages) break
      }
    } finally {
      await handle.close()
    }
  }
}

async function openSegment(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

async function readPages(handle: FileHandle, chunk: Buffer, at: number, pages: number): Promise<number> {
  const { bytesRead } = await handle.read(chunk, 0, pages * pageBytes, at * pageBytes)
  return Math.floor(bytesRead / pageBytes)
}
