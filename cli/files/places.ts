/** Resolves paths that users give for output. */
import { existsSync, fstatSync, lstatSync, readlinkSync, realpathSync, statSync, writeFile } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { CliFailure, exits, misuse } from '../base/failure.js'

/** Returns the file of a flag. Undefined if omitted or `-`, which is stdout. Use `./-` for a file of that name. */
export function fileNamed(place: string | undefined): string | undefined {
  return place === '-' ? undefined : place
}

/** @throws {CliFailure} if no file can be created there */
export function requirePlace(path: string): void {
  if (openedAs(path) !== undefined) return
  const folder = dirname(resolve(realPlace(path)))
  if (!existsSync(folder)) throw new CliFailure('NO_FILE', exits.notFound, `No folder "${folder}".`)
  if (existsSync(path) && statSync(path).isDirectory())
    throw misuse(`"${path}" is a folder.`, 'Choose a file inside it.')
}

/** Returns whether the path must be written to instead of replaced: a device, a pipe, or an open descriptor. */
export function isDevice(path: string): boolean {
  if (openedAs(path) !== undefined) return true
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    // The read or write reports a missing or invalid path.
    return false
  }
}

/** Opens a device, pipe, or descriptor. Undefined if the path is, or can be, a regular file. */
export function openDevice(path: string): Writable | undefined {
  const descriptor = openedAs(path)
  if (descriptor === undefined) return isDevice(path) ? openPipe(path) : undefined
  // Stays open, because the command may print more to it.
  return new Writable({ write: (chunk, _encoding, done) => writeFile(descriptor, chunk, done) })
}

/** Exits without an error if the reader closes the pipe, like `head` does, as for stdout. */
function openPipe(path: string): Writable {
  const opening = open(path, 'w')
  // `write` and `destroy` report the failure. Until then it must not be an unhandled rejection.
  opening.catch(() => undefined)
  return new Writable({
    write(chunk, _encoding, done) {
      opening
        .then((file) => file.writeFile(chunk))
        .then(
          () => done(),
          (error) => (error.code === 'EPIPE' ? process.exit() : done(error)),
        )
    },
    destroy(error, done) {
      opening.then((file) => file.close()).then(() => done(error), done)
    },
  })
}

/**
 * Returns the descriptor that a path such as /dev/stdout refers to, if it leads to a file. Reopening it by name would
 * truncate the file and lose later writes by others.
 */
export function openedAs(path: string): number | undefined {
  const descriptor = descriptorNamed(path)
  try {
    return descriptor !== undefined && fstatSync(descriptor).isFile() ? descriptor : undefined
  } catch {
    return undefined
  }
}

function descriptorNamed(path: string, links = 0): number | undefined {
  try {
    const folder = realpathSync(dirname(resolve(path)))
    const name = basename(path)
    if (isDescriptors(folder)) return /^\d+$/.test(name) ? Number(name) : undefined
    return links < 40 ? descriptorNamed(resolve(folder, readlinkSync(join(folder, name))), links + 1) : undefined
  } catch {
    // Not a symlink, and not a descriptor folder.
    return undefined
  }
}

function isDescriptors(folder: string): boolean {
  return ['/dev/fd', '/proc/self/fd'].some((known) => existsSync(known) && realpathSync(known) === folder)
}

/**
 * Resolves symlinks, even for a file that does not exist yet, so that replacing the file keeps the link.
 *
 * @throws {Error} such as `ELOOP`
 */
export function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (Object(error).code !== 'ENOENT') throw error
  }
  const folder = realPlace(dirname(resolve(path)))
  const place = join(folder, basename(path))
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? realPlace(resolve(folder, readlinkSync(place))) : place
}
