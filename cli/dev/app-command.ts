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
  for (const place of places.flatMap(spellings)) if (await canRun(place)) return
  throw noCommand(command, 'not found')
}

export function noCommand(command: string, why: string, cause?: unknown): CliFailure {
  const hint = 'What follows "--" is the command and its words, as a shell would run it.'
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

async function canRun(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK)
    return (await stat(place)).isFile()
  } catch {
    return false
  }
}
