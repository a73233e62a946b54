/** Vacuums and analyzes tables on engines that don't do so automatically. */
import type { Database } from '../database/port.js'
import { type MostRows, tidyTables } from '../store/upkeep/tables.js'
import { openRounds, type Rounds } from './rounds.js'

const everyMilliseconds = 60_000

export function openVacuum(db: Database, report: (error: unknown) => void): Rounds {
  const mostRows: MostRows = new Map()
  return openRounds({ report, everyMilliseconds, work: () => tidyTables(db, mostRows) })
}
