/** The size of the client in an app's bundle. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { withPublishedClient } from '../../scripts/client-package.js'
import { bundle } from '../fixtures/packages/bundle.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const entry = fileURLToPath(new URL('../../client/index.ts', import.meta.url))
const client = fileURLToPath(new URL('../../client/', import.meta.url))

// Dialect d takes 0.75 KB: the deployed service pages, creates and deletes in other ways.
it('is one file of at most 13 KB with gzip at level 9, without other packages', async () => {
  const { modules, imports } = await bundle(entry)
  const code = await withPublishedClient(root, (path) => readFile(path, 'utf8'))

  expect(imports).toEqual([])
  expect(modules.filter((path) => !path.startsWith(client))).toEqual([])
  expect(code).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(13 * 1_024)
})

it('has hooks for React in at most 3,200 bytes beside it, which load React alone', async () => {
  const { code, imports } = await bundle(fileURLToPath(new URL('../../client/react/index.ts', import.meta.url)), {
    minify: true,
  })

  expect(imports).toEqual(['react'])
  expect(gzipSync(code).length).toBeLessThanOrEqual(3_200)
})

it('has extensions in at most 4 KB beside it, which load nothing else', async () => {
  const { code, imports } = await bundle(fileURLToPath(new URL('../../client/extensions.ts', import.meta.url)), {
    minify: true,
  })

  expect(imports).toEqual([])
  expect(gzipSync(code).length).toBeLessThanOrEqual(4 * 1_024)
})

it('decodes answers and encodes requests, and leaves the other half of the wire to the service', async () => {
  const { modules } = await bundle(entry)

  const ofAxes = modules.flatMap(
    (path) => /protocol\/wire\/([\w-]+)\/([\w-]+)\.ts$/.exec(path)?.slice(1, 3).join('/') ?? [],
  )
  const requests = ['body', 'filters', 'order', 'paths', 'query']
  const halves = ofAxes.filter((path) => /\/(schema|encode|decode)$/.test(path))
  expect(halves.length).toBeGreaterThan(8)
  expect(halves.filter((path) => path !== halfOf(path.split('/')[0] ?? '', requests))).toEqual([])
  expect(modules.filter((path) => /wire\/(axes|dialects|json-schema)\.ts$/.test(path))).toEqual([])
})

function halfOf(axis: string, requests: readonly string[]): string {
  return `${axis}/${requests.includes(axis) ? 'encode' : 'decode'}`
}
