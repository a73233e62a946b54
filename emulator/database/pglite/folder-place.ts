/** Creates a state folder, for its owner only, or explains in one sentence why that is impossible. */
import { randomUUID } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { access, constants, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { StartError } from '../start-error.js'

/** Reserves space, so that the database never meets a full disk. */
export const reservedBytes = 64 * 1024 * 1024

/** Folders that belong to the system. Shared memory is allowed. */
const systemFolders = process.platform === 'linux' ? ['/proc', '/sys', '/dev'] : ['/dev']
const sharedMemory = '/dev/shm'

/** @throws {StartError} `FOLDER_NOT_WRITABLE`, `DISK_FULL` */
export async function makeStateFolder(folder: string): Promise<void> {
  try {
    // Avoids Node's `recursive`, which loops for ever if the system refuses to create a folder that it reports as
    // missing.
    for (const missing of await missingFolders(folder)) await makeFolder(missing)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    // Uses a random name, because several processes or tasks may start at once.
    const probe = `${folder}${sep}.writable-${randomUUID()}`
    await writeFile(probe, '', { mode: 0o600 })
    await rm(probe)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    if (isFull(cause)) throw diskFull(folder)
    const { code = '' } = cause as NodeJS.ErrnoException
    throw noPlace(folder, reasons[code] ?? 'is not writable', cause)
  }
}

const reasons: { readonly [code: string]: string } = {
  EACCES: 'is not writable: permission denied',
  EPERM: 'is not writable: permission denied',
  EROFS: 'is on a read-only disk',
  ENAMETOOLONG: 'is too long a path',
  ELOOP: 'contains a loop of symbolic links',
  ENOENT: 'cannot be created: the system refuses it',
}

/**
 * Requires the contents of a state folder to be in it. A symbolic link would lead outside of the folder's lock, and one
 * in a cloned folder could point anywhere: contract 12.4. The state folder itself may be a link, for example to a
 * larger disk.
 * @throws {StartError} `FOLDER_NOT_WRITABLE`
 */
export function requireNoLink(path: string): void {
  if (isLink(path)) throw behindLink(path)
}

/** Ignores errors: opening the path fails too, with an explanation. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * Checks a folder and its contents. Reads each folder separately: since Node 22.12, `readdirSync` with `recursive`
 * follows links, and a cycle of links would exhaust the memory.
 * @throws {StartError} `FOLDER_NOT_WRITABLE`
 */
export function requireNoLinksIn(folder: string, { recursive }: { recursive: boolean }): void {
  requireNoLink(folder)
  for (const entry of readEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) throw behindLink(path)
    if (recursive && entry.isDirectory()) requireNoLinksIn(path, { recursive })
  }
}

/** Reads the types with the names, which avoids a system call for each file. A thousand take about two milliseconds. */
function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if (isMissing(cause as NodeJS.ErrnoException)) return []
    throw noPlace(folder, 'cannot be read', cause)
  }
}

function behindLink(path: string): StartError {
  return new StartError(
    'FOLDER_NOT_WRITABLE',
    `"${path}" is a symbolic link, which svc does not follow here.`,
    'Remove it, or replace it with its target. Only the state folder itself may be a link. Choose another one with --data.',
  )
}

/** The folders to create, outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  let at = folder
  for (; !(await isFolder(at, folder)); at = dirname(at)) missing.unshift(at)
  const real = await realpath(at)
  const isSystems = systemFolders.some((system) => isWithin(real, system)) && !isWithin(real, sharedMemory)
  if (isSystems) throw noPlace(folder, `cannot hold data: "${real}" belongs to the system`)
  return missing
}

async function isFolder(path: string, folder: string): Promise<boolean> {
  const found = await stat(path).catch(noneIfMissing)
  if (found?.isDirectory()) return true
  if (found)
    throw noPlace(folder, path === folder ? 'is a file, not a folder' : `cannot be created: "${path}" is a file`)
  const itself = await lstat(path).catch(noneIfMissing)
  if (itself?.isSymbolicLink()) throw noPlace(folder, `cannot be created: the link "${path}" points to nothing`)
  // Another start has created it in between.
  return itself !== undefined && isFolder(path, folder)
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // Another start may have created it in between.
    if (error.code !== 'EEXIST' || !(await isFolder(path, path))) throw error
  })
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!isMissing(error)) throw error
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

function noPlace(folder: string, reason: string, cause?: unknown): StartError {
  const hint = 'Make it writable, or choose another folder with --data.'
  return new StartError('FOLDER_NOT_WRITABLE', `"${folder}" ${reason}.`, hint, cause)
}

export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

export function diskFull(folder: string): StartError {
  return new StartError(
    'DISK_FULL',
    `The disk of "${folder}" is full.`,
    `Free ${formatBytes(reservedBytes)} and start again.`,
  )
}
