import { lstatSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'

/**
 * Refuses symlinks, because one from a cloned folder may point anywhere, even to a missing file that a write would
 * create: contract 12.4.
 *
 * @throws {CliFailure} with exit 5 if the file, or a folder on the path to it, is a symlink. For a file outside the
 * folder, the check starts at their common parent.
 */
export function requireNoLink(path: string, folder: string, hint = 'Replace it with a file or folder.'): void {
  const from = resolve(folder)
  for (let part = resolve(path); !isWithin(from, part); part = dirname(part)) {
    if (!isLink(part)) continue
    const message = `${part} is a symbolic link, so nothing was written.`
    throw new CliFailure('IS_LINK', exits.invalid, message, hint)
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    // Nothing exists there, or the write fails for the same reason.
    return false
  }
}

/** Checks a path that the user did not type. A typed path may be a symlink, and the write follows it. */
export function requireNoLinkUntyped(path: string): void {
  requireNoLink(path, process.cwd(), 'Replace it with a file or folder, or pass the path yourself.')
}

/** Returns the typed path. Otherwise the default, which must not be a symlink. */
export function placeToWrite(typed: string | undefined, usual: string): string {
  if (typed === undefined) requireNoLinkUntyped(usual)
  return typed ?? usual
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
