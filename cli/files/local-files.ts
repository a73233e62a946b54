/** Files of this machine, to be sent and to be written. */
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
  /** The folder it goes to; empty at the top. */
  readonly folder: string
  readonly size: number
}

export interface FoundFiles {
  readonly files: readonly LocalFile[]
  /** Links in the folders, which are not followed: they may lead anywhere. */
  readonly links: readonly string[]
}

/**
 * The files that paths name: each by itself, and all that lie in a folder and below it. What is hidden, as `.env`
 * and `.git` are, goes only when it is named itself, since what is stored is public. So it is with links.
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
  const placesOf = (some: readonly Dirent[]) =>
    some.map((entry) => join(entry.parentPath, entry.name)).filter((place) => !isHidden(relative(path, place)))
  const files = placesOf(entries.filter((entry) => entry.isFile()))
  const root = dirname(resolve(path))
  const all = files.sort().map(async (place) => {
    const within = relative(root, dirname(resolve(place))).split(sep)
    return { place, name: basename(place), folder: posix.join(folder, ...within), size: (await stat(place)).size }
  })
  return { files: await Promise.all(all), links: placesOf(entries.filter((entry) => entry.isSymbolicLink())) }
}

function isHidden(place: string): boolean {
  return place.split(sep).some((name) => name.startsWith('.'))
}

function requireThere(path: string) {
  return stat(path).catch((cause) => {
    throw noFile(path, cause)
  })
}

/** A pipe or a device has no size, and would be stored as empty. */
function requireFile(path: string, found: Stats): void {
  if (found.isDirectory()) throw misuse(`"${path}" is a folder, not a file.`)
  if (!found.isFile()) throw misuse(`"${path}" is a pipe or a device, not a file.`, 'Write it to a file first.')
}

/** A file that is read while it is sent, never whole into memory. */
export async function openLocalFile(place: string): Promise<File> {
  requireFile(place, await requireThere(place))
  const name = basename(place)
  return new File([await openAsBlob(place)], name, { type: typeByEnding(name) })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no name of a file that a terminal is ever to show has them.
const unwritable = /[/\\\u0000-\u001f\u007f-\u009f]/

/** Where a stored file goes below a folder of this machine; never above it, whatever the service says. */
function placeFor({ path, name }: Pick<StoredFile, 'path' | 'name'>, folder: string): string {
  const segments = [...path.split('/').filter((segment) => segment !== ''), name]
  if (segments.some((segment) => segment === '..' || segment === '.' || unwritable.test(segment))) {
    throw new CliFailure(
      'INVALID_PATH',
      exits.failed,
      `"${posix.join(path, name)}" cannot be written to: it is outside of the folder, or not a plain file.`,
    )
  }
  return join(folder, ...segments)
}

/**
 * A place for each file: of several that would share one, the first keeps its name, and the others have their id before it. So has a
 * file where the others need a folder of its name.
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

/** To some disks, names that differ in case only, or in how an accent is written, are the same. */
function comparable(place: string): string {
  return place.normalize('NFC').toLowerCase()
}

interface WriteOptions {
  readonly isReplacing: boolean
  readonly onBytes: (bytes: number) => void
  /** Who may read it: left out, whoever could read the file there, or can read other files that the user writes. */
  readonly mode?: number
  /** The folder below which nobody has typed the place: it may be no link, and its name may be the service's. Left out, it was typed. */
  readonly below?: string
}

/** Writes an answer to a file, which is complete or not there. A device or a pipe that was typed takes it as it comes. */
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
