/** Places on this machine that a user names for what is written. */
import { existsSync, fstatSync, lstatSync, readlinkSync, realpathSync, statSync, writeFile } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { CliFailure, exits, misuse } from '../base/failure.js'

/** The file that a flag names; none where it is left out, or `-`, which is stdout. A file of that name is `./-`. */
export function fileNamed(place: string | undefined): string | undefined {
  return place === '-' ? undefined : place
}

/** @throws {CliFailure} where no file can be. */
export function requirePlace(path: string): void {
  if (openedAs(path) !== undefined) return
  const folder = dirname(resolve(realPlace(path)))
  if (!existsSync(folder)) throw new CliFailure('NO_FILE', exits.notFound, `No folder "${folder}".`)
  if (existsSync(path) && statSync(path).isDirectory()) throw misuse(`"${path}" is a folder.`, 'Name a file in it.')
}

/** Whether something is there that is written to, and never replaced by a file: a device, a pipe, or what is open already. */
export function isDevice(path: string): boolean {
  if (openedAs(path) !== undefined) return true
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    // Where nothing is, or can be, it is said by what reads or writes there.
    return false
  }
}

/** Writes to what is no file of its own; undefined where a file is, or can be. */
export function openDevice(path: string): Writable | undefined {
  const descriptor = openedAs(path)
  if (descriptor === undefined) return isDevice(path) ? openPipe(path) : undefined
  // It stays open: what the command prints afterwards goes there, too.
  return new Writable({ write: (chunk, _encoding, done) => writeFile(descriptor, chunk, done) })
}

/** A reader that has read enough, as `head` has, ends the process without a failure, as it does at stdout. */
function openPipe(path: string): Writable {
  const opening = open(path, 'w')
  // `write` and `destroy` report a failure; until then it must not be an unhandled rejection.
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
 * The descriptor of this process that a place names and that leads to a file, as /dev/stdout does in `>> file`. Opened by name once
 * more, the file would lose what is in it, and what others write there next.
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
    // No link, and no folder of descriptors.
    return undefined
  }
}

function isDescriptors(folder: string): boolean {
  return ['/dev/fd', '/proc/self/fd'].some((known) => existsSync(known) && realpathSync(known) === folder)
}

/**
 * The file that a place stands for, also one that is not there yet. What replaces it replaces that one: a link stays a link.
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
