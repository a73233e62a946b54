/** Checks that the command exists, before anything is started for it. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, dirname, extname, join, resolve } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'

/** @throws {CliFailure} with exit 4 if a shell in this folder would not find it */
export async function requireCommand([command = '']: readonly string[]): Promise<void> {
  const isPath = /[/\\]/.test(command)
  const places = isPath
    ? [resolve(command)]
    : [...localFolders(), ...pathFolders()].map((folder) => join(folder, command))
  const found: Found[] = []
  for (const place of places.flatMap(spellings)) found.push(await findAt(place))
  if (found.includes('command')) return
  // A folder of that name in PATH is not an obstacle.
  const obstacle = found.find((one) => one === 'permission denied' || (isPath && one === 'is a directory'))
  throw noCommand(command, obstacle ?? 'not found')
}

export function noCommand(command: string, why: string, cause?: unknown): CliFailure {
  const [first, ...others] = command.trim().split(/\s+/)
  const hint =
    others.length > 0
      ? `Remove the quotes around the command: -- ${[first, ...others].join(' ')}`
      : 'Write the command after "--" as in a shell, for example -- npm start'
  return new CliFailure('NO_COMMAND', exits.notFound, `Could not start "${command}" (${why}).`, hint, { cause })
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
}

/** Returns the folders with commands of installed packages, as npm finds them. */
function localFolders(): string[] {
  const folders: string[] = []
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    folders.push(join(folder, 'node_modules', '.bin'))
    if (folder === dirname(folder)) return folders
  }
}

/** Adds the extensions of PATHEXT on Windows. */
function spellings(place: string): string[] {
  if (process.platform !== 'win32' || extname(place) !== '') return [place]
  return (process.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';').map((ending) => place + ending)
}

/** Uses the words of a shell. */
type Found = 'command' | 'is a directory' | 'permission denied' | 'not found'

async function findAt(place: string): Promise<Found> {
  const found = await stat(place).catch(() => undefined)
  if (!found) return 'not found'
  if (!found.isFile()) return 'is a directory'
  return access(place, constants.X_OK).then(
    () => 'command',
    () => 'permission denied',
  )
}
