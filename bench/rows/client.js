/** What an app that uses the client carries to its users. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundle } from '../tools/peers.js'
import { rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const code = await bundle(fileURLToPath(new URL('../../dist/client/index.js', import.meta.url)))
  return [
    {
      what: 'client, everything, gzip',
      against: '–',
      values: [gzipSync(code, { level: 9 }).length / 1_024],
      target: { atMost: 10 },
      unit: ' KB',
      figures: `${rounded(code.length / 1_024)} KB before gzip`,
    },
  ]
}
