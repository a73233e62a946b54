/** Keeps the log of the embedded database short, which would grow by gigabytes in an import. */
import type { Database } from '../database/port.js'
import { checkpoint, selectLogBytes } from '../store/upkeep/tables.js'
import { openRounds, type Rounds } from './rounds.js'

/** What is written again after a crash, at most, and what the log takes: while it grows, and once nothing more is written. */
const mostLogBytes = { growing: 64 * 1024 * 1024, resting: 8 * 1024 * 1024 }
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

/** Answers whether the log was worth a checkpoint. */
export function openCheckpointRound(db: Database): () => Promise<boolean> {
  let before: number | undefined
  return async () => {
    const bytes = await selectLogBytes(db)
    const most = bytes === before ? mostLogBytes.resting : mostLogBytes.growing
    before = bytes
    if (bytes === undefined || bytes <= most) return false
    await checkpoint(db)
    return true
  }
}
