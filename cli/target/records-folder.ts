/** Finds the folder where commands store state between runs. */
import { accessSync, constants, lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configFolder } from './profiles.js'

/**
 * Uses the user's config folder, or a private temporary folder if that is not writable (a container under another user
 * id, a read-only home). No command fails because it cannot save state.
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

/** Another user may have created a folder of that name. */
function isPrivate(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o777) === 0o700)
}

let made: string | undefined

function ownTemporary(): string {
  made ??= mkdtempSync(join(tmpdir(), 'svc-'))
  return made
}
