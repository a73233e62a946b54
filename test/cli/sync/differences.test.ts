/** Differences that are none, and those beside documents: defaults that a service adds, and collections that one side lacks. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { idOf, nothing, openTwoServices, staging, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let here: TwoServices['here']
let there: TwoServices['there']

beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, here, there } = two)
})
afterEach(() => two.close())

test('a document that lacks a field with a default is the same as the one with it, and a change of either goes to the other', async () => {
  const schema = { title: { type: 'string' } } as const
  const defaults = { ...schema, status: { type: 'string', default: 'draft' } } as const
  await here.collections.create({ name: 'posts', schema })
  await here.collection('posts').createMany([{ title: 'here' }, { title: 'there' }, { title: 'same' }])
  await here.collections.update('posts', { schema: defaults })
  const diff = async () => (await world.json(['diff', '--profile', 'staging'])) as { collections: unknown[] }

  await world.json(['push', ...staging])
  const pushed = await diff()
  await here.collection('posts').update(await idOf(here, 'posts', 'here'), { body: 'mine' })
  await there.collection('posts').update(await idOf(there, 'posts', 'there'), { body: 'theirs' })
  const changed = await diff()
  await world.json(['push', ...staging])
  await world.json(['pull', ...staging])

  expect((await there.collection('posts').get(await idOf(there, 'posts', 'same'))).data.status).toBe('draft')
  expect(pushed).toMatchObject({ isSame: true, collections: [{ ...nothing, same: 3 }] })
  expect(changed.collections).toMatchObject([{ ...nothing, same: 1, changedHere: 1, changedThere: 1 }])
  expect(await diff()).toMatchObject({ isSame: true, collections: [{ ...nothing, same: 3 }] })
})

test('a default that a schema gets later is no change of the documents that lack it', async () => {
  await there.collections.create({ name: 'posts' })
  await there.collection('posts').createMany([{ title: 'here' }, { title: 'same' }])
  await world.json(['pull', ...staging])
  const schema = { status: { type: 'string', default: 'draft' } } as const
  for (const side of [here, there]) await side.collections.update('posts', { schema })
  await here.collection('posts').update(await idOf(here, 'posts', 'here'), { body: 'mine' })

  const diff = await world.json(['diff', '--profile', 'staging'])

  expect(diff).toMatchObject({ collections: [{ ...nothing, same: 1, changedHere: 1 }] })
})

test('a collection that only one side has is named, although no document differs', async () => {
  await here.collections.create({ name: 'mine' })
  await there.collections.create({ name: 'theirs' })

  const shown = await world.svc(['diff', '--profile', 'staging'])
  const json = await world.json(['diff', '--profile', 'staging'])
  const asked = await world.svc(['pull', '--profile', 'staging'])

  expect(shown).toMatchObject({
    exit: 10,
    stderr: expect.stringMatching(/Only the service has "theirs"\.\nOnly the emulator has "mine"\.\n/),
  })
  expect(json).toMatchObject({
    collections: [
      { collection: 'theirs', isHere: false, isThere: true },
      { collection: 'mine', isHere: true, isThere: false },
    ],
  })
  expect(asked.stderr).toContain('Create the missing collections')
})
