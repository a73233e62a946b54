/** Documents so large that a page of the default size is refused. */
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'

let emulator: SharedProject
beforeAll(async () => {
  emulator = await newSharedProject('here')
})

it('contract 10.10 iterate asks for half a page while the answer would be too large, and leaves nothing out', async () => {
  const statuses: number[] = []
  const counting = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  }
  const { collections, collection } = createClient({ ...emulator, fetch: counting as typeof fetch })
  await collections.create({ name: 'posts' })
  const posts = collection('posts')
  const text = 'x'.repeat(900_000)
  for (let from = 0; from < 80; from += 8) {
    await posts.createMany(Array.from({ length: 8 }, (_, at) => ({ at: from + at, text })))
  }
  statuses.length = 0

  const seen: unknown[] = []
  for await (const { data } of posts.iterate()) seen.push(data.at)

  expect(seen).toEqual(Array.from({ length: 80 }, (_, at) => at))
  // A page of 100 and one of 50 are refused; from then on 25 are asked for.
  expect(statuses.filter((status) => status === 422)).toHaveLength(2)
  expect(statuses.length).toBeLessThanOrEqual(7)
})
