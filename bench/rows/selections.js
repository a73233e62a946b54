/** Measures parts of documents and orders by several fields against whole documents and one field. Contract 13.4, 13.5. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { posts } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 50
const milliseconds = 3_000
const documents = 10_000
const listsPerRound = 4
const rounds = 5
/** Each list sorts by fields of its own, because a field that several lists sort by gets an index. */
const fieldsOfEachKind = (rounds + 1) * listsPerRound

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  const load = await startLoad()
  await dev.ask('POST', '/collections', { name: 'pages' })
  const body = 'x'.repeat(4 * 1024)
  for (let first = 0; first < documents; first += 1_000) {
    const batch = posts(1_000, first).map((post, at) => ({ ...post, ...sortFields(first + at), body }))
    await dev.ask('POST', '/collections/pages/batch', { documents: batch })
  }
  const { documents: found } = await dev.ask('GET', '/collections/pages?limit=1&select=title,views')
  const shown = Object.keys(found[0]?.data ?? {}).sort()
  if (shown.join() !== 'title,views') throw new Error(`"select" gives the fields ${shown.join(', ')}.`)

  const drive = (/** @type {string} */ query) => {
    const asks = Array.from({ length: 50 }, (_, at) => ({
      ...{ method: 'GET', path: `/collections/pages?limit=20&offset=${at * 20}${query}`, headers: dev.headers },
    }))
    return async () => (await load.drive({ port: dev.port, connections, milliseconds, asks })).perSecond
  }
  const parts = await inTurns({ whole: drive(''), selected: drive('&select=title,views') })
  const timeLists = (/** @type {(at: number) => string} */ toSort) => {
    let at = 0
    return async () => {
      const begunAt = performance.now()
      for (let list = 0; list < listsPerRound; list++) {
        await dev.ask('GET', `/collections/pages?limit=20&sort=${toSort(at++)}`)
      }
      return (performance.now() - begunAt) / listsPerRound
    }
  }
  const sorts = await inTurns(
    { one: timeLists((at) => `-few${at}`), three: timeLists((at) => `-stage${at},more${at},-many${at}`) },
    { rounds },
  )
  await Promise.all([dev.stop(), load.stop()])

  return [
    {
      what: 'two selected fields of documents of 5 KB, pages of 20 of 10,000',
      against: 'whole documents',
      values: ratios(parts.selected, parts.whole),
      target: { atLeast: 1.3 },
      figures: `${rounded(median(parts.selected))}/s, ${rounded(median(parts.whole))}/s`,
    },
    {
      what: 'time of a list by three fields, the first with three values, of 10,000 documents without indexes',
      against: 'one sort field',
      values: ratios(sorts.three, sorts.one),
      target: { atMost: 1.5 },
      figures: `${rounded(median(sorts.three))} ms, ${rounded(median(sorts.one))} ms`,
    },
  ]
}

/** @param {number} number */
function sortFields(number) {
  const fields = Array.from({ length: fieldsOfEachKind }, (_, at) => ({
    [`few${at}`]: number % 3,
    [`stage${at}`]: number % 3,
    [`more${at}`]: number % 100,
    [`many${at}`]: (number * 7919) % documents,
  }))
  return Object.assign({}, ...fields)
}
