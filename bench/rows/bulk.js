/** Many documents by one request or command: a reset, and changes by conditions or by the lines of a file. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, startContender, svcCommand } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyOf, newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { fill } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const deleted = 10_000
const changed = 20_000
const batch = 1_000
const milliseconds = 3_000

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  return [...(await measureResets()), ...(await measureChanges())]
}

/** The same rows, deleted by a statement on bare PGlite in a copy of the folder. */
async function measureResets() {
  const folder = newPath()
  const first = await startDev(folder)
  await fill(first, 'posts', deleted)
  await first.stop()
  const bare = await startContender('contenders/pglite.js', [join(await copyOf(folder), 'data')])
  const dev = await startDev(folder)
  const once = (/** @type {string} */ text) => bare.ask({ text, values: [[]], milliseconds: 0 })
  await once('create table kept as select * from documents')
  const reset = async (/** @type {object} */ choice) => {
    await fill(dev, 'posts', deleted)
    const begunAt = performance.now()
    await dev.control('POST', '/projects/dev/reset', choice)
    return performance.now() - begunAt
  }
  const { deletes, some, all } = await inTurns({
    async deletes() {
      await once('delete from documents')
      await once('insert into documents select * from kept')
      return 1_000 / (await once('delete from documents')).perSecond
    },
    some: () => reset({ collections: ['posts'] }),
    all: () => reset({}),
  })
  await Promise.all([dev.stop(), bare.stop()])

  const row = (/** @type {string} */ what, /** @type {number[]} */ ours) => ({
    what,
    against: 'delete of the same rows, bare PGlite',
    values: ratios(ours, deletes),
    target: { atMost: 1.5 },
    figures: `${rounded(median(ours))} ms, bare ${rounded(median(deletes))} ms`,
  })
  return [
    row(`reset of a collection of ${deleted} documents`, some),
    row(`reset of everything, ${deleted} documents`, all),
  ]
}

/** The command's own start and end included, beside batches of the same changes over one connection. */
async function measureChanges() {
  const dev = await startDev(newPath())
  const ids = await fill(dev, 'posts', changed)
  const load = await startLoad()
  const pieces = Array.from({ length: changed / batch }, (_, at) => ids.slice(at * batch, (at + 1) * batch))
  const asks = pieces.map((some) => ({
    method: 'POST',
    path: '/collections/posts/batch/documents/update',
    headers: { ...dev.headers, prefer: 'return=minimal' },
    body: JSON.stringify({ updates: Object.fromEntries(some.map((id) => [id, { data: { views: 7 } }])) }),
  }))
  const file = newPath()
  const lines = ids.map((id) => `${JSON.stringify({ op: 'update', collection: 'posts', id, data: { views: 8 } })}\n`)
  await writeFile(file, lines.join(''))
  const env = { ...process.env, SVC_URL: dev.url, SVC_API_KEY: dev.apiKey }
  const pace = async (/** @type {string[]} */ ...words) => {
    const begunAt = performance.now()
    await run(process.execPath, [svcCommand, ...words, '--yes'], { cwd: tmpdir(), env })
    return changed / ((performance.now() - begunAt) / 1_000)
  }
  const { batches, updates, operations } = await inTurns(
    {
      batches: async () => batch * (await load.drive({ port: dev.port, connections: 1, milliseconds, asks })).perSecond,
      updates: () => pace('docs', 'update', 'posts', '--where', 'views__gte=0', 'views:=9'),
      operations: () => pace('docs', 'batch', '--restart', '-f', file),
    },
    { rounds: 5 },
  )
  await Promise.all([dev.stop(), load.stop()])

  const row = (/** @type {string} */ what, /** @type {number[]} */ ours) => ({
    what,
    against: 'batch update, 1,000 a request',
    values: ratios(ours, batches),
    target: { atLeast: 0.5 },
    figures: `${rounded(median(ours))} documents/s, batches ${rounded(median(batches))}/s`,
  })
  return [
    row(`\`svc docs update --where\` of ${changed}`, updates),
    row(`\`svc docs batch\` of ${changed} changes`, operations),
  ]
}
