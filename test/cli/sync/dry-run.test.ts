/** `--dry-run` of commands that plan: it shows what they would do, and writes nothing. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTwoServices, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let here: TwoServices['here']
let there: TwoServices['there']
beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, here, there } = two)
})
afterEach(() => two.close())

const dry = ['--profile', 'staging', '--dry-run']

test('a push and a pull answer their plan without a question, and write nothing', async () => {
  await here.collections.create({ name: 'posts' })
  await here.collection('posts').createMany([{ title: 'Tea' }, { title: 'Milk' }])
  await there.collections.create({ name: 'notes' })
  await there.collection('notes').create({ title: 'Bread' })

  const [push, pull] = [await world.json(['push', ...dry]), await world.json(['pull', ...dry])]

  expect(push).toMatchObject({
    isPlan: true,
    newCollections: ['posts'],
    collections: [{ collection: 'posts', create: 2, update: 0, delete: 0 }],
  })
  expect(pull).toMatchObject({
    isPlan: true,
    newCollections: ['notes'],
    collections: [{ collection: 'notes', create: 1, update: 0, delete: 0 }],
  })
  expect((await there.collections.list()).map(({ name }) => name)).toEqual(['notes'])
  expect((await here.collections.list()).map(({ name }) => name)).toEqual(['posts'])
})

test('an import counts its rows and names the unreadable ones, and sends nothing', async () => {
  await here.collections.create({ name: 'posts' })
  await writeFile(join(world.folder, 'rows.ndjson'), '{"a":1}\nnonsense\n{"a":2}\n')

  const plan = await world.json(['docs', 'import', 'posts', 'rows.ndjson', '--dry-run'])

  expect(plan).toEqual({
    ...{ isPlan: true, records: 2, unreadable: 1 },
    files: [
      {
        ...{ file: 'rows.ndjson', records: 2, unreadable: 1 },
        problems: [{ line: 2, problem: expect.stringContaining('not JSON') }],
      },
    ],
  })
  expect(await here.collection('posts').count()).toBe(0)
  expect(existsSync(join(world.folder, 'posts.refused.ndjson'))).toBe(false)
})
