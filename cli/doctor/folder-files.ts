/** Reads files of a state folder without opening its database. */
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'

/** Returns the last port of the folder's emulator. */
export function keptPort(folder: string): number | undefined {
  const port = readJson(join(folder, 'keys', 'port'))
  return Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? Number(port) : undefined
}

/** Returns the readable keys of all projects, or undefined if the folder has no keys. */
export function keptKeys(folder: string): string[] | undefined {
  const files = namesIn(join(folder, 'keys')).filter((name) => /^project-\w+\.json$/.test(name))
  if (files.length === 0) return undefined
  const keys = files.flatMap((name) => readJson(join(folder, 'keys', name)) ?? [])
  return keys.flatMap((key) => (isObject(key) && typeof key.readable === 'string' ? [key.readable] : []))
}

/** Returns when the data was created. */
export function dataMadeAt(folder: string): Date | undefined {
  return manifestDate(folder, 'createdAt')
}

/** Returns when the oldest data was created or last rebuilt. Damage reported before is fixed. */
export function dataSoundAt(folders: readonly string[]): Date {
  const dates = folders.flatMap(
    (folder) => manifestDate(folder, 'rebuiltAt') ?? manifestDate(folder, 'createdAt') ?? [],
  )
  return new Date(dates.length === 0 ? 0 : Math.min(...dates.map((date) => date.getTime())))
}

function manifestDate(folder: string, name: string): Date | undefined {
  const manifest = readJson(join(folder, 'manifest.json'))
  const at = isObject(manifest) ? new Date(String(manifest[name])) : undefined
  return at && Number.isFinite(at.getTime()) ? at : undefined
}

interface LoggedFailure {
  readonly at: Date
  readonly code: string
  readonly message: string
}

/** Reads the logged failures, oldest first. Skips lines that a full disk cut off. */
export function loggedFailures(folder: string): LoggedFailure[] {
  const lines = ['errors.1.log', 'errors.log'].flatMap((name) => readText(join(folder, name))?.split('\n') ?? [])
  return lines.flatMap((line) => {
    const entry = parseJson(line)
    if (!isObject(entry) || typeof entry.code !== 'string') return []
    return [{ at: new Date(String(entry.time)), code: entry.code, message: String(entry.message) }]
  })
}

/** Sums up the size of a file or of all files in a folder. Skips links, and files that cannot be read. */
export function bytesIn(path: string): number {
  const found = lookAt(path)
  if (found?.isDirectory()) return namesIn(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
  return found?.isFile() ? found.size : 0
}

/** Returns the entry at a path without following links, or undefined if it is missing or cannot be read. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Returns nothing for a missing folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readJson(path: string): unknown {
  const text = readText(path)
  return text === undefined ? undefined : parseJson(text)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
