/** Where commands keep what they remember from one run to the next. */
import { accessSync, constants, lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configFolder } from './profiles.js'

/**
 * The user's own folder or, where that cannot be written to (a container under another user id, a read-only home), a private one for
 * temporary files: no command fails because it cannot take notes.
 */
export function recordsFolder(): string {
  const folder = configFolder()
  if (isWritable(folder)) return folder
  const temporary = join(tmpdir(), `svc-${process.getuid?.() ?? 'records'}`)
  return isWritable(temporary) && isPrivate(temporary) ? temporary : ownTemporary()
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Another user of this machine may have made a folder of that name. */
function isPrivate(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o777) === 0o700)
}

let made: string | undefined

function ownTemporary(): string {
  made ??= mkdtempSync(join(tmpdir(), 'svc-'))
  return made
}
