/** Projects of one emulator whose clocks differ. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClocks } from '../../emulator/assembly/clock.js'
import { startTestEmulator, type TestEmulator } from '../../emulator/testing/index.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

it('contract 11 a project that moves its clock moves that of no other', async () => {
  const [early, late] = [await emulator.project(), await emulator.project()]
  const before = await early.clock.now()

  await late.clock.set('2040-01-01T00:00:00Z')

  expect((await late.clock.now()).getFullYear()).toBe(2040)
  expect((await early.clock.now()).getTime() - before.getTime()).toBeLessThan(3_600_000)
  expect((await emulator.clock.now()).getFullYear()).toBeLessThan(2040)
})

it('contract 11 a project follows the clock of the emulator until it moves its own, and again after a reset', async () => {
  const project = await emulator.project()
  await emulator.clock.set('2030-01-01T00:00:00Z')
  const following = await project.clock.now()
  const own = await project.clock.advance({ hours: 1 })
  await emulator.clock.set('2031-01-01T00:00:00Z')
  const kept = await project.clock.now()

  const back = await project.clock.reset()

  expect(following.getFullYear()).toBe(2030)
  expect(own.getTime() - following.getTime()).toBeGreaterThanOrEqual(3_600_000)
  expect(kept.getFullYear()).toBe(2030)
  expect(back.getFullYear()).toBe(2031)
  await emulator.clock.reset()
})

it('contract 11 times, ids and mails of a project are by its own clock', async () => {
  const project = await emulator.project()
  await project.clock.set('2001-02-03T04:05:06Z')
  await project.client.collections.create({ name: 'posts' })

  const post = await project.client.collection('posts').create({ title: 'Tea' })
  const file = await project.client.files.upload(new File(['Tea'], 'tea.txt'))
  const ada = await project.users.create()
  await project.client.auth.requestPasswordReset(ada.email)
  const { createdAt } = await project.mail.waitFor({ to: ada.email })

  const moments = [post.createdAt, momentOf(post.id), file.createdAt, momentOf(file.id), momentOf(ada.id), createdAt]
  for (const moment of moments) expect(moment).toMatch(/^2001-02-03T04:/)
})

/** The timestamp in an id. */
function momentOf(id: string): string {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString()
}

it('what expires is deleted once it is over by the clock of every project', () => {
  const clocks = openClocks(() => new Date('2026-01-01T00:00:00Z'))
  clocks.openOwn('behind').set(new Date('2020-01-01T00:00:00Z'))
  clocks.openOwn('ahead').set(new Date('2030-01-01T00:00:00Z'))
  const withOneBehind = clocks.earliest()

  clocks.closeOwn('behind')

  expect(withOneBehind.toISOString()).toBe('2020-01-01T00:00:00.000Z')
  expect(clocks.earliest().toISOString()).toBe('2026-01-01T00:00:00.000Z')
})

it('waits for the mail that came last, also where the clock went back', async () => {
  const { clock, client, users, mail } = await emulator.project()
  const { email } = await users.create()
  await clock.advance({ hours: 25 })
  await client.auth.requestPasswordReset(email)
  const early = await mail.waitFor({ to: email, subject: 'Reset' })
  await clock.reset()
  await client.auth.requestPasswordReset(email)

  const late = await mail.waitFor({ to: email, subject: 'Reset' })

  expect(late.id).not.toBe(early.id)
})
