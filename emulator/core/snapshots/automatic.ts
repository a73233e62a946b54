/** How much space automatic snapshots take. Contract 12.6. */
import { statfs } from 'node:fs/promises'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import {
  type AutomaticSnapshot,
  disableTimeouts,
  lockSnapshots,
  type StoredSnapshot,
  selectAutomatic,
} from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { inTransaction, unitOf } from '../unit-of-work.js'
import { removeEach } from './remove-all.js'

const gigabyte = 1024 ** 3
/** The part of the free disk that they may take together. */
const partOfDisk = 0.1

interface Trimming {
  readonly limitBytes?: number | undefined
  /** Name of one of the same project that stays, however old it is. */
  readonly keeping?: string | undefined
}

/**
 * Deletes the oldest automatic snapshots, of whatever project, until all of them fit into what they may take.
 *
 * @throws {SvcError} `STORAGE_LIMIT` where the newest does not fit by itself, or beside the one that stays; it alone is deleted then
 */
export async function trimAutomatic(
  backend: Backend,
  newest: StoredSnapshot,
  { limitBytes, keeping }: Trimming = {},
): Promise<void> {
  const mostBytes = limitBytes ?? (await mostAutomaticBytes(backend))
  const { deleted, tooLarge, besideBytes } = await inTransaction(unitOf(backend), async ({ db: tx }) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    const all = await selectAutomatic(tx)
    const added = all.find(({ id }) => id === newest.id)
    const kept = all.find(({ name, project }) => name === keeping && project === added?.project)
    const besideBytes = kept?.bytes ?? 0
    const tooLarge = added && added.bytes > mostBytes - besideBytes ? added : undefined
    const others = all.filter((snapshot) => snapshot !== kept)
    return { deleted: tooLarge ? [tooLarge] : beyond(others, mostBytes - besideBytes), tooLarge, besideBytes }
  })
  await removeEach(backend, deleted)
  if (deleted.length > 0) backend.sweepFilesSoon()
  if (!tooLarge) return
  const beside = besideBytes > 0 ? `, and "${keeping}" ${formatBytes(besideBytes)}` : ''
  throw new SvcError(
    'STORAGE_LIMIT',
    `A snapshot before "${newest.command}" takes ${formatBytes(tooLarge.bytes)}${beside}; automatic ones share at most ${formatBytes(mostBytes)}.`,
  )
}

/** Those for which there is no more space, beside all that are newer. */
function beyond(snapshots: readonly AutomaticSnapshot[], mostBytes: number): AutomaticSnapshot[] {
  let bytes = 0
  return snapshots.filter((snapshot) => {
    bytes += snapshot.bytes
    return bytes > mostBytes
  })
}

/** Where the database is elsewhere, its disk is not known. */
async function mostAutomaticBytes({ about: { dataDir } }: Backend): Promise<number> {
  if (dataDir === undefined) return gigabyte
  const { bavail, bsize } = await statfs(dataDir)
  return Math.min(gigabyte, Math.floor(bavail * bsize * partOfDisk))
}
