/** Measures creates in a collection with a unique field against one without. Contract 13.2. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { openPoster } from '../tools/poster.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 16
const creates = 200

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  const slug = { type: 'string', unique: true }
  await dev.ask('POST', '/collections', { name: 'plain' })
  await dev.ask('POST', '/collections', { name: 'unique', schema: { slug } })
  let number = 0
  const body = () => JSON.stringify({ slug: `post-${number++}`, title: 'Hello', text: 'x'.repeat(200) })
  const createIn = (/** @type {string} */ name) => async () => {
    const poster = openPoster({ port: dev.port, path: `/collections/${name}`, headers: dev.headers, body })
    const begunAt = performance.now()
    let left = creates
    const work = async () => {
      while (left-- > 0) await poster.post()
    }
    await Promise.all(Array.from({ length: connections }, work))
    poster.close()
    return (creates / (performance.now() - begunAt)) * 1_000
  }
  const paces = await inTurns({ plain: createIn('plain'), unique: createIn('unique') }, { rounds: 31 })
  await dev.stop()

  return [
    {
      what: 'documents created in a collection with a unique field',
      against: 'a collection without one',
      values: ratios(paces.unique, paces.plain),
      target: { atLeast: 0.8 },
      figures: `${rounded(median(paces.unique))}/s, ${rounded(median(paces.plain))}/s`,
    },
  ]
}
