/** The newest automatic snapshots of a state folder as files, which load into a new folder when the data do not open. Contract 12.6. */
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Backend } from '../context.js'
import { exportSnapshot } from './export.js'
import type { StoredSnapshot } from './snapshots.js'

/** A larger snapshot stays in the database only: the command that waits for the file would wait for many seconds. */
const mostBytes = 256 * 1024 * 1024
const mostFiles = 3

/** Writes the file and removes the oldest. A disk that refuses it costs the file alone. */
export async function writeNewestFile(backend: Backend, project: string, snapshot: StoredSnapshot): Promise<void> {
  const { dataDir } = backend.about
  if (dataDir === undefined || snapshot.bytes + snapshot.fileBytes > mostBytes) return
  const folder = join(dirname(dataDir), 'snapshots')
  const file = join(folder, `${snapshot.name}.tar`)
  const draft = `${file}.new`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // A link that came with a cloned folder may lead anywhere: contract 12.4.
    if (!(await lstat(folder)).isDirectory()) return
    const archive = await exportSnapshot(backend, project, snapshot.name, { withSecrets: true })
    await pipeline(archive, createWriteStream(draft, { mode: 0o600 }))
    await rename(draft, file)
    const names = (await readdir(folder)).filter((name) => /^auto-.+\.tar$/.test(name)).sort()
    for (const name of names.slice(0, -mostFiles)) await rm(join(folder, name), { force: true })
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    backend.report('file of a snapshot', error)
  }
}
