/**
 * Pages of GIN indexes that are zeroes although something points to them. PostgreSQL takes them for new ones, and follows their zeroes as
 * links, for ever; of B-trees it reports them. A page that nothing points to was added as a process was killed, and is sound.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseError, type Sql, sql } from '../../port.js'
import { fixedBlocks, isZero, linksOf, pageBytes } from './gin-page.js'

/** What a start reads, some hundredths of a second; more is read once a statement had to be stopped. */
export const mostBytesAtStart = 256 * 1_048_576

const chunkPages = 128
/** A relation's file has at most this many pages; the next ones are in `….1` and so on. */
const segmentPages = 131_072

interface Index {
  readonly name: string
  readonly path: string
}

/**
 * What PostgreSQL should have reported, if anything. The files are read as they are: call it before the database that was opened from
 * them, which has written its log into them by then, is given anything to write.
 */
export async function checkGinIndexes(
  ask: (statement: Sql) => Promise<unknown[]>,
  dataDir: string,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<DatabaseError | undefined> {
  // What could not be built to its end is not valid, and may hold anything.
  const indexes = (await ask(sql`
    select format('%s.%s', n.nspname, c.relname) as name, pg_relation_filepath(c.oid) as path
    from pg_class c
    join pg_am a on a.oid = c.relam
    join pg_index i on i.indexrelid = c.oid
    join pg_namespace n on n.oid = c.relnamespace
    where a.amname = 'gin' and i.indisvalid
    order by pg_relation_size(c.oid)`)) as Index[]
  let left = Math.floor(mostBytes / pageBytes)
  const damage: string[] = []
  for (const { name, path } of indexes) {
    const read = await lostPages(join(dataDir, path), left)
    left -= read.pages
    if (read.lost.length > 0) damage.push(`index "${name}" contains unexpected zero page at block ${read.lost[0]}`)
  }
  return damage.length === 0 ? undefined : new DatabaseError(damage.join(', '), 'XX002')
}

/** Of the first so many pages, and how many these were. */
async function lostPages(file: string, mostPages: number): Promise<{ pages: number; lost: number[] }> {
  const zero: number[] = []
  let pages = 0
  for await (const page of pagesOf(file, mostPages)) {
    if (isZero(page)) zero.push(pages)
    pages++
  }
  if (zero.length === 0) return { pages, lost: [] }
  const linked = new Set(fixedBlocks)
  for await (const page of pagesOf(file)) for (const block of linksOf(page)) linked.add(block)
  return { pages, lost: zero.filter((block) => linked.has(block)) }
}

/** Each is overwritten by one of the next. */
async function* pagesOf(file: string, mostPages = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(chunkPages * pageBytes)
  let left = mostPages
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
