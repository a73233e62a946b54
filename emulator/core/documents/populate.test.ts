import { expect, it } from 'vitest'
import type { ListedDocument } from '../../../client/protocol/model/document.js'
import { type Json, JsonText } from '../../../client/protocol/model/json.js'
import type { Sql } from '../../database/port.js'
import type { Context } from '../context.js'
import { openIds } from '../ids.js'
import { populate } from './populate.js'

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()
const ids = (count: number) => Array.from({ length: count }, () => newId(new Date(at)))

/** A project whose documents hold these fields, and a record of the queries sent to its database. */
function aProject(documents: ReadonlyMap<string, Json>) {
  const asked: string[][] = []
  const query = async ({ text, values }: Sql) => {
    if (!text.includes('from documents')) return []
    const wanted = values.filter(Array.isArray).flat()
    asked.push(wanted)
    return wanted.flatMap((id) => {
      const fields = documents.get(id)
      if (fields === undefined) return []
      const row = { id, version: 1, created_at: at, updated_at: at, collection_id: 'c', name: 'posts' }
      return [{ ...row, is_loaded: true, permissions: '{}', data: JSON.stringify(fields) }]
    })
  }
  const db = { query }
  const caches = { collections: { of: async () => undefined } }
  const ctx = { db, backend: { db, caches }, project: { id: 'p' }, caller: { secret: true, key: { id: 'k' } } }
  return { ctx: ctx as unknown as Context, asked }
}

function aDocument(fields: Json): ListedDocument {
  const times = { createdAt: at, updatedAt: at, version: 1 }
  return { id: 'root', collection: 'posts', collectionId: 'c', data: new JsonText(JSON.stringify(fields)), ...times }
}

const [one = '', two = '', three = ''] = ids(3)
const often = (id: string, count: number) => Array.from({ length: count }, () => id)

it('contract 10.10 counts a record as often as it appears in the answer, before looking up the next level', async () => {
  const links = { l: often(two, 101) }
  const { ctx, asked } = aProject(
    new Map<string, Json>([
      [one, links],
      [two, { l: [three] }],
      [three, {}],
    ]),
  )

  // 100 times `one`, each with 101 times `two`.
  const populating = populate(ctx, [aDocument({ l: often(one, 100) })], { populate: [['l', 'l', 'l']], select: [] })

  await expect(populating).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' })
  expect(asked).toEqual([[one], [two]])
})

it('contract 10.10 counts its bytes as often', async () => {
  const { ctx, asked } = aProject(
    new Map<string, Json>([
      [one, { text: 'x'.repeat(900_000), l: [two] }],
      [two, {}],
    ]),
  )
  const root = (count: number) => [aDocument({ l: often(one, count) })]

  await expect(populate(ctx, root(40), { populate: [['l', 'l']], select: [] })).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
  })

  expect(asked).toEqual([[one]])
  expect(await populate(ctx, root(30), { populate: [['l', 'l']], select: [] })).toHaveLength(1)
})

it('contract 10.10 looks up at most 20,000 ids for an answer, a thousand at a time', async () => {
  const { ctx, asked } = aProject(new Map())
  const all = ids(20_001)

  await expect(populate(ctx, [aDocument({ l: all })], { populate: [['l']], select: [] })).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
  })
  const before = asked.length
  await populate(ctx, [aDocument({ l: all.slice(1) })], { populate: [['l']], select: [] })

  expect(before).toBe(0)
  expect(asked.map(({ length }) => length)).toEqual(Array(20).fill(1_000))
})

it('contract 10.10 leaves objects on a path unchanged if they hold no id, however many', async () => {
  const { ctx, asked } = aProject(new Map())
  const items = [...Array.from({ length: 50_000 }, () => ({})), { a: 'text' }, { a: [1, { b: one }] }, [{ a: one }]]
  const root = aDocument({ items, other: one })

  const [populated] = await populate(ctx, [root], { populate: [['items', 'a']], select: [] })

  expect(populated?.data).toBe(root.data)
  expect(asked).toEqual([])
})

it('contract 10.10 allows at most 500,000 fields and items around links, counted by document', async () => {
  const { ctx, asked } = aProject(new Map())
  let opened = 0
  const text = JSON.stringify({ items: Array.from({ length: 9_000 }, () => ({ a: one })) })
  const root = (count: number) =>
    Array.from({ length: count }, () => {
      const toJSON = () => {
        opened++
        return JSON.parse(text)
      }
      return { ...aDocument({}), data: Object.assign(new JsonText(text), { toJSON }) }
    })

  // Each holds 9,000 items with a field each, and the field that holds them.
  await expect(populate(ctx, root(60), { populate: [['items', 'a']], select: [] })).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
    reason: { limit: 'populated values', most: 500_000 },
  })
  expect(opened).toBe(28)
  expect(asked).toEqual([])
  expect(await populate(ctx, root(27), { populate: [['items', 'a']], select: [] })).toHaveLength(27)
})
