/** Vacuums and analyzes tables on engines that don't do so automatically. */
import type { Database } from '../database/port.js'
import { type PeakRows, tidyTables } from '../store/upkeep/tables.js'
import { openRounds, type Rounds } from './rounds.js'

const everyMilliseconds = 60_000

export function openVacuum(db: Database, report: (error: unknown) => void): Rounds {
  const peakRows: PeakRows = new Map()
  return openRounds({ report, everyMilliseconds, work: () => tidyTables(db, peakRows) })
}
