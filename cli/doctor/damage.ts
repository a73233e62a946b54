/** Damaged pages, of a table or an index: they keep few databases from being opened, and fail the requests that read them. */
import { formatBytes } from '../../client/protocol/model/figures.js'
import { nearby } from '../dev/box.js'
import type { Finding, Patient } from './finding.js'
import { bytesIn, dataSoundAt, loggedFailures } from './folder-files.js'

/** `data_corrupted` and `index_corrupted`, and a database that did not open. */
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
    message: `The database has met damaged pages, last at ${last.at.toISOString()}: ${words}. Requests that read them fail.`,
    remedy:
      `${isInUse ? 'Stop the emulator, then rebuild' : 'Rebuild'} the indexes, which copies the data first: svc doctor --repair. If tables are damaged, ` +
      'bring back a copy of the folder, or start with new data: svc dev --fresh, which keeps these beside them.',
  }
  return [isInUse ? finding : { ...finding, repair: () => rebuild(folder, places) }]
}

async function rebuild(folder: string, places: readonly string[]): Promise<string> {
  const { repairData } = await import('../../emulator/repair-data.js')
  const repaired = await repairData(folder, places)
  const sizes = repaired.map(({ copy }) => `${nearby(copy)} (${formatBytes(bytesIn(copy))})`)
  const copies = `The data as they were: ${sizes.join(', ')}`
  const failed = repaired.flatMap(({ failed }) => failed)
  if (failed.length === 0) return `Read all tables and rebuilt their indexes. ${copies}`
  const tables = failed.map(({ table, message }) => `${table} (${message})`).join(', ')
  throw new Error(`Indexes were rebuilt, but of these tables: ${tables}. ${copies}.`)
}
