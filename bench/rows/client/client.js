/** The size of the client in an app's bundle. */

import { fileURLToPath } from 'node:url'
import { sizeOfBundle } from '../../tools/bundle.js'
import { rounded } from '../../tools/rounds.js'
import { measure as measureReact } from './react.js'

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const input = fileURLToPath(new URL('../../../dist/client/index.js', import.meta.url))
  const { minified, zipped } = await sizeOfBundle(input)
  return [
    {
      what: 'client, everything, gzip',
      against: '–',
      values: [zipped],
      target: { atMost: 10 },
      unit: ' KB',
      figures: `${rounded(minified)} KB before gzip`,
    },
    ...(await measureReact()),
  ]
}
