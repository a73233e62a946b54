import { afterAll, beforeAll, expect, test } from 'vitest'
import { replaceAll } from '../../../cli/bulk/guarded-operations.js'
import { createClient } from '../../../client/index.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let place: { readonly url: string; readonly apiKey: string }

beforeAll(async () => {
  world = await openWorld()
  place = await world.useEmulator()
})
afterAll(() => world.close())

test('a document that is written between the look at it and its replacement is not replaced', async () => {
  const svc = createClient(place)
  await svc.collections.create({ name: 'posts' })
  const posts = svc.collection('posts')
  const { id } = await posts.create({ n: 1, old: true })
  const beside = {
    ...posts,
    async get(id: string) {
      const found = await posts.get(id)
      await posts.update(id, { n: 2 })
      return found
    },
  } as typeof posts

  const was = { n: 1, old: true }
  const sent = await replaceAll(beside, [
    { line: 1, kind: 'replace', collection: 'posts', id, data: { n: 1 }, was, bytes: 1 },
  ])

  expect(sent).toEqual({
    accepted: 0,
    refused: [{ line: 1, id, code: 'CONFLICT', problem: 'was changed in the meantime' }],
  })
  expect((await posts.get(id)).data).toEqual({ n: 2, old: true })
})

test('a service that has nothing at the path of a replacement is not said to have lost the document', async () => {
  const svc = createClient(place)
  await svc.collections.create({ name: 'notes' })
  const notes = svc.collection('notes')
  const { id } = await notes.create({ n: 1 })
  const pathless = {
    ...notes,
    replace: () => svc.collections.get('no-such-path').then(() => notes.get(id)),
  } as typeof notes
  const operation = { line: 1, kind: 'replace', collection: 'notes', data: { n: 2 }, bytes: 1 } as const

  await expect(replaceAll(pathless, [{ ...operation, id, was: { n: 1 } }])).rejects.toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
  })
  const gone = await replaceAll(notes, [{ ...operation, id: '01999999-9999-7999-8999-999999999999', was: { n: 1 } }])

  expect(gone.refused).toMatchObject([{ code: 'NOT_FOUND', problem: 'was deleted in the meantime' }])
})
