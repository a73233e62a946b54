/** What a state folder says of itself without being opened. */
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'

/** Where the emulator of the folder listened last. */
export function keptPort(folder: string): number | undefined {
  const port = readJson(join(folder, 'keys', 'port'))
  return Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? Number(port) : undefined
}

/** The keys of its projects that can be read; undefined where the folder keeps none. */
export function keptKeys(folder: string): string[] | undefined {
  const files = namesIn(join(folder, 'keys')).filter((name) => /^project-\w+\.json$/.test(name))
  if (files.length === 0) return undefined
  const keys = files.flatMap((name) => readJson(join(folder, 'keys', name)) ?? [])
  return keys.flatMap((key) => (isObject(key) && typeof key.readable === 'string' ? [key.readable] : []))
}

/** When its data were made. */
export function dataMadeAt(folder: string): Date | undefined {
  return manifestDate(folder, 'createdAt')
}

/** From when on damage that was met may still be in the data of one of the folders: they were made, or read and rebuilt, then. */
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

/** A failure that the emulator has logged. */
interface LoggedFailure {
  readonly at: Date
  readonly code: string
  readonly message: string
}

/** The oldest first; lines that were cut off as a disk was full are left out. */
export function loggedFailures(folder: string): LoggedFailure[] {
  const lines = ['errors.1.log', 'errors.log'].flatMap((name) => readText(join(folder, name))?.split('\n') ?? [])
  return lines.flatMap((line) => {
    const entry = parseJson(line)
    if (!isObject(entry) || typeof entry.code !== 'string') return []
    return [{ at: new Date(String(entry.time)), code: entry.code, message: String(entry.message) }]
  })
}

/** What a file holds, or all files in a folder; a link, and what cannot be looked at or goes meanwhile, counts nothing. */
export function bytesIn(path: string): number {
  const found = lookAt(path)
  if (found?.isDirectory()) return namesIn(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
  return found?.isFile() ? found.size : 0
}

/** What is at a place itself; undefined where nothing is, or it cannot be looked at. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** None where there is no such folder. */
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
