import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { bundleClient } from '../../scripts/client-package.js'

/** What a module costs an app's bundle, minified, in KB. @param {string} input */
export async function sizeOfBundle(input) {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    output: { minify: true, codeSplitting: false },
  })
  const [{ code }] = output
  return sizeOf(code)
}

/** What the published client is, in KB. @param {string} root */
export async function sizeOfClient(root) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-client-'))
  try {
    await bundleClient(root, 'esm', folder, '.mjs')
    return sizeOf(await readFile(join(folder, 'index.mjs'), 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @param {string} code */
function sizeOf(code) {
  return { minified: code.length / 1_024, zipped: gzipSync(code, { level: 9 }).length / 1_024 }
}
