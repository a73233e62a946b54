/**
 * What belongs to a state folder and outlives its data: the keys of its projects, the control token and the port, so that what
 * an app has in its environment stays true, and how far changes were numbered, so that no number means another one. Each is a file of its own, so that an emulator in memory can be beside another one.
 * Contract 11; decision 65.
 */
import { createHash, randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, parseJson } from '../client/protocol/model/json.js'
import { createSemaphore } from './core/concurrency/semaphore.js'
import type { Keyring } from './core/context.js'
import { unscoped } from './core/identity.js'
import { requireNoLink } from './database/pglite/folder-place.js'
import type { ProjectKey } from './store/projects.js'

export interface FolderKeys extends Keyring {
  readonly controlToken: string
  /** Identifies this folder, and is public: nothing can be derived from it. Another token makes it another one. */
  readonly folderId: string
  /** Where the folder's emulator listened last; nothing before its first start. */
  readonly port: number | undefined
  keepPort(port: number): Promise<void>
}

export interface FolderKeysOptions {
  /** Left out, nothing outlives the process. */
  readonly folder: string | undefined
  /** Draws another control token. */
  readonly isTokenNew: boolean
  /** Whether the data are in the folder too, rather than in memory or on a server. */
  readonly hasData: boolean
  readonly warn: (message: string) => void
  /** A folder of the user's own, for keys whose state folder is on a disk without file modes; left out, there is none. */
  readonly privateFolder?: string | undefined
  /** Whether the disk of a folder keeps the modes of its files; left out, the disk is asked. */
  readonly keepsModes?: (folder: string) => Promise<boolean>
}

/** Where the values are, and what warns, once, that some there are not believed. */
interface Place {
  readonly folder: string
  readonly distrust: () => void
}

/** @throws {StartError} `FOLDER_NOT_WRITABLE` where they would be behind a link */
export async function openFolderKeys(options: FolderKeysOptions): Promise<FolderKeys> {
  const { folder, isTokenNew, hasData, warn } = options
  const place = folder === undefined ? undefined : openPlace(await placeOf(folder, options), warn)
  const token = openValue(place, 'control-token', readToken)
  const port = openValue(place, 'port', readPort)
  const keysOf = perProject((name) => openValue(place, `project-${name}.json`, readKeys))
  const stepOf = perProject((name) => openValue(place, `numbers-${name}.json`, readStep))

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
      // Older versions have kept none: where there are keys, there were data.
      const reached = (await stepOf(project).read()) ?? ((await keysOf(project).read()) ? 0 : -1)
      await stepOf(project).write(reached + 1)
      return reached + 1
    },
    async keepStep(project, step) {
      if (step > ((await stepOf(project).read()) ?? 0)) await stepOf(project).write(step)
    },
  }
}

/** One value for each project, by what its id is called in names of files. */
function perProject<T>(open: (name: string) => Value<T>): (project: string) => Value<T> {
  const opened = new Map<string, Value<T>>()
  return (project) => {
    const known = opened.get(project) ?? open(createHash('sha256').update(project).digest('hex').slice(0, 16))
    opened.set(project, known)
    return known
  }
}

/**
 * The folder of the keys: `keys` in the state folder or, where its disk keeps no file modes, as Windows' disks in WSL, one
 * of the user's own. On such a disk a file that was drawn here looks like one that came with a clone.
 */
async function placeOf(
  folder: string,
  { privateFolder, keepsModes = doesKeepModes }: Pick<FolderKeysOptions, 'privateFolder' | 'keepsModes'>,
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

async function doesKeepModes(folder: string): Promise<boolean> {
  if (process.getuid === undefined || isPrivate(await stat(folder))) return true
  // Another process made it, with other modes; a file of ours tells.
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

function openPlace(folder: string, warn: (message: string) => void): Place {
  let isSaid = false
  function distrust() {
    if (!isSaid) warn(`Files in ${folder} are not this user's alone, and are not believed: others are drawn.`)
    isSaid = true
  }
  return { folder, distrust }
}

/** Something that is kept in a file of its own, whole or not at all; without a place, as long as the process lives. */
interface Value<T> {
  read(): Promise<T | undefined>
  /** What is there, else this. Of several that find nothing, the first one decides for all. */
  first(drawn: T): Promise<T>
  write(value: T): Promise<void>
}

/** What is not as it was written counts as lost: it is drawn again, or comes from the data. */
function openValue<T>(place: Place | undefined, name: string, parse: (json: unknown) => T | undefined): Value<T> {
  if (place === undefined) return openHeld()
  const file = join(place.folder, name)

  async function read(): Promise<T | undefined> {
    const opened = await openUnlinked(file)
    if (opened === 'none') return undefined
    try {
      if (opened !== 'link' && (await isOwn(opened))) return parse(parseJson(await opened.readFile('utf8')))
    } finally {
      if (opened !== 'link') await opened.close()
    }
    place?.distrust()
    return undefined
  }

  async function writeDraft(value: T): Promise<string> {
    const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
    await writeFile(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
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
        // A disk without links has no such race to decide, and a file that cannot be read is replaced.
        const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await read() : undefined
        if (winner !== undefined) return winner
        await rename(draft, file)
      } finally {
        await rm(draft, { force: true })
      }
      return drawn
    },
    write: async (value) => rename(await writeDraft(value), file),
  }
}

/** A link is not followed, and no start waits for the other end of a pipe. */
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

/** Files of a folder that was cloned or unpacked are mostly open to others; those that were drawn here never are. */
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

/** No key at all is what a project that was deleted leaves: where it comes again, its keys are drawn. */
function readKeys(json: unknown): readonly ProjectKey[] | undefined {
  // Older versions have kept neither name, scopes nor expiry.
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
