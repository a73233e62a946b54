import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
})
afterAll(() => world.close())

test('contract 13.8 docs create --upsert updates the document that has the value, and takes no files', async () => {
  const schema = JSON.stringify({ slug: { type: 'string', unique: true } })
  await world.svc(['api', 'POST', '/collections', 'name=pages', `schema:=${schema}`])
  const upsert = (...words: string[]) => world.svc(['docs', 'create', 'pages', ...words, '--upsert', 'slug', '--json'])

  const created = JSON.parse((await upsert('slug=a', 'n:=1')).stdout)
  const updated = JSON.parse((await upsert('slug=a', 'title=A')).stdout)
  const withFile = await upsert('slug=a', '-F', 'cover=@package.json')
  const other = await world.svc(['docs', 'create', 'pages', 'slug=a', '--json'])

  expect(updated).toMatchObject({ id: created.id, version: 2, data: { slug: 'a', n: 1, title: 'A' } })
  expect(withFile.exit).not.toBe(0)
  expect(withFile.stdout).toContain('--attach')
  expect(JSON.stringify(other)).toContain('DUPLICATE_VALUE')
})
