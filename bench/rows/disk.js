/** Disk space of documents, next to the same documents as a file of JSON. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { fill, posts } from '../tools/posts.js'

const megabyte = 1024 * 1024

/** `DISK_DOCUMENTS=1000000` for more of them. */
const documents = Number(process.env.DISK_DOCUMENTS ?? 100_000)

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = newPath()
  await (await startDev(folder)).stop()
  const empty = megabytesOf(folder)
  const dev = await startDev(folder)
  await fill(dev, 'posts', documents)
  await dev.stop()
  await (await startDev(folder)).stop()
  const [full, log] = [megabytesOf(folder), megabytesOf(join(folder, 'data', 'pg_wal'))]
  const json = jsonMegabytes()
  const parts = [...(await relationsIn(join(folder, 'data'))), { what: 'write-ahead log', megabytes: log }]
  return [
    {
      what: `disk after ${documents.toLocaleString('en')} documents and a start, less the empty folder`,
      against: 'the JSON as a file',
      values: [(full - empty) / json],
      target: { atMost: 3 },
      figures: `${full.toFixed(0)} MB, empty ${empty.toFixed(0)} MB, JSON ${json.toFixed(0)} MB`,
      parts,
    },
  ]
}

/** A line for each document. */
function jsonMegabytes() {
  let bytes = 0
  for (let first = 0; first < documents; first += 10_000) {
    for (const document of posts(Math.min(10_000, documents - first), first))
      bytes += Buffer.byteLength(JSON.stringify(document)) + 1
  }
  return bytes / megabyte
}

/** The blocks of all files below it. @param {string} folder */
function megabytesOf(folder) {
  const blocks = readdirSync(folder, { recursive: true }).map((path) => lstatSync(join(folder, String(path))).blocks)
  return (blocks.reduce((sum, some) => sum + some, 0) * 512) / megabyte
}

/** The largest tables and indexes. @param {string} dataDir */
async function relationsIn(dataDir) {
  const db = await PGlite.create({ dataDir, extensions: { pg_trgm } })
  const { rows } = await db.query(`
    select c.relname || case c.relkind when 'i' then ', an index' else '' end as what,
      pg_relation_size(c.oid) / 1048576.0 as megabytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'svc' and pg_relation_size(c.oid) > 524288
    order by 2 desc`)
  await db.close()
  return /** @type {{ what: string, megabytes: unknown }[]} */ (rows).map(({ what, megabytes }) => ({
    ...{ what, megabytes: Number(megabytes) },
  }))
}
