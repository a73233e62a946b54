/** Remembers which collections were synced. A key sees only the collections in its scopes, but documents link to others. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines } from './line-file.js'

/** The ids of one collection on both sides. */
export interface PairedCollection {
  readonly local: string
  readonly remote: string
}

function pairsFile(url: string): string {
  return join(
    recordsFolder(),
    'pairs',
    `collections-${createHash('sha256').update(url).digest('hex').slice(0, 32)}.ndjson`,
  )
}

/** Returns the service's collections that were ever paired with this one of the emulator, the latest last. */
export function pairedWith(url: string, local: string): readonly string[] {
  return read(url).flatMap((one) => (one.local === local ? [one.remote] : []))
}

/** Saves the pair if it is new. */
export function keepPaired(url: string, { local, remote }: PairedCollection): void {
  if (!pairedWith(url, local).includes(remote)) appendLines(pairsFile(url), [{ local, remote }])
}

function read(url: string): PairedCollection[] {
  return readLines(pairsFile(url)).values.flatMap((value) => {
    if (!isObject(value)) return []
    const { local, remote } = value
    return typeof local === 'string' && typeof remote === 'string' ? [{ local, remote }] : []
  })
}
