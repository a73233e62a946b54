/** How long commands take, against a Node that does nothing. */
import { svcCommand, timeOf } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { fill } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  await fill(dev, 'posts', 100)
  const env = { ...process.env, SVC_URL: dev.url, SVC_API_KEY: dev.apiKey }
  const { nothing, version, help, list } = await inTurns(
    {
      nothing: () => timeOf(['-e', '0']),
      version: () => timeOf([svcCommand, '--version']),
      help: () => timeOf([svcCommand, '--help']),
      list: () => timeOf([svcCommand, 'docs', 'list', 'posts'], env),
    },
    { rounds: 15, warmUps: 2 },
  )
  await dev.stop()
  const row = (/** @type {string} */ what, /** @type {number[]} */ times, /** @type {number} */ atMost) => ({
    what,
    against: '`node -e 0`',
    values: ratios(times, nothing),
    target: { atMost },
    figures: `${rounded(median(times))} ms, ${rounded(median(nothing))} ms`,
  })
  return [
    row('`svc --version`', version, 2.5),
    row('`svc --help`', help, 3),
    row('`svc docs list`, emulator running', list, 2.7),
  ]
}
