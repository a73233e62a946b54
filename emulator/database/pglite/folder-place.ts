/** Where a state folder can be: it is made, for its owner only, or refused in one sentence that says what is in the way. */
import { randomUUID } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { access, constants, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
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

/**
 * What is in a state folder is there itself. Behind a symbolic link it would be outside of the folder's lock, and one that came
 * with a cloned folder may lead anywhere: contract 12.4. The state folder itself may be one, as to a larger disk.
 *
 * @throws {StartError} `FOLDER_NOT_WRITABLE`
 */
export function requireNoLink(path: string): void {
  if (isLink(path)) throw behindLink(path)
}

/** What cannot be looked at cannot be opened either: whoever does says why, in words. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * The same of a folder and of what is in it. Each folder is read by itself: from Node 22.12 on, `readdirSync` with `recursive`
 * goes into the links, and two that lead to their own folder keep it there until memory ends.
 *
 * @throws {StartError} `FOLDER_NOT_WRITABLE`
 */
export function requireNoLinksIn(folder: string, { recursive }: { recursive: boolean }): void {
  requireNoLink(folder)
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) throw behindLink(path)
    if (recursive && entry.isDirectory()) requireNoLinksIn(path, { recursive })
  }
}

/** Their types come with their names: no file is looked at by itself, and a thousand of them take some two milliseconds. */
function entriesOf(folder: string): Dirent[] {
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
    `"${path}" is a symbolic link, and nothing is read or written through it.`,
    'Remove it, or put in its place what it leads to. Only the whole state folder may be a link, or be elsewhere with --data.',
  )
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
  if (!isMissing(error)) throw error
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
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
