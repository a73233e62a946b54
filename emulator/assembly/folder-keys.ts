/**
 * Manages the parts of a state folder that outlive its data: project keys, control token and port, so that an app's
 * environment stays valid, and the numbering of changes, so that no number is reused. Each is a separate file, so that
 * an in-memory emulator can share the folder. Contract 11; decision 65.
 */
import { createHash, randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { createSemaphore } from '../core/concurrency/semaphore.js'
import type { Keyring } from '../core/context.js'
import { unscoped } from '../core/identity.js'
import { requireNoLink } from '../database/pglite/folder-place.js'
import { replaceFile } from '../facts/replace-file.js'
import type { ProjectKey } from '../store/projects.js'

export interface FolderKeys extends Keyring {
  readonly controlToken: string
  /** Public identifier of this folder. Changes with the control token, and reveals nothing about it. */
  readonly folderId: string
  /** The last port of the folder's emulator; undefined before the first start. */
  readonly port: number | undefined
  keepPort(port: number): Promise<void>
}

export interface FolderKeysOptions {
  /** Without it, the values last as long as the process. */
  readonly folder: string | undefined
  /** Generates a new control token. */
  readonly isTokenNew: boolean
  /** Whether the data is in the folder too, not in memory or on a server. */
  readonly hasData: boolean
  readonly warn: (message: string) => void
  /** Folder for keys if the state folder's disk does not support file modes. */
  readonly privateFolder?: string | undefined
  /** Tells whether a folder's disk supports file modes. By default, tests the disk. */
  readonly keepsModes?: (folder: string) => Promise<boolean>
}

/** The folder of the values, and a function that warns once about files that it does not trust. */
interface KeyFolder {
  readonly folder: string
  readonly distrust: () => void
}

/** @throws {StartError} `FOLDER_NOT_WRITABLE` if they would be behind a symbolic link */
export async function openFolderKeys(options: FolderKeysOptions): Promise<FolderKeys> {
  const { folder, isTokenNew, hasData, warn } = options
  const keyFolder = folder === undefined ? undefined : openKeyFolder(await findKeyFolder(folder, options), warn)
  const token = openValue(keyFolder, 'control-token', readToken)
  const port = openValue(keyFolder, 'port', readPort)
  const keysOf = perProject((name) => openValue(keyFolder, `project-${name}.json`, readKeys))
  const stepOf = perProject((name) => openValue(keyFolder, `numbers-${name}.json`, readStep))

  if (isTokenNew) await token.write(newToken())
  const controlToken = await token.first(newToken())
  return {
    controlToken,
    folderId: createHash('sha256').update(`folder ${controlToken}`).digest('hex').slice(0, 16),
    port: await port.read(),
    keepPort: (chosen) => port.write(chosen),
    hasData,
    keysOf: async (project) => (await keysOf(project).read()) ?? [],
    keepFirst: (project, keys) => keysOf(project).first(keys),
    changing: createSemaphore(1).run,
    keep: (project, keys) => keysOf(project).write(keys),
    async nextStep(project) {
      // Older versions saved no step. If there are keys, there was data.
      const reached = (await stepOf(project).read()) ?? ((await keysOf(project).read()) ? 0 : -1)
      await stepOf(project).write(reached + 1)
      return reached + 1
    },
    async keepStep(project, step) {
      if (step > ((await stepOf(project).read()) ?? 0)) await stepOf(project).write(step)
    },
  }
}

/** Opens one value per project, with the project's id encoded as a file name. */
function perProject<T>(open: (name: string) => Value<T>): (project: string) => Value<T> {
  const opened = new Map<string, Value<T>>()
  return (project) => {
    const known = opened.get(project) ?? open(createHash('sha256').update(project).digest('hex').slice(0, 16))
    opened.set(project, known)
    return known
  }
}

/**
 * Finds the folder of the keys: `keys` in the state folder or, if its disk does not support file modes (such as Windows
 * disks in WSL), a folder in the user's home. On such a disk, our own files cannot be told from files of a cloned
 * repository.
 */
async function findKeyFolder(
  folder: string,
  { privateFolder, keepsModes = supportsModes }: Pick<FolderKeysOptions, 'privateFolder' | 'keepsModes'>,
): Promise<string> {
  const inside = join(folder, 'keys')
  requireNoLink(inside)
  await mkdir(inside, { mode: 0o700 }).catch(unlessThere)
  if (privateFolder === undefined || (await keepsModes(inside))) return inside
  const own = join(
    privateFolder,
    createHash('sha256')
      .update(await realpath(folder))
      .digest('hex')
      .slice(0, 32),
  )
  await mkdir(own, { recursive: true, mode: 0o700 })
  return own
}

async function supportsModes(folder: string): Promise<boolean> {
  if (process.getuid === undefined || isPrivate(await stat(folder))) return true
  // Tests with a new file, because another process may have created the folder with other modes.
  const probe = join(folder, `modes.${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' })
    return isPrivate(await stat(probe))
  } finally {
    await rm(probe, { force: true })
  }
}

function isPrivate({ mode }: Stats): boolean {
  return (mode & 0o077) === 0
}

function openKeyFolder(folder: string, warn: (message: string) => void): KeyFolder {
  let hasWarned = false
  function distrust() {
    if (!hasWarned) warn(`Ignoring files in ${folder} that other users can read. New ones are created.`)
    hasWarned = true
  }
  return { folder, distrust }
}

/** A value in a separate file, written atomically. Without a folder, it lasts as long as the process. */
interface Value<T> {
  read(): Promise<T | undefined>
  /**
   * Returns the saved value, or saves and returns the given one. If several processes find none, the first one wins.
   */
  first(drawn: T): Promise<T>
  write(value: T): Promise<void>
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** Treats a damaged file as missing: its value is generated again or read from the data. */
function openValue<T>(
  keyFolder: KeyFolder | undefined,
  name: string,
  parse: (json: unknown) => T | undefined,
): Value<T> {
  if (keyFolder === undefined) return openHeld()
  const file = join(keyFolder.folder, name)

  async function read(): Promise<T | undefined> {
    const opened = await openUnlinked(file)
    if (opened === 'none') return undefined
    try {
      if (opened !== 'link' && (await isOwn(opened))) return parse(parseJson(await opened.readFile('utf8')))
    } finally {
      if (opened !== 'link') await opened.close()
    }
    keyFolder?.distrust()
    return undefined
  }

  async function writeDraft(value: T): Promise<string> {
    const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
    await writeFile(draft, toText(value), { mode: 0o600, flag: 'wx' })
    return draft
  }

  return {
    read,
    async first(drawn) {
      const known = await read()
      if (known !== undefined) return known
      const draft = await writeDraft(drawn)
      try {
        await link(draft, file)
      } catch (error) {
        // On EEXIST another process was first. Otherwise, and for unreadable files, falls back to renaming.
        const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await read() : undefined
        if (winner !== undefined) return winner
        await rename(draft, file)
      } finally {
        await rm(draft, { force: true })
      }
      return drawn
    },
    write: (value) => replaceFile(file, toText(value), 0o600),
  }
}

/** Doesn't follow symbolic links, and doesn't block on pipes. */
async function openUnlinked(file: string): Promise<FileHandle | 'none' | 'link'> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    return await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'none'
    if (code === 'ELOOP') return 'link'
    throw error
  }
}

/** Trusts only private files. Files from a clone or an archive are mostly readable by others; our own never are. */
async function isOwn(file: FileHandle): Promise<boolean> {
  const { uid, mode } = await file.stat()
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o777) === 0o600)
}

function openHeld<T>(): Value<T> {
  let held: T | undefined
  return {
    read: async () => held,
    async first(drawn) {
      held ??= drawn
      return held
    },
    async write(value) {
      held = value
    },
  }
}

function readToken(json: unknown): string | undefined {
  return typeof json === 'string' && json.length >= 16 ? json : undefined
}

function readPort(json: unknown): number | undefined {
  return Number.isInteger(json) && Number(json) > 0 && Number(json) < 65_536 ? Number(json) : undefined
}

function readStep(json: unknown): number | undefined {
  return Number.isSafeInteger(json) && Number(json) >= 0 ? Number(json) : undefined
}

/** Treats an empty list as missing, because a deleted project leaves one. Recreating the project generates new keys. */
function readKeys(json: unknown): readonly ProjectKey[] | undefined {
  // Older versions saved no name, scopes or expiry.
  const keys = Array.isArray(json) ? json.map((key) => (isObject(key) ? { ...unscoped, ...key } : key)) : undefined
  return keys && keys.length > 0 && keys.every(isKey) ? keys : undefined
}

function isKey(key: unknown): key is ProjectKey {
  if (!isObject(key) || typeof key.id !== 'string' || typeof key.hash !== 'string') return false
  const { scopes } = key
  if (scopes !== null && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'))) return false
  return typeof key.secret === 'boolean' && [key.readable, key.name, key.expiresAt].every(isTextOrNull)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
