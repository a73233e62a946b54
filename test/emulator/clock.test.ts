/** Tests the service's clock, with a clock that the test sets. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'

let now = new Date('2026-03-01T12:00:00.000Z')
let emulator: Emulator

const hours = (count: number) => count * 3_600_000
const advance = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

beforeAll(async () => {
  emulator = await startEmulator({ memory: true, now: () => now })
  await createClient(emulator).collections.create({ name: 'posts' })
})
afterAll(() => emulator.close())

it('contract 3.9 an idempotency key is forgotten after 24 hours', async () => {
  const posts = createClient(emulator).collection('posts')
  const create = () => posts.create({ title: 'Tea' }, { idempotencyKey: 'k' })
  const first = await create()

  advance(hours(23.9))
  const again = await create()
  advance(hours(0.2))
  const anew = await create()

  expect(again.id).toBe(first.id)
  expect(anew.id).not.toBe(first.id)
})

it('contract 3.9 an idempotency key of while the clock was ahead is forgotten once that is set back', async () => {
  const posts = createClient(emulator).collection('posts')
  const create = () => posts.create({ title: 'Tea' }, { idempotencyKey: 'ahead' })
  advance(hours(365 * 24))
  const ahead = await create()

  advance(hours(-365 * 24))
  const back = await create()
  advance(hours(-0.1))
  const [again, near] = [await create(), await posts.list()]

  expect(back.id).not.toBe(ahead.id)
  expect(again.id).toBe(back.id)
  expect(near.items.map(({ id }) => id)).toEqual(expect.arrayContaining([ahead.id, back.id]))
})

it('DOC-08 times are those of the service, and ids are in their order', async () => {
  const posts = createClient(emulator).collection('posts')
  const earlier = await posts.create({ createdAt: '1999-01-01T00:00:00.000Z' })
  advance(5_000)
  const later = await posts.update(earlier.id, { title: 'Tea' })
  const newer = await posts.create({})

  expect(earlier.createdAt).toBe(new Date(now.getTime() - 5_000).toISOString())
  expect([later.createdAt, later.updatedAt]).toEqual([earlier.createdAt, now.toISOString()])
  expect(earlier.id < newer.id).toBe(true)
})

it('orders by creation although the clock is set back', async () => {
  const posts = createClient(emulator).collection('posts')
  const present = await posts.create({ when: 'present' })
  advance(-hours(48))
  const past = await posts.create({ when: 'past' })

  const { items } = await posts.list({ where: { when: { isnull: false } } })

  expect(items.map(({ id }) => id)).toEqual([present.id, past.id])
})
