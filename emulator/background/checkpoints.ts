/** Keeps the log of the embedded database short, which would grow by gigabytes in an import. */
import type { Database } from '../database/port.js'
import { checkpoint } from '../store/upkeep/tables.js'
import { openRounds, type Rounds } from './rounds.js'

/** What is written again after a crash, at most, and what the log takes. */
const mostLogBytes = 64 * 1024 * 1024
const everyMilliseconds = 5_000

export function openCheckpoints(db: Database, report: (error: unknown) => void): Rounds {
  return openRounds({
    report,
    everyMilliseconds,
    async work() {
      await checkpoint(db, mostLogBytes)
    },
  })
}
