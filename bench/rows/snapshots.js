/** Snapshots and seeds: what a state costs to save, to load and to seed. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, startContender, svcCommand } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyOf, newPath } from '../tools/folders.js'
import { fill, post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const small = { documents: 10_000, files: 100, fileBytes: 10_000 }
const large = Number(process.env.SNAPSHOT_DOCUMENTS ?? 1_000_000)
const seeded = 100_000
const batch = 1_000

/** @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row */

/** @returns {Promise<Row[]>} */
export async function measure() {
  return [...(await measureSmall()), await measureSeed()]
}

/** Of a project of a test's size. A load follows a reset, so that all of it comes back. @returns {Promise<Row[]>} */
async function measureSmall() {
  const dev = await startDev(newPath())
  await fill(dev, 'posts', small.documents)
  for (let at = 0; at < small.files; at++) await upload(dev, `file-${at}.bin`)
  const times = await inTurns({
    save: () => timed(() => dev.control('POST', '/projects/dev/snapshots', { name: 'state', replace: true })),
    async load() {
      await dev.control('POST', '/projects/dev/reset', {})
      return timed(() => dev.control('POST', '/projects/dev/snapshots/state/load', {}))
    },
  })
  await dev.stop()
  const what = `${small.documents.toLocaleString('en')} documents and ${small.files} files`
  return Object.entries(times).map(([name, values]) => ({
    what: `snapshot ${name} of ${what}`,
    against: 'nothing: a limit',
    values,
    target: { atMost: 1_000 },
    unit: 'ms',
  }))
}

/** The command's own start and end included, beside batches of the same documents over one connection. @returns {Promise<Row>} */
async function measureSeed() {
  // The command finds the emulator by the folder, whose seeds are one transaction.
  const app = newPath()
  await mkdir(app)
  const dev = await startDev(join(app, '.svc'))
  const file = join(app, 'posts.ndjson')
  await writeFile(file, Array.from({ length: seeded }, (_, at) => `${JSON.stringify(post(at))}\n`).join(''))
  const { batches, seeds } = await inTurns(
    {
      async batches() {
        await dev.control('POST', '/projects/dev/reset', {})
        return seeded / ((await timed(() => fill(dev, 'posts', seeded))) / 1_000)
      },
      async seeds() {
        await dev.control('POST', '/projects/dev/reset', {})
        const words = [svcCommand, 'seed', file, '--yes']
        const milliseconds = await timed(() => run(process.execPath, words, { cwd: app, env: process.env }))
        return seeded / (milliseconds / 1_000)
      },
    },
    { rounds: 5, warmUps: 0 },
  )
  await dev.stop()
  return {
    what: `\`svc seed\` of ${seeded.toLocaleString('en')}`,
    against: `batch create, ${batch.toLocaleString('en')} a request`,
    values: ratios(seeds, batches),
    target: { atLeast: 0.8 },
    figures: `${rounded(median(seeds))} documents/s, batches ${rounded(median(batches))}/s`,
  }
}

/** The same rows, out to a file of the same disk and back into a table with the same indexes, on bare PGlite. @returns {Promise<Row[]>} */
export async function measureLarge() {
  const folder = newPath()
  const first = await startDev(folder)
  const { id: collection } = await first.ask('POST', '/collections', { name: 'posts' })
  await first.stop()
  await fillBare(folder, collection)
  const bare = await startContender('contenders/pglite.js', [join(await copyOf(folder), 'data')])
  const dev = await startDev(folder)
  const once = (/** @type {string} */ text) => bare.ask({ text, values: [[]], milliseconds: 0 })
  await once('create table copied (like documents including all)')
  const file = '/pglite/data/documents.copy'
  // All saves come first: a load leaves as many dead rows as it brings, which are read past until they are vacuumed.
  const { out, saved } = await inTurns(
    {
      out: async () => 1_000 / (await once(`copy documents to '${file}'`)).perSecond,
      saved: () => timed(() => dev.control('POST', '/projects/dev/snapshots', { name: 'state', replace: true })),
    },
    { rounds: 5, warmUps: 0 },
  )
  const { back, loaded } = await inTurns(
    {
      async back() {
        await once('truncate copied')
        return 1_000 / (await once(`copy copied from '${file}'`)).perSecond
      },
      async loaded() {
        await dev.control('POST', '/projects/dev/reset', { collections: ['posts'] })
        return timed(() => dev.control('POST', '/projects/dev/snapshots/state/load', {}))
      },
    },
    { rounds: 5, warmUps: 0 },
  )
  await Promise.all([dev.stop(), bare.stop()])
  const row = (/** @type {string} */ verb, /** @type {string} */ against, ours = saved, theirs = out) => ({
    what: `snapshot ${verb} of ${large.toLocaleString('en')} documents`,
    against: `${against}, bare PGlite`,
    values: ratios(ours, theirs),
    target: { atMost: 1.5 },
    figures: `${rounded(median(ours))} ms, bare ${rounded(median(theirs))} ms`,
  })
  return [row('save', 'COPY out'), row('load', 'COPY in with the same indexes', loaded, back)]
}

/** By the database itself. @param {string} folder @param {string} collection */
async function fillBare(folder, collection) {
  const bare = await startContender('contenders/pglite.js', [join(folder, 'data')])
  const text = `insert into documents (id, collection_id, data, created_at, updated_at)
    select id, $1::uuid, jsonb_build_object('title', 'Post number ' || n, 'views', (n::bigint * 7919) % 100000, 'text', repeat(md5(n::text), 5)),
      uuid_extract_timestamp(id), uuid_extract_timestamp(id)
    from (select n, uuidv7() as id from generate_series($2::int, $3::int) as n) as fresh`
  for (let first = 1; first <= large; first += 50_000) {
    const values = [[collection, String(first), String(Math.min(large, first + 49_999))]]
    await bare.ask({ text, values, milliseconds: 0 })
  }
  const counted = 'update document_counts set documents = $2::bigint where collection_id = $1::uuid'
  await bare.ask({ text: counted, values: [[collection, String(large)]], milliseconds: 0 })
  await bare.ask({ text: 'vacuum (analyze) documents', values: [[]], milliseconds: 0 })
  await bare.stop()
}

/** @param {Dev} dev @param {string} name */
async function upload({ url, headers }, name) {
  const form = new FormData()
  form.set('file', new Blob([name.repeat(small.fileBytes / name.length)]), name)
  const answer = await fetch(`${url}/storage/upload`, { method: 'POST', headers, body: form })
  if (!answer.ok) throw new Error(`upload: ${answer.status}`)
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const begunAt = performance.now()
  await work()
  return performance.now() - begunAt
}
