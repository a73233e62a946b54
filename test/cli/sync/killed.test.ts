/** A pull or a push that was killed between the answer and its own note of it, where it created a document again. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../client/index.js'
import { idOf, openTwoServices, staging, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let here: TwoServices['here']
let there: TwoServices['there']

beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, here, there } = two)
  await there.collections.create({ name: 'posts' })
  const one = await there.collection('posts').create({ title: 'One' })
  await there.collection('posts').create({ title: 'Two', next: one.id })
  await world.json(['pull', ...staging])
})
afterEach(() => two.close())

/** Leaves the files of pairs as a kill -9 does: the last thing in them is what was announced. */
function cutNotes(): void {
  const folder = join(world.folder, 'config', 'pairs')
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const lines = readFileSync(path, 'utf8').split('\n')
    const last = lines.findLastIndex((line) => line.startsWith('{"pending"'))
    if (last !== -1) writeFileSync(path, `${lines.slice(0, last + 1).join('\n')}\n{"local`)
  }
}

async function titlesOf(client: Client): Promise<unknown[]> {
  return (await client.collection('posts').list({ sort: 'title' })).items.map(({ data }) => data.title)
}

/** "Two" refers to "One". */
async function expectLinked(client: Client): Promise<void> {
  const linked = await client.collection('posts').get(await idOf(client, 'posts', 'Two'))
  expect(linked.data.next).toBe(await idOf(client, 'posts', 'One'))
}

test('a pull that was killed creates a document that was deleted here no second time', async () => {
  await here.collection('posts').delete(await idOf(here, 'posts', 'One'))
  await world.json(['pull', ...staging])
  cutNotes()

  const again = await world.json(['pull', ...staging])
  const pushed = await world.json(['push', ...staging])

  expect(again).toMatchObject({ created: 0, refused: [] })
  expect(pushed).toMatchObject({ created: 0, updated: 0 })
  for (const client of [here, there]) expect(await titlesOf(client)).toEqual(['One', 'Two'])
  await expectLinked(here)
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('a push --force that was killed creates a document that was deleted there no second time', async () => {
  const one = await idOf(there, 'posts', 'One')
  await there.collection('posts').delete(one)
  await world.json(['push', ...staging, '--force'])
  // No link is written yet.
  await there.collection('posts').update(await idOf(there, 'posts', 'Two'), { next: one })
  cutNotes()

  const again = await world.json(['push', ...staging, '--force'])
  const pulled = await world.json(['pull', ...staging])

  expect(again).toMatchObject({ created: 0, updated: 1, refused: [] })
  expect(pulled).toMatchObject({ created: 0, updated: 0 })
  for (const client of [here, there]) expect(await titlesOf(client)).toEqual(['One', 'Two'])
  await expectLinked(there)
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('a push that gets the answer of one that was killed says how many documents are not there, and creates them the next time', async () => {
  await here.collection('posts').createMany([{ title: 'Three' }, { title: 'Four' }])
  await world.json(['push', ...staging])
  cutNotes()
  for (const title of ['Three', 'Four']) await there.collection('posts').delete(await idOf(there, 'posts', title))

  const replayed = await world.svc(['push', ...staging, '--json'])
  const before = await titlesOf(there)
  const again = await world.json(['push', ...staging])

  expect(replayed.exit).toBe(1)
  expect(replayed.stdout + replayed.stderr).toContain('2 of 2 documents that it acknowledged as created are not there')
  expect(before).toEqual(['One', 'Two'])
  expect(again).toMatchObject({ created: 2, refused: [] })
  expect(await titlesOf(there)).toEqual(['Four', 'One', 'Three', 'Two'])
})
