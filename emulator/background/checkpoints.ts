/** Keeps the WAL of the embedded database short, which would grow by gigabytes in an import. */
import type { Database } from '../database/port.js'
import { checkpoint, selectLogBytes } from '../store/upkeep/tables.js'
import { openRounds, type Rounds } from './rounds.js'

/** Limits the WAL, which is replayed after a crash, while it grows and once writing stops. */
const maxWalBytes = { growing: 64 * 1024 * 1024, resting: 8 * 1024 * 1024 }
const everyMilliseconds = 5_000

export function openCheckpoints(db: Database, report: (error: unknown) => void): Rounds {
  const round = openCheckpointRound(db)
  return openRounds({
    report,
    everyMilliseconds,
    async work() {
      await round()
    },
  })
}

/** Returns a function that resolves to whether the WAL was worth a checkpoint. */
export function openCheckpointRound(db: Database): () => Promise<boolean> {
  let before: number | undefined
  return async () => {
    const bytes = await selectLogBytes(db)
    const most = bytes === before ? maxWalBytes.resting : maxWalBytes.growing
    before = bytes
    if (bytes === undefined || bytes <= most) return false
    await checkpoint(db)
    return true
  }
}
