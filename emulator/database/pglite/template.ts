/** Packs a data directory with all migrations at build time, so that a first start does not run initdb. */
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { packTar, type TarEntry, unpackTar } from 'modern-tar'
import { ownFolder } from '../../facts/own-folder.js'
import { migrate } from '../migrate.js'
import { migrations } from '../migrations/migrations.js'
import { sql } from '../port.js'
import { openPglite } from './pglite.js'

const unzip = promisify(gunzip)
const zip = promisify(gzip)

/** The end of a gzip file, which has the size of its content. */
const sizeBytes = 4

/** Files written concurrently; there are a thousand, most of them small. */
const lanes = 4

/** Unpacks the template into a folder that does not exist yet. */
export async function unpackTemplate(folder: string): Promise<void> {
  const entries = await unpackTar(await readTemplate())
  await mkdir(folder, { mode: 0o700 })
  for (const { header } of entries.filter(isFolder)) {
    await mkdir(join(folder, header.name), { recursive: true, mode: 0o700 })
  }
  const remaining = entries.filter((entry) => !isFolder(entry)).values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const { header, data = '' } of remaining) await writeFile(join(folder, header.name), data, { mode: 0o600 })
    }),
  )
}

function isFolder({ header }: TarEntry): boolean {
  return header.type === 'directory'
}

/**
 * Reads the template uncompressed, because PGlite decompresses it more slowly, in its thread. Allocates all 27 MB at
 * once, which avoids a copy.
 */
export async function readTemplate(): Promise<Uint8Array<ArrayBuffer>> {
  const zipped = await readFile(await findTemplate())
  return unzip(zipped, { chunkSize: zipped.readUInt32LE(zipped.length - sizeBytes) })
}

// Drops the templates for new databases. None is ever created, and this halves the data to unpack.
const dropOthers = [
  sql`update pg_database set datistemplate = false where datname in ('template0', 'template1')`,
  sql`drop database template0`,
  sql`drop database template1`,
]

/**
 * Builds a directory with initdb and the migrations, and packs it. Called by the build, and by a first start from
 * source.
 * @public
 */
export async function packTemplate(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-template-'))
  const data = join(folder, 'data')
  try {
    const db = await openPglite({ dataDir: data })
    await migrate(db)
    for (const statement of dropOthers) await db.query(statement)
    await db.close()
    await rm(join(data, 'postmaster.pid'), { force: true })
    await mkdir(dirname(file), { recursive: true })
    const beside = `${file}.${process.pid}`
    const entries: TarEntry[] = []
    for (const path of await readdir(data, { recursive: true })) {
      const info = await stat(join(data, path))
      const name = path.split(sep).join('/')
      if (info.isDirectory()) entries.push({ header: { name, type: 'directory', size: 0 } })
      else entries.push({ header: { name, size: info.size }, body: await readFile(join(data, path)) })
    }
    await writeFile(beside, await zip(await packTar(entries), { level: 9 }), { mode: 0o644 })
    await rename(beside, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Finds the template of the build. From source, caches one for each state of the migrations in `node_modules/.cache`.
 */
async function findTemplate(): Promise<string> {
  const built = fileURLToPath(new URL('../template.tar.gz', ownFolder))
  if (await exists(built)) return built
  const text = migrations.flatMap(({ statements }) => statements.map((statement) => statement.text)).join('\n')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const kept = fileURLToPath(new URL(`../node_modules/.cache/svc-template-${hash}.tar.gz`, ownFolder))
  if (!(await exists(kept))) await packTemplate(kept)
  return kept
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
