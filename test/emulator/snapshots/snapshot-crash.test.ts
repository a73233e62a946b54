/** `kill -9` in the middle of a save or a load: the state before or the one after, never between. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs, startOwned } from '../../fixtures/dev.js'

const cycles = Number(process.env.SVC_CRASH_CYCLES ?? 3)
const documents = 1_000

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

type Dev = Awaited<ReturnType<typeof startOwned>>

/** The number of documents, by counts and by lists, and the content of the file. */
async function stateOf({ svc }: Dev) {
  const posts = svc.collection('posts')
  let listed = 0
  for await (const _ of posts.iterate()) listed++
  expect(listed).toBe(await posts.count())
  const { items } = await svc.files.list()
  return { documents: listed, texts: await Promise.all(items.map(async ({ url }) => (await fetch(url)).text())) }
}

it(`a save and a load are whole or were never begun, after each of ${cycles} kills`, {
  timeout: 60_000 + cycles * 120_000,
}, async () => {
  const full = { documents, texts: ['Hello'] }
  const empty = { documents: 0, texts: [] }
  for (let cycle = 0; cycle <= cycles; cycle++) {
    const dev = await startOwned(devs)
    const { child, svc, control, project } = dev
    if (cycle === 0) {
      await svc.collections.create({ name: 'posts' })
      await svc.collection('posts').createMany(Array.from({ length: documents }, (_, n) => ({ n })))
      await svc.files.upload(new File(['Hello'], 'letter.txt'))
      await control.snapshots.save({ project, name: 'full' })
    }
    // The state after the last kill, and every snapshot that is listed.
    expect([full, empty]).toContainEqual(await stateOf(dev))
    const { snapshots } = await control.snapshots.list({ project })
    for (const { name } of snapshots) {
      await control.snapshots.load({ project, snapshot: name })
      expect(await stateOf(dev)).toEqual(full)
    }
    if (cycle === cycles) break

    const save = cycle % 2 === 0
    if (!save) await control.projects.reset({ project, collections: ['posts'], files: true })
    const working = save
      ? control.snapshots.save({ project, name: `of-${cycle}` })
      : control.snapshots.load({ project, snapshot: 'full' })
    const settled = working.catch(() => undefined)
    await pause(Math.random() * 60)
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await died
    await settled
  }
})
