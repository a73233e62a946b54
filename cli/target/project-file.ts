/** `svc.json` beside the app: what everybody who works on it shares. No key belongs in it. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'

export interface ProjectFile {
  readonly path: string
  readonly profile?: string
  readonly url?: string
  readonly dialect?: string
}

const settings = ['profile', 'url', 'dialect'] as const
/** What editors read of it is theirs. */
const known: readonly string[] = [...settings, '$schema']

/** The `svc.json` of this folder, or of the nearest one above it. */
export function findProjectFile(from: string = process.cwd()): ProjectFile | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, 'svc.json')
    const text = readIfThere(path)
    if (text !== undefined) return readProjectFile(path, text)
    if (folder === dirname(folder)) return undefined
  }
}

function readProjectFile(path: string, text: string): ProjectFile {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw badFile(path, 'is not JSON', cause)
  }
  if (!isObject(content)) throw badFile(path, 'does not hold an object')
  const unknown = Object.keys(content).find((name) => !known.includes(name))
  if (unknown !== undefined) throw badFile(path, `"${unknown}" is not a valid setting`)
  for (const name of settings) {
    if (content[name] !== undefined && typeof content[name] !== 'string') throw badFile(path, `"${name}" is not text`)
  }
  const { profile, url, dialect } = content as { [Name in (typeof settings)[number]]?: string }
  return { path, profile, url, dialect }
}

function badFile(path: string, what: string, cause?: unknown): CliFailure {
  return new CliFailure('BAD_CONFIG', exits.misuse, `${path}: ${what}.`, `It may hold: ${settings.join(', ')}.`, {
    cause,
  })
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
