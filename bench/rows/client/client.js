/** The size of the client in an app's bundle. */

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { rounded } from '../../tools/rounds.js'
import { measure as measureReact } from './react.js'

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const input = fileURLToPath(new URL('../../../dist/client/index.js', import.meta.url))
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    output: { minify: true, codeSplitting: false },
  })
  const [{ code }] = output
  return [
    {
      what: 'client, everything, gzip',
      against: '–',
      values: [gzipSync(code, { level: 9 }).length / 1_024],
      target: { atMost: 10 },
      unit: ' KB',
      figures: `${rounded(code.length / 1_024)} KB before gzip`,
    },
    ...(await measureReact()),
  ]
}
