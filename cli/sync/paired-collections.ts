/** Which collections were pulled or pushed: a service shows a key only those that are in its scopes, and documents refer to others. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { configFolder } from '../target/profiles.js'

/** The ids of one collection. */
export interface PairedCollection {
  readonly local: string
  readonly remote: string
}

const folder = () => join(configFolder(), 'pairs')

function fileOf(url: string): string {
  return join(folder(), `collections-${createHash('sha256').update(url).digest('hex').slice(0, 32)}.ndjson`)
}

/** Those of a service that were ever paired with this one of the emulator, the latest last. */
export function pairedWith(url: string, local: string): readonly string[] {
  return read(url).flatMap((one) => (one.local === local ? [one.remote] : []))
}

/** Remembers them, once. */
export function keepPaired(url: string, { local, remote }: PairedCollection): void {
  if (pairedWith(url, local).includes(remote)) return
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  appendFileSync(fileOf(url), `${JSON.stringify({ local, remote })}\n`, { mode: 0o600 })
}

/** What a crash has cut is written again by the next pull or push. */
function read(url: string): PairedCollection[] {
  const file = fileOf(url)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.split('\n').flatMap((line) => {
    const { local, remote } = readLine(line)
    return typeof local === 'string' && typeof remote === 'string' ? [{ local, remote }] : []
  })
}

function readLine(line: string): { readonly local?: unknown; readonly remote?: unknown } {
  const read = parseJson(line)
  return isObject(read) ? read : {}
}
