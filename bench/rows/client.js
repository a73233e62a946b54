/** What an app that uses the client carries to its users. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const input = fileURLToPath(new URL('../../dist/client/index.js', import.meta.url))
  const files = async (/** @type {boolean} */ codeSplitting) => {
    const options = { input, write: false, platform: /** @type {const} */ ('browser') }
    const { output } = await build({ ...options, output: { minify: true, codeSplitting } })
    return output
  }
  const [whole] = await files(false)
  const split = await files(true)
  const chunks = split.filter((file) => file.type === 'chunk')
  // What the first file imports at once is loaded with it; what it imports when needed is not.
  const atOnce = new Set([split[0].fileName])
  for (const name of atOnce) {
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) atOnce.add(next)
  }
  const first = chunks.map(({ fileName, code }) => (atOnce.has(fileName) ? code : '')).join('')
  return [row('client, what an app loads at once, gzip', first), row('client, everything, gzip', whole.code)]
}

/** @param {string} what @param {string} code @returns {import('../tools/table.js').Row} */
function row(what, code) {
  return {
    what,
    against: '–',
    values: [gzipSync(code, { level: 9 }).length / 1_024],
    target: { atMost: 10 },
    unit: ' KB',
    figures: `${rounded(code.length / 1_024)} KB before gzip`,
  }
}
