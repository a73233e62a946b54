/** `kill -9` in the middle of a reset: the state before it or the state after it, nothing between. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs, startOwned } from '../../fixtures/dev.js'

const cycles = Number(process.env.SVC_CRASH_CYCLES ?? 3)
const full = { documents: 1_000, users: 1, files: 2 }
const empty = { documents: 0, users: 0, files: 0 }

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

type Client = Awaited<ReturnType<typeof startOwned>>['svc']

async function fill(svc: Client): Promise<void> {
  for (let at = 0; at < full.documents; at += 1_000) {
    await svc.collection('posts').createMany(Array.from({ length: 1_000 }, (_, n) => ({ n: at + n })))
  }
  await svc.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  for (let file = 0; file < full.files; file++) await svc.files.upload(new File(['Hello'], `${file}.txt`))
}

/** What exists, by counts and by lists. */
async function stateOf(svc: Client) {
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

it(`a reset is whole or was never begun, after each of ${cycles} kills`, {
  timeout: 60_000 + cycles * 60_000,
}, async () => {
  for (let cycle = 0; cycle <= cycles; cycle++) {
    const { child, svc, control, project } = await startOwned(devs)
    if (cycle === 0) await svc.collections.create({ name: 'posts' })
    const state = await stateOf(svc)
    expect([full, empty]).toContainEqual(state)
    if (cycle === cycles) break
    if (state.documents === 0) await fill(svc)

    const resetting = control.projects.reset({ project, collections: ['posts'], users: true, files: true })
    const settled = resetting.catch(() => undefined)
    await pause(Math.random() * 30)
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await died
    await settled
  }
})
