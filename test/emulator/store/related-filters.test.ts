import { describe, expect, test } from 'vitest'
import { parsePath } from '../../../client/protocol/model/path.js'
import type { Operator } from '../../../client/protocol/model/where.js'
import { aCollection, idOf, list, n, onEachEngine, where } from '../../fixtures/databases/stored-lists.js'

onEachEngine(() => {
  describe('A filter on a populated field', () => {
    test('reaches the linked document, several links deep, and any of an array of them', async () => {
      const companies = await aCollection('companies', [{ city: 'Graz' }, { city: 'Wien' }], 100)
      const authors = await aCollection(
        'authors',
        [
          { name: 'Ann', company: idOf(100) },
          { name: 'Bob', company: idOf(101) },
        ],
        200,
      )
      const posts = await aCollection('posts', [
        { n: 0, author: idOf(200) },
        { n: 1, author: idOf(201) },
        { n: 2, author: [idOf(999), idOf(201), idOf(200)] },
        { n: 3, author: { name: 'Ann' } },
        { n: 4, author: 'Ann' },
        { n: 5 },
      ])
      const found = async (name: string, operator: Operator, value: string, ...populate: string[]) =>
        (await list(posts, { where: where(name, operator, value), populate: populate.map(parsePath) })).found
          .map(n)
          .toSorted()

      expect(companies).not.toBe(authors)
      expect(await found('author.name', 'eq', 'Ann', 'author')).toEqual([0, 2, 3])
      expect(await found('author.name', 'ne', 'Ann', 'author')).toEqual([1, 2, 4, 5])
      expect(await found('author.name', 'eq', 'Ann')).toEqual([3])
      expect(await found('author', 'eq', idOf(201), 'author')).toEqual([1, 2])
      expect(await found('author.id', 'eq', idOf(201), 'author')).toEqual([1, 2])
      expect(await found('author.company.city', 'eq', 'Wien', 'author.company')).toEqual([1, 2])
      expect(await found('author.company.city', 'eq', 'Wien', 'author')).toEqual([])
      expect(await found('author.company', 'eq', idOf(101), 'author')).toEqual([1, 2])
      expect(await found('author.name', 'isnull', 'yes', 'author')).toEqual([4, 5])
    })

    test('sees nothing in a collection that the caller may not read, or of another project', async () => {
      await aCollection('secrets', [{ word: 'tea' }], 100, { read: ['admin'] })
      const posts = await aCollection('posts', [{ n: 0, secret: idOf(100) }])
      const query = { where: where('secret.word', 'eq', 'tea'), populate: [['secret']] as const }

      expect((await list(posts, query)).total).toBe(0)
      expect((await list(posts, query, undefined, { mayReadAll: true })).total).toBe(1)
      expect((await list(posts, query, undefined, { mayReadAll: true, project: 'another' })).total).toBe(0)
    })

    test('is refused when it asks for more than the database should answer', async () => {
      const posts = await aCollection('posts', [{ n: 0 }])
      const [deep] = where('a.b.c.d.e.f', 'eq', 'x').all
      const many = { all: Array.from({ length: 100 }, () => deep ?? { any: [] }) }

      await expect(list(posts, { where: many, populate: [parsePath('a.b.c.d.e')] })).rejects.toMatchObject({
        code: 'INVALID_QUERY',
      })
    })
  })
})
