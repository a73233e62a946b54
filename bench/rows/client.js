/** Measures the client's size in an app's bundle. */
import { fileURLToPath } from 'node:url'
import { sizeOfClient } from '../tools/bundle.js'
import { rounded } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const { minified, zipped } = await sizeOfClient(fileURLToPath(new URL('../../', import.meta.url)))
  return [
    {
      what: 'client, everything, gzip',
      against: '–',
      values: [zipped],
      target: { atMost: 11 },
      unit: ' KB',
      figures: `${rounded(minified)} KB before gzip`,
    },
  ]
}
