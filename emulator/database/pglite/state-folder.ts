/** Manages the state folder of an emulator: checks existing data and creates new data. Never deletes any. */
import { constants, readdirSync, statSync } from 'node:fs'
import { chmod, cp, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../facts/replace-file.js'
import { StartError } from '../start-error.js'
import { diskFull, isFull, requireNoLink, requireNoLinksIn, reservedBytes } from './folder-place.js'
import { unpackTemplate } from './template.js'

/** The only engine that stores its data in the folder. */
const engine = 'pglite'

/** Raised when the layout of the folder changes, so that an older svc refuses it. */
const format = 2

interface Manifest {
  readonly format: number
  readonly engine: string
  readonly createdAt: string
  /** The last time that all tables were read and their indexes rebuilt. */
  readonly rebuiltAt?: string
  /** False until a new data directory is complete. */
  readonly isInitialised: boolean
}

/**
 * Returns the data directory, ready to be opened. Call it under the folder's lock only.
 * @throws {StartError} if the data is newer, damaged or foreign, and changes nothing
 */
export async function prepareData(folder: string, { fresh }: { fresh: boolean }): Promise<string> {
  const data = join(folder, 'data')
  const disk = await statfs(folder)
  if (disk.bavail * disk.bsize < reservedBytes) throw diskFull(folder)
  if (fresh) await setAside(folder, data)
  const manifest = await inspectData(folder)
  if (!manifest) {
    await createData(folder, data)
    return data
  }
  // Left by a killed process. The lock shows that it is dead.
  await rm(join(data, 'postmaster.pid'), { force: true })
  if (!manifest.isInitialised) await writeManifest(folder, { ...manifest, isInitialised: true })
  return data
}

/**
 * Returns the manifest without changing anything. Undefined before the first start.
 * @throws {StartError} `DATA_DAMAGED`, `DATA_FOREIGN`, `DATA_NEWER`, `FOLDER_NOT_WRITABLE` if a
 * link leads out of the folder
 */
export async function inspectData(folder: string): Promise<Manifest | undefined> {
  const data = join(folder, 'data')
  requireNoLinksIn(data, { recursive: true })
  const manifest = await readManifest(folder)
  const entries = await readdir(data).catch(() => undefined)
  if (entries === undefined) {
    if (manifest?.isInitialised) throw damaged(data, 'The folder is gone.')
    return undefined
  }
  if (!manifest) {
    throw new StartError(
      'DATA_FOREIGN',
      `"${data}" contains data that svc did not create.`,
      'Choose another folder with --data.',
    )
  }
  if (!entries.includes('PG_VERSION')) throw damaged(data, 'Its file PG_VERSION is missing.')
  return manifest
}

/** Reports a directory that does not open. */
export function damaged(data: string, what: string, cause?: unknown): StartError {
  const hint = cause === undefined ? otherwise(dirname(data)) : rebuildOr(dirname(data))
  return new StartError('DATA_DAMAGED', `The data in "${data}" cannot be opened. ${what}`, hint, cause)
}

/** Reports a damaged page found at the start. */
export function damagedPages(folder: string, cause: Error): StartError {
  const message = `The data in "${folder}" is damaged: ${cause.message}.`
  return new StartError('DATA_DAMAGED', message, rebuildOr(folder), cause)
}

/** An index can be rebuilt, a table cannot. */
function rebuildOr(folder: string): string {
  return `Rebuild the indexes: svc doctor --repair. If that does not help: ${otherwise(folder)}`
}

function otherwise(folder: string): string {
  const snapshot = newestSnapshotFile(folder)
  const begin = 'Start with new data (svc dev --fresh keeps the old data next to it)'
  if (snapshot === undefined) return `${begin}, or restore a copy of the folder.`
  return `${begin}, then load the newest snapshot: svc snapshot import "${snapshot}" --name found && svc snapshot load found`
}

/** Finds the file saved before the last destructive command: `core/snapshots/newest-file.ts`. */
function newestSnapshotFile(folder: string): string | undefined {
  const snapshots = join(folder, 'snapshots')
  try {
    const names = readdirSync(snapshots).filter((name) => name.endsWith('.tar'))
    const files = names.sort().flatMap((name) => {
      const path = join(snapshots, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.isFile() ? [{ path, at: found.mtimeMs }] : []
    })
    // Names have the time of the service's clock, which can be moved.
    return files.sort((one, other) => one.at - other.at).at(-1)?.path
  } catch {
    return undefined
  }
}

/** Unpacks a new directory under another name and moves it into place when complete. */
async function createData(folder: string, data: string): Promise<void> {
  const manifest = { format, engine, createdAt: new Date().toISOString(), isInitialised: false }
  const beside = `${data}.new`
  await writeManifest(folder, manifest)
  await rm(beside, { recursive: true, force: true })
  try {
    await unpackTemplate(beside)
  } catch (cause) {
    throw isFull(cause) ? diskFull(folder) : cause
  }
  await chmod(beside, 0o700)
  await rename(beside, data)
  await syncFolder(folder)
  await writeManifest(folder, { ...manifest, isInitialised: true })
}

/**
 * Copies the data before this version migrates it, once for each version. The directory must not be open.
 * @throws {StartError} `DISK_FULL` if the copy does not fit
 */
export async function copyBeforeUpgrade(folder: string, version: number): Promise<void> {
  const data = join(folder, 'data')
  const copy = `${data}.version-${version}`
  if (!(await stat(copy).catch(() => undefined))) await copyWhole(folder, data, copy)
}

/**
 * Copies the data before a repair and returns the path of the copy. The directory must not be open.
 * @throws {StartError} `DISK_FULL` if the copy does not fit
 */
export async function copyBeforeRepair(folder: string): Promise<string> {
  const data = join(folder, 'data')
  const copy = `${data}.damaged-${stampNow()}`
  await copyWhole(folder, data, copy)
  return copy
}

/** Records that earlier damage has been repaired. */
export async function noteRebuilt(folder: string): Promise<void> {
  const manifest = await readManifest(folder)
  if (manifest) await writeManifest(folder, { ...manifest, rebuiltAt: new Date().toISOString() })
}

async function copyWhole(folder: string, data: string, copy: string): Promise<void> {
  const beside = `${copy}.new`
  await rm(beside, { recursive: true, force: true })
  try {
    // Uses copy-on-write if the disk supports it, so that the copy takes no space.
    await cp(data, beside, { recursive: true, mode: constants.COPYFILE_FICLONE, preserveTimestamps: true })
  } catch (cause) {
    await rm(beside, { recursive: true, force: true })
    throw isFull(cause) ? diskFull(folder) : cause
  }
  await rename(beside, copy)
  await syncFolder(folder)
}

async function setAside(folder: string, data: string): Promise<void> {
  const stamp = stampNow()
  await rename(data, `${data}.replaced-${stamp}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(join(folder, 'manifest.json'), join(folder, `manifest.replaced-${stamp}.json`)).catch(() => undefined)
}

function stampNow(): string {
  return new Date().toISOString().replace(/[:.]/g, '-')
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, 'manifest.json')
  requireNoLink(path)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const manifest = parse(text)
  if (!manifest || typeof manifest.format !== 'number') throw damaged(path, 'It is not a valid manifest.')
  if (manifest.format > format || manifest.engine !== engine) throw newer(folder)
  return manifest
}

/** Reports data of a later version. */
export function newer(where: string, cause?: Error): StartError {
  const versions = cause === undefined ? '' : ` ${cause.message}`
  return new StartError(
    'DATA_NEWER',
    `The data in "${where}" was written by a newer svc.${versions}`,
    'Update svc, or choose another folder with --data.',
    cause,
  )
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, 0o600)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().catch(() => undefined)
  await handle.close()
}

function parse(text: string): Manifest | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
