/** `kill -9` in the middle of a save or a load: the state before or the one after, never between. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, killed, openDevs, startOwned } from '../../fixtures/dev.js'
import { killAtStatements, type Owned } from '../../fixtures/kills/at-a-statement.js'

const documents = 200
const full = { documents, texts: ['Hello'] }
const empty = { documents: 0, texts: [] }

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
  const { child, svc, control, project } = await startOwned(devs)
  await svc.collections.create({ name: 'posts' })
  await svc.collection('posts').createMany(Array.from({ length: documents }, (_, n) => ({ n })))
  await svc.files.upload(new File(['Hello'], 'letter.txt'))
  await control.snapshots.save({ project, name: 'full' })
  await killed(child)
})
afterAll(() => devs.stop())

/** The number of documents, by counts and by lists, and the content of the file. */
async function stateOf({ svc }: Owned) {
  const posts = svc.collection('posts')
  let listed = 0
  for await (const _ of posts.iterate()) listed++
  expect(listed).toBe(await posts.count())
  const { items } = await svc.files.list()
  return { documents: listed, texts: await Promise.all(items.map(async ({ url }) => (await fetch(url)).text())) }
}

it('a save is whole or was never begun, between whichever statements the process is killed', async () => {
  const statements = await killAtStatements(devs, {
    is: /^POST .*\/snapshots$/,
    async prepare({ control, project }) {
      const { snapshots } = await control.snapshots.list({ project })
      if (snapshots.length > 1) await control.snapshots.remove({ project, snapshot: 'second' })
    },
    send: ({ control, project }) => control.snapshots.save({ project, name: 'second' }),
    async isDone(dev) {
      const { control, project } = dev
      expect(await stateOf(dev)).toEqual(full)
      const { snapshots } = await control.snapshots.list({ project })
      if (snapshots.length === 1) return false
      await control.snapshots.load({ project, snapshot: 'second' })
      expect(await stateOf(dev)).toEqual(full)
      return true
    },
  })

  expect(statements).toBeGreaterThan(10)
})

it('a load is whole or was never begun, between whichever statements the process is killed', async () => {
  const statements = await killAtStatements(devs, {
    is: /^POST .*\/snapshots\/full\/load$/,
    prepare: async ({ control, project }) =>
      void (await control.projects.reset({ project, collections: ['posts'], files: true })),
    send: ({ control, project }) => control.snapshots.load({ project, snapshot: 'full' }),
    async isDone(dev) {
      const state = await stateOf(dev)
      expect([full, empty]).toContainEqual(state)
      return state.documents > 0
    },
  })

  expect(statements).toBeGreaterThan(10)
})
