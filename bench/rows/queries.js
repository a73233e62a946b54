/** Measures lists that select fields, and lists sorted by several fields without an index. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 20
const milliseconds = 3_000
const documents = 10_000

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  const load = await startLoad()
  await fill(dev, 'articles', article)
  // Without the fields in the newest thousand documents, the emulator creates no index on them.
  await fill(dev, 'games', (number) => (number < documents - 1_000 ? game(number) : {}))
  const list = (/** @type {string} */ path) => async () => {
    const asks = [{ method: 'GET', path: `/collections/${path}`, headers: dev.headers }]
    return (await load.drive({ port: dev.port, connections, milliseconds, asks })).perSecond
  }
  const select = await inTurns({ whole: list('articles'), selected: list('articles?select=title,views') })
  const sort = await inTurns({ one: list('games?sort=level'), three: list('games?sort=level,-points,name') })
  await Promise.all([dev.stop(), load.stop()])

  /** @param {string} what @param {string} against @param {number[]} ours @param {number[]} theirs @param {number} atLeast */
  const row = (what, against, ours, theirs, atLeast) => ({
    ...{ what, against, values: ratios(ours, theirs), target: { atLeast } },
    figures: `${rounded(median(ours))}/s, ${rounded(median(theirs))}/s`,
  })
  return [
    row('list with two selected fields, 20 of 10,000', 'whole documents of 5 KB', select.selected, select.whole, 1.3),
    row('list sorted by three fields, 10,000 documents', 'sorted by the first of them', sort.three, sort.one, 1 / 1.5),
  ]
}

/** @param {import('../tools/dev.js').Dev} dev @param {string} name @param {(number: number) => object} make */
async function fill(dev, name, make) {
  await dev.ask('POST', '/collections', { name })
  for (let first = 0; first < documents; first += 500) {
    const many = Array.from({ length: 500 }, (_, at) => make(first + at))
    await dev.ask('POST', `/collections/${name}/batch`, { documents: many })
  }
}

/** A document of 5 KB. @param {number} number */
function article(number) {
  const paragraph = (/** @type {number} */ at) =>
    `${number * 31 + at} ${Math.sin(number + at)} `.repeat(10).slice(0, 230)
  return {
    title: `Article ${number}`,
    views: (number * 7919) % 100_000,
    author: { name: `Author ${number % 50}`, city: 'Zürich' },
    tags: ['news', 'how-to'],
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`paragraph${at}`, paragraph(at)])),
  }
}

/** @param {number} number */
function game(number) {
  return { level: number % 3, points: (number * 7919) % 1_000, name: `Player ${number}` }
}
