/** What an app that uses the client loads. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundle } from '../fixtures/bundle.js'

const entry = fileURLToPath(new URL('../../client/index.ts', import.meta.url))
const client = fileURLToPath(new URL('../../client/', import.meta.url))

it('is small, and made of nothing but its own files; what few apps need is loaded when it is needed', async () => {
  const { code, later, modules, imports } = await bundle(entry, { minify: true, isSplit: true })

  expect(imports).toEqual([])
  expect(modules.filter((path) => !path.startsWith(client))).toEqual([])
  for (const file of [code, ...later]) expect(file).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(later.length).toBeGreaterThan(0)
  expect(gzipSync(code).length).toBeLessThanOrEqual(10 * 1024)
  expect(gzipSync(code + later.join('\n')).length).toBeLessThanOrEqual(12 * 1024)
})
