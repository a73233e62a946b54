/** Limits the space that automatic snapshots take. Contract 12.6. */
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
import { inTransaction, unitFor } from '../unit-of-work.js'
import { removeEach } from './remove-all.js'

const gigabyte = 1024 ** 3
/** Share of the free disk space for all automatic snapshots together. */
const partOfDisk = 0.1

interface Trimming {
  readonly limitBytes?: number | undefined
  /** Name of a snapshot in the same project to keep, whatever its age. */
  readonly keeping?: string | undefined
}

/**
 * Deletes the oldest automatic snapshots of all projects until the rest fit the limit.
 *
 * @throws {SvcError} `STORAGE_LIMIT` if the newest does not fit alone, or together with the kept one; then deletes only
 * the newest
 */
export async function trimAutomatic(
  backend: Backend,
  newest: StoredSnapshot,
  { limitBytes, keeping }: Trimming = {},
): Promise<void> {
  const maxBytes = limitBytes ?? (await computeMaxBytes(backend))
  const { deleted, tooLarge, keptBytes } = await inTransaction(unitFor(backend), async ({ db: tx }) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    const all = await selectAutomatic(tx)
    const added = all.find(({ id }) => id === newest.id)
    const kept = all.find(({ name, project }) => name === keeping && project === added?.project)
    const keptBytes = kept?.bytes ?? 0
    const tooLarge = added && added.bytes > maxBytes - keptBytes ? added : undefined
    const others = all.filter((snapshot) => snapshot !== kept)
    return { deleted: tooLarge ? [tooLarge] : findExcess(others, maxBytes - keptBytes), tooLarge, keptBytes }
  })
  await removeEach(backend, deleted)
  if (deleted.length > 0) backend.sweepFilesSoon()
  if (!tooLarge) return
  const keptNote = keptBytes > 0 ? ` and "${keeping}" takes ${formatBytes(keptBytes)}` : ''
  throw new SvcError(
    'STORAGE_LIMIT',
    `A snapshot before "${newest.command}" takes ${formatBytes(tooLarge.bytes)}${keptNote}. Automatic snapshots can take at most ${formatBytes(maxBytes)}.`,
  )
}

/** Lists the snapshots that don't fit after all newer ones. */
function findExcess(snapshots: readonly AutomaticSnapshot[], maxBytes: number): AutomaticSnapshot[] {
  let bytes = 0
  return snapshots.filter((snapshot) => {
    bytes += snapshot.bytes
    return bytes > maxBytes
  })
}

/** Uses the default limit if the database is remote, because its disk space is unknown. */
async function computeMaxBytes({ about: { dataDir } }: Backend): Promise<number> {
  if (dataDir === undefined) return gigabyte
  const { bavail, bsize } = await statfs(dataDir)
  return Math.min(gigabyte, Math.floor(bavail * bsize * partOfDisk))
}
