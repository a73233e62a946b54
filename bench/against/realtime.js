/** Compares deliveries to 1,000 subscribers with an earlier build. */
import { listening, startListeners } from '../tools/listening.js'
import { post } from '../tools/posts.js'
import { inPairs, withBoth } from './pairs.js'

const subscribers = 1_000
const milliseconds = 1_000
/** Documents in flight at once. */
const atOnce = 4

/** @typedef {import('./pairs.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row */

/** @param {import('./pairs.js').Builds} builds @param {number} pairs @returns {Promise<Row[]>} */
export function measureRealtime(builds, pairs) {
  return withBoth(builds, async (before, now) => {
    for (const dev of [before, now]) await dev.ask('POST', '/collections', { name: 'posts' })
    return [await deliveries('websocket', before, now, pairs), await deliveries('event stream', before, now, pairs)]
  })
}

/**
 * Creates documents as fast as all subscribers can receive them: each waits until everyone has the ones before.
 *
 * @param {'websocket' | 'event stream'} kind @param {Dev} before @param {Dev} now @param {number} pairs
 */
async function deliveries(kind, before, now, pairs) {
  const [formers, ours] = await Promise.all([startListeners(), startListeners()])
  await formers.open(listening(before, kind, subscribers))
  await ours.open(listening(now, kind, subscribers))
  const pace =
    (/** @type {typeof ours} */ listeners, /** @type {Dev} */ { port, headers }) =>
    async () => {
      const drive = { port, path: '/collections/posts', headers, body: JSON.stringify(post(1)) }
      return (await listeners.drive({ drive, milliseconds, atOnce })).deliveriesPerSecond
    }
  const row = await inPairs({
    ...{ what: `deliveries to ${subscribers} subscribers, ${kind}`, unit: '/s', isRate: true, pairs },
    before: pace(formers, before),
    now: pace(ours, now),
  })
  await Promise.all([formers.stop(), ours.stop()])
  return row
}
