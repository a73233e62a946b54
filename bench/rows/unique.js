/** Measures unique fields and links: creates with them, a million unique values, and deletions with dependants. Contract 13.2 and 13.3. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { loadCollections } from '../tools/load-collections.js'
import { openPoster } from '../tools/poster.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 16
const creates = 200
const dependants = 1_000
/** Fewer for a quick look, for example `UNIQUE_MOST=100000`. */
const most = Number(process.env.UNIQUE_MOST ?? 1_000_000)
const few = 1_000

const slug = { type: 'string', unique: true }

/** @typedef {import('../tools/dev.js').Dev} Dev */

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  return [...(await measureCreates()), ...(await measureGrowth()), ...(await measureDeletions())]
}

/** Returns creates per second. @param {Dev} dev @param {string} name @param {() => object} body */
async function createMany(dev, name, body) {
  const options = { port: dev.port, path: `/collections/${name}`, headers: dev.headers }
  const poster = openPoster({ ...options, body: () => JSON.stringify(body()) })
  const begunAt = performance.now()
  let left = creates
  const work = async () => {
    while (left-- > 0) await poster.post()
  }
  await Promise.all(Array.from({ length: connections }, work))
  poster.close()
  return (creates / (performance.now() - begunAt)) * 1_000
}

/** @returns {Promise<import('../tools/table.js').Row[]>} */
async function measureCreates() {
  const dev = await startDev(newPath())
  const board = { type: 'link', to: 'boards' }
  await dev.ask('POST', '/collections', { name: 'boards' })
  await dev.ask('POST', '/collections', { name: 'plain' })
  await dev.ask('POST', '/collections', { name: 'unique', schema: { slug } })
  await dev.ask('POST', '/collections', { name: 'linked', schema: { slug, board } })
  const { id } = await dev.ask('POST', '/collections/boards', {})
  let number = 0
  const body = () => ({ slug: `post-${number++}`, board: id, title: 'Hello', text: 'x'.repeat(200) })
  const createIn = (/** @type {string} */ name) => () => createMany(dev, name, body)
  const measured = { plain: createIn('plain'), unique: createIn('unique'), linked: createIn('linked') }
  const paces = await inTurns(measured, { rounds: 31 })
  await dev.stop()

  const figures = (/** @type {number[]} */ pace) => `${rounded(median(pace))}/s, ${rounded(median(paces.plain))}/s`
  return [
    {
      what: 'documents created in a collection with a unique field',
      against: 'a collection without one',
      values: ratios(paces.unique, paces.plain),
      target: { atLeast: 0.8 },
      figures: figures(paces.unique),
    },
    {
      what: 'documents created in a collection with a unique field and a link',
      against: 'a collection without them',
      values: ratios(paces.linked, paces.plain),
      target: { atLeast: 0.8 },
      figures: figures(paces.linked),
    },
  ]
}

/** @returns {Promise<import('../tools/table.js').Row[]>} */
async function measureGrowth() {
  const folder = newPath()
  await loadCollections(folder, { few, most })
  const dev = await startDev(folder)
  // Unique values are taken when the rule is set.
  for (const name of ['few', 'most']) await dev.ask('PATCH', `/collections/${name}`, { schema: { title: slug } })
  let number = 0
  const createIn = (/** @type {string} */ name) => () => createMany(dev, name, () => ({ title: `fresh-${number++}` }))
  const paces = await inTurns({ few: createIn('few'), most: createIn('most') }, { rounds: 15 })
  await dev.stop()

  return [
    {
      what: `time to create with a unique field among ${most.toLocaleString('en')} documents`,
      against: `among ${few.toLocaleString('en')}`,
      values: ratios(paces.few, paces.most),
      target: { atMost: 1.2 },
      figures: `${rounded(median(paces.most))}/s, ${rounded(median(paces.few))}/s`,
    },
  ]
}

/** @returns {Promise<import('../tools/table.js').Row[]>} */
async function measureDeletions() {
  const dev = await startDev(newPath())
  await dev.ask('POST', '/collections', { name: 'boards' })
  const board = { type: 'link', to: 'boards', onDelete: 'delete' }
  await dev.ask('POST', '/collections', { name: 'cards', schema: { board } })
  await dev.ask('POST', '/collections', { name: 'plain' })
  const fill = async (/** @type {string} */ name, /** @type {object} */ document) => {
    const answer = await dev.ask('POST', `/collections/${name}/batch`, { documents: Array(dependants).fill(document) })
    return /** @type {{ id: string }[]} */ (answer.documents ?? answer).map(({ id }) => id)
  }
  const timed = async (/** @type {() => Promise<unknown>} */ work) => {
    const begunAt = performance.now()
    await work()
    return (dependants / (performance.now() - begunAt)) * 1_000
  }
  const text = 'x'.repeat(200)
  const paces = await inTurns(
    {
      async cascade() {
        const { id } = await dev.ask('POST', '/collections/boards', {})
        await fill('cards', { board: id, text })
        return timed(() => dev.ask('DELETE', `/collections/boards/${id}`))
      },
      async batch() {
        const ids = await fill('plain', { board: 'a'.repeat(36), text })
        return timed(() => dev.ask('POST', '/collections/plain/batch/documents/delete', { document_ids: ids }))
      },
    },
    { rounds: 15 },
  )
  await dev.stop()

  return [
    {
      what: 'documents deleted with the one that they link to, 1,000 each',
      against: 'a batch deletion of 1,000',
      values: ratios(paces.cascade, paces.batch),
      target: { atLeast: 0.5 },
      figures: `${rounded(median(paces.cascade))}/s, ${rounded(median(paces.batch))}/s`,
    },
  ]
}
