/** What an app that uses the client loads. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundle } from '../fixtures/packages/bundle.js'

const entry = fileURLToPath(new URL('../../client/index.ts', import.meta.url))
const client = fileURLToPath(new URL('../../client/', import.meta.url))

it('is one file of at most 10.5 KB, made of nothing but its own', async () => {
  const { code, modules, imports } = await bundle(entry, { minify: true })

  expect(imports).toEqual([])
  expect(modules.filter((path) => !path.startsWith(client))).toEqual([])
  expect(code).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(code).length).toBeLessThanOrEqual(10_752)
})
