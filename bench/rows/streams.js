/** 100,000 documents through the command line and the client: how much memory they take, and how long a loop over them, and their types. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { built } from '../tools/built.js'
import { run, svcCommand } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const documents = 100_000
const pageSize = 100
const peakMemory = fileURLToPath(new URL('../tools/peak-memory.js', import.meta.url))

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  const [file, exported] = [`${newPath()}.ndjson`, `${newPath()}.ndjson`]
  await writeFile(file, Array.from({ length: documents }, (_, at) => `${JSON.stringify(post(at))}\n`).join(''))
  const peakOf = (/** @type {string[]} */ ...words) => peakMegabytes([...words, '--url', dev.url, '--key', dev.apiKey])
  await peakOf('docs', 'import', 'posts', file, '--create')
  await peakOf('collections', 'create', 'imported')
  /** @type {typeof import('../../client/index.js')} */
  const { createClient } = await built('client/index.js')
  const posts = createClient({ url: dev.url, apiKey: dev.apiKey }).collection('posts')

  const memory = await inTurns(
    {
      idle: () => peakOf('docs', 'count', 'posts'),
      imports: () => peakOf('docs', 'import', 'imported', file),
      exports: () => peakOf('docs', 'export', 'posts', '--out', exported, '--restart'),
    },
    { rounds: 5, warmUps: 0 },
  )
  const generate = [
    'types',
    'generate',
    'posts',
    '--all',
    '--out',
    '-',
    '--quiet',
    '--url',
    dev.url,
    '--key',
    dev.apiKey,
  ]
  const times = await inTurns({
    byHand: () => timed(pagesByHand(dev)),
    iterate: () => timed(posts.iterate()),
    types: async () => {
      const begunAt = performance.now()
      await run(process.execPath, [svcCommand, ...generate])
      return performance.now() - begunAt
    },
  })
  await dev.stop()

  const above = (/** @type {number[]} */ values) => values.map((one, round) => one - (memory.idle[round] ?? Number.NaN))
  const memoryRow = (/** @type {string} */ what, /** @type {number[]} */ values) => ({
    what,
    against: '`svc docs count`',
    values: above(values),
    target: { atMost: 80 },
    unit: ' MB more',
    figures: `${rounded(median(values))} MB, ${rounded(median(memory.idle))} MB`,
  })
  return [
    memoryRow('most memory, `svc docs import` of 100,000', memory.imports),
    memoryRow('most memory, `svc docs export` of 100,000', memory.exports),
    {
      what: '`iterate` over 100,000',
      against: 'paging by hand with keys',
      values: ratios(times.iterate, times.byHand),
      target: { atMost: 1.1 },
      figures: `${rounded(median(times.iterate))} ms, ${rounded(median(times.byHand))} ms`,
    },
    {
      what: '`svc types generate --all` of 100,000, with the start of the command',
      against: '`iterate`',
      values: ratios(times.types, times.iterate),
      target: { atMost: 2 },
      figures: `${rounded(median(times.types))} ms, ${rounded(median(times.iterate))} ms`,
    },
  ]
}

/** @param {string[]} words */
async function peakMegabytes(words) {
  const file = newPath()
  await run(process.execPath, ['--import', peakMemory, svcCommand, ...words, '--yes', '--quiet'], {
    env: { ...process.env, SVC_BENCH_PEAK: file },
  })
  return Number(await readFile(file, 'utf8'))
}

/** The same loop without the client. @param {import('../tools/dev.js').Dev} dev */
async function* pagesByHand({ url, headers }) {
  for (let last = ''; ; ) {
    const query = `limit=${pageSize}&count=false&orderBy=id&order=asc${last === '' ? '' : `&id__gt=${last}`}`
    const response = await fetch(`${url}/collections/posts?${query}`, { headers })
    const { documents } = /** @type {{ documents: { id: string }[] }} */ (await response.json())
    yield* documents
    if (documents.length < pageSize) return
    last = documents.at(-1)?.id ?? ''
  }
}

/** @param {AsyncIterable<unknown>} all */
async function timed(all) {
  const begunAt = performance.now()
  let seen = 0
  for await (const _ of all) seen += 1
  if (seen !== documents) throw new Error(`There were ${seen} documents.`)
  return performance.now() - begunAt
}
