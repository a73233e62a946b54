/** Measures batches of 1,000 documents and an import of 100,000. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { built } from '../tools/built.js'
import { run, startContender, svcCommand } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyFolder, newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { post, posts } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const batch = 1_000
const imported = 100_000
const milliseconds = 5_000

const insert = `insert into documents (id, collection_id, data, created_at, updated_at)
  select uuidv7(), $1::uuid, data, now(), now() from unnest($2::jsonb[]) as fresh (data)`

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = newPath()
  const first = await startDev(folder)
  const { id: collection } = await first.ask('POST', '/collections', { name: 'posts' })
  await first.stop()
  const bareFolder = await copyFolder(folder)
  const file = newPath()
  await writeFile(file, Array.from({ length: imported }, (_, at) => `${JSON.stringify(post(at))}\n`).join(''))

  const dev = await startDev(folder)
  const bare = await startContender('contenders/pglite.js', [join(bareFolder, 'data')])
  const load = await startLoad()
  /** @type {typeof import('../../emulator/database/values.js')} */
  const { writeValue } = await built('emulator/database/values.js')
  const rows = Array.from({ length: 20 }, (_, at) => posts(batch, at * batch))
  const values = rows.map((documents) => [collection, writeValue(documents.map((one) => JSON.stringify(one)))])
  const asks = rows.map((documents) => ({
    method: 'POST',
    path: '/collections/posts/batch',
    headers: dev.headers,
    body: JSON.stringify({ documents }),
  }))
  const { inserts, batches, imports } = await inTurns(
    {
      inserts: async () => batch * (await bare.ask({ text: insert, values, milliseconds })).perSecond,
      batches: async () => batch * (await load.drive({ port: dev.port, connections: 4, milliseconds, asks })).perSecond,
      imports: () => pace(dev, imported, ['posts', file]),
    },
    { rounds: 5 },
  )
  await Promise.all([dev.stop(), bare.stop(), load.stop()])

  const figures = (/** @type {number[]} */ ours) =>
    `${rounded(median(ours))} documents/s, bare ${rounded(median(inserts))}/s`
  return [
    {
      what: 'batch create, 1,000 a request',
      against: 'multi-row insert, bare PGlite',
      values: ratios(batches, inserts),
      target: { atLeast: 0.6 },
      figures: figures(batches),
    },
    {
      what: '`svc docs import` of 100,000',
      against: 'multi-row insert, bare PGlite',
      values: ratios(imports, inserts),
      target: { atLeast: 0.6 },
      figures: figures(imports),
    },
  ]
}

/**
 * Measures documents per second, including the start and end of the command.
 *
 * @param {import('../tools/dev.js').Dev} dev @param {number} documents @param {string[]} words the collection, the
 * file, and flags
 */
async function pace(dev, documents, words) {
  const begunAt = performance.now()
  const args = ['docs', 'import', ...words, '--format', 'ndjson', '--yes']
  const env = { ...process.env, SVC_URL: dev.url, SVC_API_KEY: dev.apiKey }
  await run(process.execPath, [svcCommand, ...args], { cwd: tmpdir(), env })
  return documents / ((performance.now() - begunAt) / 1_000)
}
