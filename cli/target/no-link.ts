import { lstatSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'

/**
 * A link that came with a folder may lead anywhere, also one to nothing, which writing would create: contract 12.4.
 *
 * @throws {CliFailure} with exit 5 if this file of the folder, or a folder on the way to it, is a symbolic link. Of a file outside
 * of it, the way begins where both are.
 */
export function requireNoLink(path: string, folder: string, hint = 'Put a file or folder in its place.'): void {
  const from = resolve(folder)
  for (let part = resolve(path); !isWithin(from, part); part = dirname(part)) {
    if (!isLink(part)) continue
    const message = `${part} is a symbolic link, and nothing is written through it.`
    throw new CliFailure('IS_LINK', exits.invalid, message, hint)
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    // Nothing is there, or writing there fails for the same reason.
    return false
  }
}

/** A place that nobody has typed. One that was typed may be a link, and what is written goes where it leads. */
export function requireNoLinkUntyped(path: string): void {
  requireNoLink(path, process.cwd(), 'Put a file or folder in its place, or name the file to write to yourself.')
}

/** The place that was typed, else the usual one, which has to be no link. */
export function placeToWrite(typed: string | undefined, usual: string): string {
  if (typed === undefined) requireNoLinkUntyped(usual)
  return typed ?? usual
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
