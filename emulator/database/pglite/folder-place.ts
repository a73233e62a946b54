/** Where a state folder can be: it is made, for its owner only, or refused in one sentence that says what is in the way. */
import { randomUUID } from 'node:crypto'
import { access, constants, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { StartError } from '../start-error.js'

/** Space that stays free, so that the database never meets a full disk. */
export const reservedBytes = 64 * 1024 * 1024

/** What looks like folders there is the system's own. Memory that is shared as files is a place like any other. */
const systemFolders = process.platform === 'linux' ? ['/proc', '/sys', '/dev'] : ['/dev']
const sharedMemory = '/dev/shm'

/** @throws {StartError} `FOLDER_NOT_WRITABLE`, `DISK_FULL` */
export async function makeStateFolder(folder: string): Promise<void> {
  try {
    // Node's own `recursive` never ends where the system says that a folder is missing and refuses to make it.
    for (const missing of await missingFolders(folder)) await makeFolder(missing)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    // Several may begin at once, in this process too.
    const probe = `${folder}${sep}.writable-${randomUUID()}`
    await writeFile(probe, '', { mode: 0o600 })
    await rm(probe)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    if (isFull(cause)) throw diskFull(folder)
    const { code = '' } = cause as NodeJS.ErrnoException
    throw noPlace(folder, reasons[code] ?? 'cannot be written to', cause)
  }
}

const reasons: { readonly [code: string]: string } = {
  EACCES: 'cannot be written to: permission is denied',
  EPERM: 'cannot be written to: permission is denied',
  EROFS: 'is on a read-only disk',
  ENAMETOOLONG: 'is too long a path',
  ELOOP: 'leads through links that lead back to themselves',
  ENOENT: 'cannot be made there: the system refuses it',
}

/** The folders to make, the outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  let at = folder
  for (; !(await isFolder(at, folder)); at = dirname(at)) missing.unshift(at)
  const real = await realpath(at)
  const isSystems = systemFolders.some((system) => isWithin(real, system)) && !isWithin(real, sharedMemory)
  if (isSystems) throw noPlace(folder, `cannot hold data: what is in "${real}" belongs to the system`)
  return missing
}

async function isFolder(path: string, folder: string): Promise<boolean> {
  const found = await stat(path).catch(noneIfMissing)
  if (found?.isDirectory()) return true
  if (found)
    throw noPlace(folder, path === folder ? 'is a file, not a folder' : `cannot be a folder: "${path}" is a file`)
  const itself = await lstat(path).catch(noneIfMissing)
  if (itself?.isSymbolicLink()) throw noPlace(folder, `cannot be a folder: the link "${path}" leads to nothing`)
  // Another start has made it meanwhile.
  return itself !== undefined && isFolder(path, folder)
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // Another start may have made it meanwhile.
    if (error.code !== 'EEXIST' || !(await isFolder(path, path))) throw error
  })
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

function noPlace(folder: string, reason: string, cause?: unknown): StartError {
  const hint = 'Make it writable, or name another folder with --data.'
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
