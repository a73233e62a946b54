/** `npm run bench [-- group …] [--json file]`: measures the targets for speed and size, and prints them as a table. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as batches from './rows/batches.js'
import * as bulk from './rows/bulk.js'
import * as client from './rows/client/client.js'
import * as commands from './rows/commands.js'
import * as dashboard from './rows/dashboard.js'
import * as disk from './rows/disk.js'
import * as files from './rows/files.js'
import * as growth from './rows/growth.js'
import * as hostile from './rows/hostile/rows.js'
import * as large from './rows/large.js'
import { measure as manyUsers } from './rows/many-users.js'
import * as peers from './rows/peers.js'
import { measure as growthPostgres } from './rows/postgres/growth.js'
import { measure as idleStreams } from './rows/postgres/idle-streams.js'
import { measure as retentionPostgres } from './rows/postgres/retention.js'
import { measure as rollingRestart } from './rows/postgres/rolling.js'
import * as writers from './rows/postgres/writers.js'
import * as providers from './rows/providers.js'
import * as reads from './rows/reads.js'
import * as realtime from './rows/realtime.js'
import * as requests from './rows/requests.js'
import * as snapshots from './rows/snapshots.js'
import * as start from './rows/start.js'
import * as streams from './rows/streams.js'
import * as testing from './rows/testing.js'
import * as users from './rows/users.js'
import { isReached, jsonOf, tableOf } from './tools/table.js'

/** @type {Record<string, { measure: () => Promise<import('./tools/table.js').Row[]> }>} */
const groups = {
  start,
  reads,
  batches,
  bulk,
  snapshots,
  streams,
  users,
  files,
  providers,
  realtime,
  peers,
  commands,
  requests,
  client,
  testing,
  hostile,
  large,
  growth,
  disk,
  dashboard,
  writers,
  'growth-postgres': { measure: growthPostgres },
  'retention-postgres': { measure: retentionPostgres },
  'idle-streams': { measure: idleStreams },
  'rolling-restart': { measure: rollingRestart },
  'large-snapshots': { measure: snapshots.measureLarge },
  'many-users': { measure: manyUsers },
}
/** Takes minutes to load; named when it is wanted. */
const onlyWhenNamed = [
  ...['peers', 'hostile', 'large', 'growth', 'disk', 'dashboard', 'many-users', 'writers', 'large-snapshots'],
  ...['growth-postgres', 'retention-postgres', 'idle-streams', 'rolling-restart'],
]

const { values: flags, positionals: asked } = parseArgs({
  options: { json: { type: 'string' } },
  allowPositionals: true,
})
const unknown = asked.filter((name) => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`No group "${unknown.join('", "')}". There are: ${Object.keys(groups).join(', ')}.`)
  process.exit(2)
}
const names = asked.length > 0 ? asked : Object.keys(groups).filter((name) => !onlyWhenNamed.includes(name))

execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.js', import.meta.url)), '--if-stale'])
const rows = []
for (const name of names) {
  console.error(`measuring: ${name}`)
  rows.push(...((await groups[name]?.measure()) ?? []))
}
console.log(tableOf(rows))
if (flags.json !== undefined) writeFileSync(flags.json, jsonOf(rows, { cores: availableParallelism(), groups: names }))
const reached = rows.filter(isReached).length
console.log(`\n${reached} of ${rows.length} reached`)
process.exit(reached === rows.length ? 0 : 1)
