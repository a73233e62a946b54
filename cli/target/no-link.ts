import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'

/**
 * A link that came with a folder may lead anywhere, also one to nothing, which writing would create: contract 12.4.
 *
 * @throws {CliFailure} with exit 5 if this file of the folder, or a folder on the way to it, is a symbolic link.
 */
export function requireNoLink(path: string, folder: string): void {
  for (let part = path; part !== folder && part !== dirname(part); part = dirname(part)) {
    if (!lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) continue
    const message = `${part} is a symbolic link, and nothing is written through it.`
    throw new CliFailure('IS_LINK', exits.invalid, message, 'Put a file or folder in its place.')
  }
}
