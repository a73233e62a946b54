/** The cost of delivering a change to subscribers, and of idle connections. */
import { residentMegabytes, startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { listening, startListeners, subscription } from '../tools/listening.js'
import { startLoad } from '../tools/load.js'
import { post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const subscribers = 1_000
const filtered = 100
const idle = 5_000
const stalled = 50
/** Beside these, some do not read; their documents are large, so that much is buffered for those. */
const neighbours = 100
const largeBody = JSON.stringify({ ...post(1), text: 'x'.repeat(20_000) })
const milliseconds = 3_000
/** Documents in flight at once. */
const atOnce = 4

const body = JSON.stringify(post(1))

/** @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row */

/** @returns {Promise<Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  try {
    await dev.ask('POST', '/collections', { name: 'posts' })
    return [
      await deliveries(dev, 'websocket', 'a bare ws broadcast'),
      await deliveries(dev, 'event stream', 'bare node:http writes'),
      await besideStalled(dev),
      await receipt(dev),
      await creates(dev),
      await waiting(),
    ]
  } finally {
    await dev.stop()
  }
}

/**
 * As many documents as all subscribers can receive: each is created when all have the ones before.
 *
 * @param {Dev} dev @param {'websocket' | 'event stream'} kind @param {string} against @returns {Promise<Row>}
 */
async function deliveries(dev, kind, against) {
  const bare = await startContender('contenders/broadcast.js', [await frameOf(dev)])
  const [ours, theirs] = await Promise.all([startListeners(), startListeners()])
  const open = listening(dev, kind, subscribers)
  await ours.open(open)
  await theirs.open({ ...open, port: bare.port })
  const pace = (/** @type {typeof ours} */ listeners, /** @type {number} */ port) => async () =>
    (await listeners.drive({ drive: creating(dev, port), milliseconds, atOnce })).deliveriesPerSecond
  const { svc, broadcast } = await inTurns({
    broadcast: pace(theirs, bare.port),
    svc: pace(ours, dev.port),
  })
  await Promise.all([ours.stop(), theirs.stop(), bare.stop()])
  return {
    what: `deliveries to ${rounded(subscribers)} subscribers, ${kind}`,
    against,
    values: ratios(svc, broadcast),
    target: { atLeast: 0.6 },
    figures: `${rounded(median(svc))}/s, ${rounded(median(broadcast))}/s`,
  }
}

/** @param {Dev} dev @returns {Promise<Row>} */
async function besideStalled(dev) {
  const [reading, others] = await Promise.all([startListeners(), startListeners()])
  await reading.open(listening(dev, 'websocket', neighbours))
  const drive = { ...creating(dev, dev.port), body: largeBody }
  const pace = async () => (await reading.drive({ drive, milliseconds, atOnce })).deliveriesPerSecond
  const { alone, beside } = await inTurns({
    alone: pace,
    beside: async () => {
      await others.open({ ...listening(dev, 'websocket', stalled), isStalled: true })
      // The kernels of both sides buffer some of it at first, as for any client.
      await pace()
      const perSecond = await pace()
      await others.close()
      return perSecond
    },
  })
  await Promise.all([reading.stop(), others.stop()])
  return {
    what: `deliveries of 20 KB to ${neighbours}, beside ${stalled} that do not read`,
    against: 'without them',
    values: ratios(beside, alone),
    target: { atLeast: 0.9 },
    figures: `${rounded(median(beside))}/s, ${rounded(median(alone))}/s`,
  }
}

/** From the moment a create is sent, so its commit and what comes before it are in the figure. @param {Dev} dev @returns {Promise<Row>} */
async function receipt(dev) {
  const listeners = await startListeners()
  await listeners.open(listening(dev, 'websocket', subscribers))
  const everyMilliseconds = subscribers / 10
  const rounds = []
  for (let round = -1; round < 5; round++) {
    const driven = await listeners.drive({
      drive: creating(dev, dev.port),
      milliseconds,
      atOnce: 1,
      everyMilliseconds,
    })
    if (round >= 0) rounds.push(driven)
  }
  await listeners.stop()
  return {
    what: 'p99 from create to receipt, 10,000 deliveries a second',
    against: '',
    values: rounds.map(({ p99 }) => p99),
    target: { atMost: 50 },
    unit: ' ms',
    figures: `p50 ${rounded(median(rounds.map(({ p50 }) => p50)))} ms, ${rounded(median(rounds.map(({ deliveriesPerSecond }) => deliveriesPerSecond)))}/s`,
  }
}

/** @param {Dev} dev @returns {Promise<Row>} */
async function creates(dev) {
  const [listeners, load] = await Promise.all([startListeners(), startLoad()])
  const firsts = Array.from({ length: filtered }, (_, at) =>
    subscription(dev.apiKey, 'posts', { category: `category-${at}` }),
  )
  const asks = [{ method: 'POST', path: '/collections/posts', headers: dev.headers, body }]
  const create = async () => (await load.drive({ port: dev.port, connections: 50, milliseconds, asks })).perSecond
  const { alone, filteredToo } = await inTurns({
    alone: create,
    filteredToo: async () => {
      await listeners.open({ ...listening(dev, 'websocket', filtered), firsts })
      const perSecond = await create()
      await listeners.close()
      return perSecond
    },
  })
  await Promise.all([listeners.stop(), load.stop()])
  return {
    what: `creates beside ${filtered} filtered subscriptions, one matches`,
    against: 'without them',
    values: ratios(filteredToo, alone),
    target: { atLeast: 0.5 },
    figures: `${rounded(median(filteredToo))}/s, ${rounded(median(alone))}/s`,
  }
}

/** Of a newly started service, on existing data. @returns {Promise<Row>} */
async function waiting() {
  const folder = newPath()
  const first = await startDev(folder)
  await first.ask('POST', '/collections', { name: 'posts' })
  await first.stop()
  const [dev, listeners] = await Promise.all([startDev(folder), startListeners()])
  await listeners.open(listening(dev, 'websocket', 1))
  const before = residentMegabytes(dev.pid)
  await listeners.open(listening(dev, 'websocket', idle))
  const after = residentMegabytes(dev.pid)
  await Promise.all([listeners.stop(), dev.stop()])
  return {
    what: `memory of ${rounded(idle)} idle sockets`,
    against: '',
    values: [after - before],
    target: { atMost: 400 },
    unit: ' MB',
    figures: `${rounded(before)} MB without, ${rounded(after)} MB with`,
  }
}

/** @param {Dev} dev @param {number} port */
function creating(dev, port) {
  return { port, path: '/collections/posts', headers: dev.headers, body }
}

/** An event as the service sends it, for contenders that send a constant. @param {Dev} dev */
async function frameOf(dev) {
  const { id, data, createdAt } = await dev.ask('POST', '/collections/posts', post(1))
  const document = { id, data, createdAt }
  return JSON.stringify({ type: 'event', collection: 'posts', event: 'created', seq: 100, document })
}
