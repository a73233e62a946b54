import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { withPublishedClient } from '../../scripts/client-package.js'

/** Returns a module's minified size in an app's bundle, in KB. @param {string} input */
export async function sizeOfBundle(input) {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    output: { minify: true, codeSplitting: false },
  })
  const [{ code }] = output
  return measureSize(code)
}

/** Returns the size of the published client, in KB. @param {string} root */
export async function sizeOfClient(root) {
  return measureSize(await withPublishedClient(root, (path) => readFile(path, 'utf8')))
}

/** @param {string} code */
function measureSize(code) {
  return { minified: code.length / 1_024, zipped: gzipSync(code, { level: 9 }).length / 1_024 }
}
