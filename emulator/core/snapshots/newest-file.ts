/**
 * Writes the newest automatic snapshots to files in the state folder, to load into a new folder if the data can no
 * longer be opened. Contract 12.6.
 */
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Backend } from '../context.js'
import { exportSnapshot } from './export.js'
import type { StoredSnapshot } from './snapshots.js'

/** Skips larger snapshots, because the waiting command would take many seconds. */
const maxBytes = 256 * 1024 * 1024
const maxFiles = 3

/** Writes the file and removes the oldest. A full disk only costs the file. */
export async function writeNewestFile(backend: Backend, project: string, snapshot: StoredSnapshot): Promise<void> {
  const { dataDir } = backend.about
  if (dataDir === undefined || snapshot.bytes + snapshot.fileBytes > maxBytes) return
  const folder = join(dirname(dataDir), 'snapshots')
  const file = join(folder, `${snapshot.name}.tar`)
  const draft = `${file}.new`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // Refuses symbolic links, because one in a cloned folder could point anywhere. Contract 12.4.
    if (!(await lstat(folder)).isDirectory()) return
    const archive = await exportSnapshot(backend, project, snapshot.name, { withSecrets: true })
    await pipeline(archive, createWriteStream(draft, { mode: 0o600 }))
    await rename(draft, file)
    for (const path of (await listEarlier(file)).slice(maxFiles - 1)) await rm(path, { force: true })
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    backend.report('snapshot file', error)
  }
}

/**
 * Lists the other files, newest first. Their names alone do not tell the order, because they have the time of the service's clock,
 * which can be moved.
 */
async function listEarlier(newest: string): Promise<string[]> {
  const folder = dirname(newest)
  const names = (await readdir(folder)).filter((name) => /^auto-.+\.tar$/.test(name) && name !== basename(newest))
  const files = await Promise.all(
    names.sort().map(async (name) => {
      const path = join(folder, name)
      // Another command may have removed it meanwhile.
      const found = await lstat(path).catch(() => undefined)
      return { path, at: found?.mtimeMs ?? 0 }
    }),
  )
  return files
    .reverse()
    .sort((one, other) => other.at - one.at)
    .map(({ path }) => path)
}
