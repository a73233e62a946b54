/** Reports damaged pages of tables and indexes. Most databases still open, but requests that read the pages fail. */
import { formatBytes } from '../../client/protocol/model/figures.js'
import { nearby } from '../dev/box.js'
import type { Finding, Patient } from './finding.js'
import { bytesIn, dataSoundAt, loggedFailures } from './folder-files.js'

/** PostgreSQL's `data_corrupted` and `index_corrupted`, and our code for a database that did not open. */
const damageCodes = ['XX001', 'XX002', 'DATA_DAMAGED']

export function damageFindings({ folder, holder, emulator }: Patient, branches: readonly string[]): Finding[] {
  const places = [folder, ...branches]
  const soundAt = dataSoundAt(places).getTime()
  const met = loggedFailures(folder).filter(({ at, code }) => damageCodes.includes(code) && at.getTime() >= soundAt)
  const last = met.at(-1)
  if (!last) return []
  const words = last.message.replace(/\.$/, '')
  const isInUse = holder !== undefined || emulator !== undefined
  const finding: Finding = {
    code: 'DATA_DAMAGED',
    level: 'wrong',
    message: `The database has damaged pages, last found at ${last.at.toISOString()}: ${words}. Requests that read them fail.`,
    remedy:
      `${isInUse ? 'Stop the emulator, then rebuild' : 'Rebuild'} the indexes: svc doctor --repair. It copies the data first. If tables are damaged, ` +
      'restore a copy of the folder, or start with new data: svc dev --fresh. It keeps the old data in the folder.',
  }
  return [isInUse ? finding : { ...finding, repair: () => rebuild(folder, places) }]
}

async function rebuild(folder: string, places: readonly string[]): Promise<string> {
  const { repairData } = await import('../../emulator/assembly/repair-data.js')
  const repaired = await repairData(folder, places)
  const sizes = repaired.map(({ copy }) => `${nearby(copy)} (${formatBytes(bytesIn(copy))})`)
  const copies = `Copy of the former data: ${sizes.join(', ')}`
  const failed = repaired.flatMap(({ failed }) => failed)
  if (failed.length === 0) return `Read all tables and rebuilt their indexes. ${copies}`
  const tables = failed.map(({ table, message }) => `${table} (${message})`).join(', ')
  throw new Error(`Rebuilt the indexes, except those of these tables: ${tables}. ${copies}.`)
}
