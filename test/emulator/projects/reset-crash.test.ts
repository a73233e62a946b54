/** `kill -9` in the middle of a reset: the state before it or the state after it, nothing between. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs } from '../../fixtures/dev.js'
import { killAtStatements, type Owned } from '../../fixtures/kills/at-a-statement.js'

const full = { documents: 1_000, users: 1, files: 2 }
const empty = { documents: 0, users: 0, files: 0 }

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

async function fill({ svc }: Owned): Promise<void> {
  await svc.collections.create({ name: 'posts' }).catch(() => undefined)
  await svc.collection('posts').createMany(Array.from({ length: full.documents }, (_, n) => ({ n })))
  await svc.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  for (let file = 0; file < full.files; file++) await svc.files.upload(new File(['Hello'], `${file}.txt`))
}

/** Existing data, by counts and by lists. */
async function stateOf({ svc }: Owned) {
  const posts = svc.collection('posts')
  const [documents, users, files] = [
    await posts.count(),
    (await svc.users.list()).total,
    (await svc.files.info()).files,
  ]
  let listed = 0
  for await (const _ of posts.iterate()) listed++
  expect(listed).toBe(documents)
  for (const { url } of (await svc.files.list()).items) expect(await (await fetch(url)).text()).toBe('Hello')
  return { documents, users, files }
}

it('a reset is whole or was never begun, between whichever statements the process is killed', async () => {
  const statements = await killAtStatements(devs, {
    is: /^POST .*\/reset$/,
    async prepare(dev) {
      if (
        (await dev.svc
          .collection('posts')
          .count()
          .catch(() => 0)) === 0
      )
        await fill(dev)
    },
    send: ({ control, project }) =>
      control.projects.reset({ project, collections: ['posts'], users: true, files: true }),
    async isDone(dev) {
      const state = await stateOf(dev)
      expect([full, empty]).toContainEqual(state)
      return state.documents === 0
    },
  })

  expect(statements).toBeGreaterThan(10)
})
