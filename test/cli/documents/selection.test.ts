/** Writes of all documents that conditions match, beside other writers, and stopped or refused midway. */
import { beforeAll, expect, it } from 'vitest'
import { matchingIds, writeSelection } from '../../../cli/bulk/selection.js'
import { createClient, SvcError } from '../../../client/index.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'

const total = 2_400
const where = { all: [] }

let emulator: SharedProject
let count = 0
beforeAll(async () => {
  emulator = await newSharedProject('here')
})

async function aCollection() {
  const svc = createClient(emulator)
  const name = `posts${++count}`
  await svc.collections.create({ name, schema: { n: { type: 'integer' } } })
  const posts = svc.collection(name)
  for (const from of [0, 1_000, 2_000]) {
    const length = Math.min(1_000, total - from)
    await posts.createMany(Array.from({ length }, (_, n) => ({ n: from + n })))
  }
  return posts
}

const changesOf = (ids: readonly string[], changes: object) => Object.fromEntries(ids.map((id) => [id, changes]))

it('documents that somebody deletes meanwhile are left out, and all others are written', async () => {
  const posts = await aCollection()
  const reached: number[] = []
  let isFirst = true

  const result = await writeSelection(
    posts,
    {
      ids: matchingIds(posts, where),
      signal: new AbortController().signal,
      onWritten: (written) => reached.push(written),
    },
    async (ids) => {
      if (isFirst) await posts.deleteMany(ids.slice(0, 3))
      isFirst = false
      await posts.updateMany(changesOf(ids, { seen: true }))
    },
  )

  expect(result).toEqual({ written: total - 3, gone: 3 })
  expect(await posts.count({ where: { seen: true } })).toBe(total - 3)
  expect(reached.at(-1)).toBe(total - 3)
})

it('a stop lets what is in flight end, writes nothing more, and says how much was written', async () => {
  const posts = await aCollection()
  const stop = new AbortController()

  const { written } = await writeSelection(
    posts,
    { ids: matchingIds(posts, where), signal: stop.signal, onWritten: () => undefined },
    async (ids) => {
      stop.abort()
      await posts.updateMany(changesOf(ids, { seen: true }))
    },
  )

  expect(written).toBeLessThan(total)
  expect(await posts.count({ where: { seen: true } })).toBe(written)
})

it('a change that the schema refuses ends it, and onWritten has said how much was written before', async () => {
  const posts = await aCollection()
  let reached = 0
  let batches = 0

  const work = writeSelection(
    posts,
    {
      ids: matchingIds(posts, where),
      signal: new AbortController().signal,
      onWritten(written) {
        reached = written
      },
    },
    (ids) => posts.updateMany(changesOf(ids, ++batches === 2 ? { n: 'two' } : { seen: true })),
  )

  await expect(work).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(reached).toBeLessThan(total)
  expect(await posts.count({ where: { seen: true } })).toBe(reached)
})

it('a refusal begins no batch after those that are under way', async () => {
  const posts = createClient(emulator).collection('posts')
  let batches = 0
  async function* ids() {
    for (let n = 0; n < 10_000; n++) yield `id ${n}`
  }
  const refuse = async () => {
    batches++
    throw new SvcError('VALIDATION_ERROR', 'No.')
  }

  const work = writeSelection(
    posts,
    { ids: ids(), signal: new AbortController().signal, onWritten: () => undefined },
    refuse,
  )

  await expect(work).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(batches).toBeLessThanOrEqual(3)
})
