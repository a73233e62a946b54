/** What an app that uses the client carries to its users. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const input = fileURLToPath(new URL('../../dist/client/index.js', import.meta.url))
  const files = async (/** @type {boolean} */ codeSplitting) => {
    const { output } = await build({
      input,
      write: false,
      platform: 'browser',
      // What is shared lies in the first file, as it does in an app.
      preserveEntrySignatures: 'allow-extension',
      output: { minify: true, codeSplitting },
    })
    return output[0].code
  }
  return [
    row('client, what an app loads at once, gzip', await files(true)),
    row('client, everything, gzip', await files(false)),
  ]
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
