/** Whether there is a command to run, asked before anything is started for it. */
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
  // A folder in PATH that is called so is none that was meant.
  const obstacle = found.find((one) => one === 'permission denied' || (isPath && one === 'is a directory'))
  throw noCommand(command, obstacle ?? 'not found')
}

export function noCommand(command: string, why: string, cause?: unknown): CliFailure {
  const [first, ...others] = command.trim().split(/\s+/)
  const hint =
    others.length > 0
      ? `In quotes it is one word. Leave them out: -- ${[first, ...others].join(' ')}`
      : 'What follows "--" is the command and its words, as a shell would run it.'
  return new CliFailure('NO_COMMAND', exits.notFound, `"${command}" could not be started (${why}).`, hint, { cause })
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
}

/** The commands of the packages that are installed here, as npm finds them. */
function localFolders(): string[] {
  const folders: string[] = []
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    folders.push(join(folder, 'node_modules', '.bin'))
    if (folder === dirname(folder)) return folders
  }
}

/** On Windows a command is found with an ending of PATHEXT. */
function spellings(place: string): string[] {
  if (process.platform !== 'win32' || extname(place) !== '') return [place]
  return (process.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';').map((ending) => place + ending)
}

/** What is at a place, in the words of a shell. */
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
