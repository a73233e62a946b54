/** Measures how each operation slows down as its collection grows from a thousand to a million documents. */
import { startDev, untilIndexed } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { loadCollections } from '../tools/load-collections.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

/** Stops earlier with `GROWTH_MOST=100000`. */
const most = Number(process.env.GROWTH_MOST ?? 1_000_000)
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= most)
const rounds = 5
/** A round is the median of several requests, because a single one is too short to compare. */
const requestsPerRound = 15

/**
 * @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row
 * @typedef {{ path: string, size: number, ids: string[], turn: number }} Collection
 * @typedef {(dev: Dev, collection: Collection) => Promise<unknown>} Operation
 */

const document = { title: 'Post', rare: 7, group: 7, amount: 0.5, status: 'draft', text: 'x'.repeat(160) }

/** @param {(size: number) => string} query @returns {Operation} */
const list = (query) => (dev, collection) => dev.ask('GET', collection.path + query(collection.size))

/** Returns a document created by an earlier operation. @param {Collection} collection */
const some = ({ path, ids, turn }) => `${path}/${ids[turn % ids.length]}`

/**
 * Operations, with their maximum slowdown compared to a thousand documents. @type {readonly (readonly [string,
 * Operation, number])[]}
 */
const operations = [
  ['get by id', (dev, collection) => dev.ask('GET', some(collection)), 1.5],
  ['first page, newest, total', list(() => '?limit=20'), 1.5],
  ['equality on 2 %, sort, total', list(() => '?group=7&orderBy=amount&limit=20'), 5],
  ['range of 1 %, total', list(() => '?amount__gte=0.99&limit=20'), 5],
  ['range of 1 % between two bounds, total', list(() => '?amount__gte=0.5&amount__lt=0.51&limit=20'), 5],
  ['range of 50 %, total', list(() => '?amount__gte=0.5&limit=20'), 30],
  ['page at 90 % by offset', list((size) => `?limit=20&offset=${Math.floor(size * 0.9)}`), 20],
  ['count', list(() => '?limit=0'), 1.5],
  ['create', create, 1.5],
  ['update', (dev, collection) => dev.ask('PATCH', some(collection), { amount: collection.turn }), 1.5],
  ['delete', remove, 1.5],
]

/** @type {Operation} */
async function create(dev, collection) {
  const { id } = await dev.ask('POST', collection.path, document)
  return collection.ids.push(id)
}

/** @type {Operation} */
async function remove(dev, collection) {
  return dev.ask('DELETE', `${collection.path}/${collection.ids.pop()}`)
}

/** @returns {Promise<Row[]>} */
export async function measure() {
  const folder = newPath()
  await loadCollections(folder, Object.fromEntries(sizes.map((size) => [collectionName(size), size])))
  const dev = await startDev(folder)
  try {
    const collections = []
    for (const size of sizes) collections.push(await fillCollection(dev, size))
    for (const [, operation] of operations.slice(0, 8)) await warm(dev, collections, operation)
    const rows = []
    for (const operation of operations) rows.push(...(await measureRows(dev, collections, operation)))
    return rows
  } finally {
    await dev.stop()
  }
}

/** @param {number} size */
function collectionName(size) {
  return `of-${size}`
}

/** @param {Dev} dev @param {number} size @returns {Promise<Collection>} */
async function fillCollection(dev, size) {
  const path = `/collections/${collectionName(size)}`
  // As many as are deleted, plus some to get and change.
  const ids = []
  for (let at = 0; at < 10; at++) ids.push((await dev.ask('POST', path, document)).id)
  return { path, size, ids, turn: 0 }
}

/**
 * Measures one row per size, except the first.
 *
 * @param {Dev} dev @param {readonly Collection[]} collections @param {typeof operations[number]} operation @returns
 * {Promise<Row[]>}
 */
async function measureRows(dev, collections, [what, operation, atMost]) {
  const measurements = Object.fromEntries(
    collections.map((collection) => [collectionName(collection.size), () => measureTime(dev, collection, operation)]),
  )
  /** @type {Map<number, number[]>} */
  const times = new Map(sizes.map((size) => [size, []]))
  for (let round = 0; round < rounds; round++) {
    const results = await inTurns(measurements, { rounds: requestsPerRound, warmUps: 2 })
    for (const size of sizes) times.get(size)?.push(median(results[collectionName(size)] ?? []))
  }
  const [least = 0, ...others] = sizes
  const small = times.get(least) ?? []
  return others.map((size) => {
    const large = times.get(size) ?? []
    return {
      what: `${what}, ${size.toLocaleString('en')} documents`,
      against: `${least.toLocaleString('en')} documents`,
      values: ratios(large, small),
      target: { atMost },
      figures: `${rounded(median(large))} ms, ${rounded(median(small))} ms`,
    }
  })
}

/** @param {Dev} dev @param {Collection} collection @param {Operation} operation */
async function measureTime(dev, collection, operation) {
  collection.turn++
  const begunAt = performance.now()
  await operation(dev, collection)
  return performance.now() - begunAt
}

/**
 * Queries until the service has created the indexes. @param {Dev} dev @param {readonly Collection[]} collections
 * @param {Operation} operation
 */
async function warm(dev, collections, operation) {
  for (const collection of collections) for (let times = 0; times < 6; times++) await operation(dev, collection)
  await untilIndexed(dev)
}
