/** Measures plain PGlite on a data directory: startup, memory, and executions of a prepared statement per second. */
import { setImmediate as turn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { serialize } from 'pg-protocol'

/**
 * A statement and its parameter sets, executed in turns, at least once.
 *
 * @typedef {{ text: string, values: string[][], milliseconds: number }} Statement
 * @typedef {{ perSecond: number }} Pace
 */

const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new Error('Pass a data directory.')
const db = await PGlite.create({ dataDir, extensions: { pg_trgm } })
await db.query('select 1')
// Same settings as the service's own session.
await db.exec(
  `set search_path to svc, public; set timezone to 'UTC'; set jit to off; set work_mem to '16MB'; set random_page_cost to 1.1`,
)

process.on('message', async (/** @type {Statement} */ statement) => {
  process.send?.(await pace(statement))
})
process.on('SIGTERM', async () => {
  await db.close()
  process.exit(0)
})
process.send?.({})

/** @param {Statement} statement @returns {Promise<Pace>} */
async function pace({ text, values, milliseconds }) {
  await send([serialize.parse({ name: 'measured', text }), serialize.sync()])
  const messages = values.map((row) => [
    serialize.bind({ statement: 'measured', values: row }),
    serialize.describe({ type: 'P', name: '' }),
    serialize.execute({}),
    serialize.sync(),
  ])
  let times = 0
  const begunAt = performance.now()
  do {
    await send(messages[times++ % messages.length] ?? [])
    if (times % 64 === 0) await turn()
  } while (performance.now() - begunAt < milliseconds)
  const seconds = (performance.now() - begunAt) / 1000
  await send([serialize.close({ type: 'S', name: 'measured' }), serialize.sync()])
  return { perSecond: times / seconds }
}

/** @param {Buffer[]} parts */
async function send(parts) {
  const answer = await db.execProtocolRaw(new Uint8Array(Buffer.concat(parts)), { syncToFs: false })
  // "E" begins an error. Every statement here should succeed.
  if (answer[0] === 0x45) throw new Error(Buffer.from(answer).toString('latin1'))
}
