/** Which collections were pulled or pushed: a service shows a key only those that are in its scopes, and documents refer to others. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines } from './line-file.js'

/** The ids of one collection. */
export interface PairedCollection {
  readonly local: string
  readonly remote: string
}

function fileOf(url: string): string {
  return join(
    recordsFolder(),
    'pairs',
    `collections-${createHash('sha256').update(url).digest('hex').slice(0, 32)}.ndjson`,
  )
}

/** Those of a service that were ever paired with this one of the emulator, the latest last. */
export function pairedWith(url: string, local: string): readonly string[] {
  return read(url).flatMap((one) => (one.local === local ? [one.remote] : []))
}

/** Remembers them, once. */
export function keepPaired(url: string, { local, remote }: PairedCollection): void {
  if (!pairedWith(url, local).includes(remote)) appendLines(fileOf(url), [{ local, remote }])
}

function read(url: string): PairedCollection[] {
  return readLines(fileOf(url)).values.flatMap((value) => {
    if (!isObject(value)) return []
    const { local, remote } = value
    return typeof local === 'string' && typeof remote === 'string' ? [{ local, remote }] : []
  })
}
