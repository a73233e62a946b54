/** Repairs the data of a state folder while no emulator uses it. */
import { holdLock } from '../database/pglite/lock.js'
import { openPglite } from '../database/pglite/pglite.js'
import { copyBeforeRepair, damaged, inspectData, noteRebuilt, prepareData } from '../database/pglite/state-folder.js'
import { rebuildIndexes, type Unread } from '../store/upkeep/tables.js'

export interface Repaired {
  /** Folder with a copy of the data from before the repair. */
  readonly copy: string
  readonly failed: readonly Unread[]
}

/**
 * Copies the data, then rebuilds its indexes, in the folder itself and in those of its branches.
 *
 * @throws {StartError} `ALREADY_RUNNING`, `DISK_FULL`, `DATA_DAMAGED` if a database does not start
 */
export async function repairData(folder: string, folders: readonly string[]): Promise<Repaired[]> {
  const lock = await holdLock(folder, () => ({ pid: process.pid }))
  try {
    const repaired: Repaired[] = []
    for (const dataFolder of folders) if (await inspectData(dataFolder)) repaired.push(await repairFolder(dataFolder))
    return repaired
  } finally {
    await lock.release()
  }
}

async function repairFolder(dataFolder: string): Promise<Repaired> {
  const dataDir = await prepareData(dataFolder, { fresh: false })
  const copy = await copyBeforeRepair(dataFolder)
  const db = await openPglite({ dataDir, ignoresSystemIndexes: true }).catch((cause) => {
    throw damaged(dataDir, 'The database does not start from them.', cause)
  })
  const failed = await rebuildIndexes(db).finally(() => db.close())
  if (failed.length === 0) await noteRebuilt(dataFolder)
  return { copy, failed }
}
