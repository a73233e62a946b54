/** What can be mended in the data of a state folder while no emulator runs on them. */
import { holdLock } from './database/pglite/lock.js'
import { openPglite } from './database/pglite/pglite.js'
import { copyBeforeRepair, damaged, inspectData, noteRebuilt, prepareData } from './database/pglite/state-folder.js'
import { rebuildIndexes, type Unread } from './store/upkeep/tables.js'

export interface Repaired {
  /** Where the data are as they were. */
  readonly copy: string
  readonly failed: readonly Unread[]
}

/**
 * Copies the data, then builds their indexes anew, in the folder itself and in those of its branches.
 *
 * @throws {StartError} `ALREADY_RUNNING`, `DISK_FULL`, `DATA_DAMAGED` where a database does not start
 */
export async function repairData(folder: string, places: readonly string[]): Promise<Repaired[]> {
  const lock = await holdLock(folder, () => ({ pid: process.pid }))
  try {
    const repaired: Repaired[] = []
    for (const place of places) if (await inspectData(place)) repaired.push(await repairPlace(place))
    return repaired
  } finally {
    await lock.release()
  }
}

async function repairPlace(place: string): Promise<Repaired> {
  const dataDir = await prepareData(place, { fresh: false })
  const copy = await copyBeforeRepair(place)
  const db = await openPglite({ dataDir, ignoresSystemIndexes: true }).catch((cause) => {
    throw damaged(dataDir, 'The database does not start from them.', cause)
  })
  const failed = await rebuildIndexes(db).finally(() => db.close())
  if (failed.length === 0) await noteRebuilt(place)
  return { copy, failed }
}
