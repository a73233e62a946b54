/** Places on this machine that a user names for what is written. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CliFailure, exits, misuse } from '../base/failure.js'

/** @throws {CliFailure} where no file can be. */
export function requirePlace(path: string): void {
  const folder = dirname(resolve(path))
  if (!existsSync(folder)) throw new CliFailure('NO_FILE', exits.notFound, `No folder "${folder}".`)
  if (existsSync(path) && statSync(path).isDirectory()) throw misuse(`"${path}" is a folder.`, 'Name a file in it.')
}

/** Whether a device or a pipe is there. It is written to, and never replaced by a file. */
export function isDevice(path: string): boolean {
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    // Where nothing is, or can be, it is said by what reads or writes there.
    return false
  }
}

/** The file that a place stands for. What replaces it replaces that one: a link stays a link, as /dev/stdout is where it leads to a file. */
export function realPlace(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
