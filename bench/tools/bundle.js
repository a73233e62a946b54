import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'

/** What a module costs an app's bundle, minified, in KB. @param {string} input */
export async function sizeOfBundle(input) {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    output: { minify: true, codeSplitting: false },
  })
  const [{ code }] = output
  return { minified: code.length / 1_024, zipped: gzipSync(code, { level: 9 }).length / 1_024 }
}
