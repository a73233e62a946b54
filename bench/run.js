/** Measures the targets for speed and size, and prints a table: `npm run bench [-- group …]`. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as batches from './rows/batches.js'
import * as client from './rows/client.js'
import * as form from './rows/form.js'
import * as growth from './rows/growth.js'
import * as outbox from './rows/outbox.js'
import * as peers from './rows/peers.js'
import * as queries from './rows/queries.js'
import * as reads from './rows/reads.js'
import * as realtime from './rows/realtime.js'
import * as snapshots from './rows/snapshots.js'
import * as stalls from './rows/stalls.js'
import * as start from './rows/start.js'
import * as unique from './rows/unique.js'
import { formatTable, isReached } from './tools/table.js'

/** @type {Record<string, { measure: () => Promise<import('./tools/table.js').Row[]> }>} */
const groups = {
  start,
  reads,
  queries,
  batches,
  snapshots,
  realtime,
  client,
  outbox,
  unique,
  form,
  peers,
  growth,
  stalls,
}
/** These take minutes each, so they run only if named. */
const onlyWhenNamed = ['peers', 'growth', 'stalls']

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`No group "${unknown.join('", "')}". Groups: ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}
const names = asked.length > 0 ? asked : Object.keys(groups).filter((name) => !onlyWhenNamed.includes(name))

execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.js', import.meta.url)), '--if-stale'])
const rows = []
for (const name of names) {
  console.error(`measuring: ${name}`)
  rows.push(...((await groups[name]?.measure()) ?? []))
}
console.log(formatTable(rows))
const reached = rows.filter(isReached).length
console.log(`\n${reached} of ${rows.length} reached`)
process.exit(reached === rows.length ? 0 : 1)
