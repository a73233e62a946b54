/** The size of the client in an app's bundle. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { publishedEntry, withPublishedClient } from '../../scripts/client-package.js'
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

it.each([
  ['deployed/index', 3 * 1_024, []],
  ['store/index', 6 * 1_024, []],
  ['offline/index', 5 * 1_024, []],
  ['react/index', 2 * 1_024, ['react']],
  ['server', 3 * 1_024, ['index.ts']],
  ['vue/index', 2 * 1_024, ['vue']],
  ['svelte/index', 2 * 1_024, ['svelte', 'svelte/reactivity']],
])(
  'has the entry %s in at most %i bytes beside it, which loads its framework or the client alone',
  async (entry, maxBytes, packages) => {
    const { code, imports } = await publishedEntry(root, entry)
    const core = await withPublishedClient(root, (path) => readFile(path, 'utf8'))

    expect(imports.filter((path) => !/^[./]/.test(path)).sort()).toEqual(packages)
    // An app puts both into one file, which has what they share only once after compression.
    expect(gzipSync(core + code).length - gzipSync(core).length).toBeLessThanOrEqual(maxBytes)
  },
)

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
