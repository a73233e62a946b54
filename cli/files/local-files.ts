/** Finds, reads, and writes local files. */
import { createWriteStream, type Dirent, existsSync, openAsBlob, type Stats } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { StoredFile } from '../../client/protocol/model/file.js'
import { CliFailure, exits, misuse, noFile } from '../base/failure.js'
import { requireNoLink } from '../target/no-link.js'
import { isDevice, openDevice, realPlace } from './places.js'
import { replaceByDraft } from './replace-file.js'
import { typeByEnding } from './types-by-ending.js'

export interface LocalFile {
  readonly place: string
  readonly name: string
  /** Target folder. Empty at the top level. */
  readonly folder: string
  readonly size: number
}

export interface FoundFiles {
  readonly files: readonly LocalFile[]
  /** Symlinks found in folders. They are not followed, because they may lead anywhere. */
  readonly links: readonly string[]
}

/**
 * Finds the files at the paths, including everything inside folders. Skips hidden files such as `.env` and `.git`, and
 * symlinks, unless named directly, because stored files are public.
 */
export async function findLocalFiles(paths: readonly string[], folder: string): Promise<FoundFiles> {
  const found = await Promise.all(paths.map((path) => findBelow(path, folder)))
  return { files: found.flatMap(({ files }) => files), links: found.flatMap(({ links }) => links) }
}

async function findBelow(path: string, folder: string): Promise<FoundFiles> {
  const here = await requireThere(path)
  if (!here.isDirectory()) {
    requireFile(path, here)
    return { files: [{ place: path, name: basename(path), folder, size: here.size }], links: [] }
  }
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const visiblePaths = (some: readonly Dirent[]) =>
    some.map((entry) => join(entry.parentPath, entry.name)).filter((place) => !isHidden(relative(path, place)))
  const files = visiblePaths(entries.filter((entry) => entry.isFile()))
  const root = dirname(resolve(path))
  const all = files.sort().map(async (place) => {
    const within = relative(root, dirname(resolve(place))).split(sep)
    return { place, name: basename(place), folder: posix.join(folder, ...within), size: (await stat(place)).size }
  })
  return { files: await Promise.all(all), links: visiblePaths(entries.filter((entry) => entry.isSymbolicLink())) }
}

function isHidden(place: string): boolean {
  return place.split(sep).some((name) => name.startsWith('.'))
}

function requireThere(path: string) {
  return stat(path).catch((cause) => {
    throw noFile(path, cause)
  })
}

/** Pipes and devices have no size and would be stored as empty files. */
function requireFile(path: string, found: Stats): void {
  if (found.isDirectory()) throw misuse(`"${path}" is a folder, not a file.`)
  if (!found.isFile()) throw misuse(`"${path}" is a pipe or a device, not a file.`, 'Write it to a file first.')
}

/** Opens a file for streaming. */
export async function openLocalFile(place: string): Promise<File> {
  requireFile(place, await requireThere(place))
  const name = basename(place)
  return new File([await openAsBlob(place)], name, { type: typeByEnding(name) })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: refuses file names with control characters.
const unwritable = /[/\\\u0000-\u001f\u007f-\u009f]/

/** Maps a stored file to a path below a local folder. Never leaves the folder, whatever the service returns. */
function placeFor({ path, name }: Pick<StoredFile, 'path' | 'name'>, folder: string): string {
  const segments = [...path.split('/').filter((segment) => segment !== ''), name]
  if (segments.some((segment) => segment === '..' || segment === '.' || unwritable.test(segment))) {
    throw new CliFailure(
      'INVALID_PATH',
      exits.failed,
      `"${posix.join(path, name)}" cannot be written: the path leaves the folder or is not a valid file name.`,
    )
  }
  return join(folder, ...segments)
}

/**
 * Assigns each file a unique path. On a conflict, the first file keeps its name and the others are prefixed with their
 * id. So are files whose name is needed for a folder.
 */
export function placesFor<File extends Pick<StoredFile, 'id' | 'path' | 'name'>>(
  files: readonly File[],
  folder: string,
): { file: File; place: string }[] {
  const taken = new Set(files.flatMap((file) => foldersAbove(placeFor(file, folder))).map(comparable))
  return files.map((file) => {
    const wished = placeFor(file, folder)
    const isTaken = taken.has(comparable(wished))
    const place = isTaken ? placeFor({ ...file, name: `${file.id}-${file.name}` }, folder) : wished
    taken.add(comparable(place))
    return { file, place }
  })
}

function foldersAbove(place: string): string[] {
  const folder = dirname(place)
  return folder === dirname(folder) ? [] : [folder, ...foldersAbove(folder)]
}

/** Some file systems treat names that differ in case or Unicode form as the same. */
function comparable(place: string): string {
  return place.normalize('NFC').toLowerCase()
}

interface WriteOptions {
  readonly isReplacing: boolean
  readonly onBytes: (bytes: number) => void
  /** Mode of the file. Defaults to that of the existing file, or to the user's umask. */
  readonly mode?: number
  /**
   * The folder below which the path comes from the service, so it must not pass through symlinks. Omit it if the user
   * typed the path.
   */
  readonly below?: string
}

/** Writes a response to a file atomically. Streams to a device or pipe if the user named one. */
export async function writeLocalFile(
  place: string,
  answer: Response,
  { isReplacing, onBytes, mode, below }: WriteOptions,
): Promise<void> {
  if (below !== undefined) requireNoLink(place, below)
  const mayBeThere = isReplacing || (below === undefined && isDevice(place))
  if (!mayBeThere && existsSync(place)) {
    throw new CliFailure('FILE_EXISTS', exits.invalid, `"${place}" already exists.`, 'Overwrite it: --replace')
  }
  await mkdir(dirname(place), { recursive: true })
  const writeTo = (stream: Writable) => {
    const bytes = Readable.from(answer.body ?? [])
    bytes.on('data', (chunk: Uint8Array) => onBytes(chunk.length))
    return pipeline(bytes, stream)
  }
  const device = openDevice(place)
  if (device) return writeTo(device)
  const write = (draft: string, mode: number) => writeTo(createWriteStream(draft, { flags: 'wx', mode }))
  await replaceByDraft(realPlace(place), write, { mode })
}
