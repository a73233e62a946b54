/** Measures the cost of delivering a change to subscribers. */
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { listening, startListeners } from '../tools/listening.js'
import { post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const subscribers = 1_000
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
      await receipt(dev),
    ]
  } finally {
    await dev.stop()
  }
}

/**
 * Creates documents as fast as all subscribers can receive them: each waits until everyone has the ones before.
 *
 * @param {Dev} dev @param {'websocket' | 'event stream'} kind @param {string} against @returns {Promise<Row>}
 */
async function deliveries(dev, kind, against) {
  const bare = await startContender('contenders/broadcast.js', [await captureFrame(dev)])
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

/** Measures from sending the create, so the figure includes its commit. @param {Dev} dev @returns {Promise<Row>} */
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

/** @param {Dev} dev @param {number} port */
function creating(dev, port) {
  return { port, path: '/collections/posts', headers: dev.headers, body }
}

/** Captures an event frame for contenders that send a constant. @param {Dev} dev */
async function captureFrame(dev) {
  const { id, data, createdAt } = await dev.ask('POST', '/collections/posts', post(1))
  const document = { id, data, createdAt }
  return JSON.stringify({ type: 'event', collection: 'posts', event: 'created', seq: 100, document })
}
