import { describe, expect, test } from 'vitest'
import type { Json } from '../../../client/protocol/model/json.js'
import { parsePath } from '../../../client/protocol/model/path.js'
import type { Operator } from '../../../client/protocol/model/where.js'
import { sql } from '../../../emulator/database/port.js'
import { compileWhere, type Reader } from '../../../emulator/store/lists/where.js'
import { aCollection, database, idOf, list, n, onEachEngine, where } from '../../fixtures/databases/stored-lists.js'

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

    const [ada, bob] = [idOf(801), idOf(802)]
    test.each<[what: string, permissions: Json, reader: Partial<Reader>, isFound: boolean]>([
      ['of a collection open to all', {}, {}, true],
      ['for a role, without one', { read: ['editor'] }, {}, false],
      ['for a role, with another', { read: ['editor'] }, { roles: ['guest'] }, false],
      ['for a role, with it', { read: ['editor'] }, { roles: ['guest', 'editor'] }, true],
      ['of an open collection, with any role', {}, { roles: ['guest'] }, true],
      ['of a collection in scope', {}, { collections: ['linked'] }, true],
      ['of a collection out of scope', {}, { collections: ['others'] }, false],
      ['out of scope, for who may read all', {}, { collections: ['others'], mayReadAll: true }, false],
      ['for its creator', { read: ['owner'] }, { user: ada }, true],
      ['for its creator, by another user', { read: ['owner'] }, { user: bob }, false],
      ['for its creator, without a user', { read: ['owner'] }, {}, false],
      ['for its creator, out of scope', { read: ['owner'] }, { user: ada, collections: ['others'] }, false],
      ['for its creator, by who may read all', { read: ['owner'] }, { mayReadAll: true }, true],
      ['with the field hidden', { hidden: { 'word.text': ['admin'] } }, {}, false],
      ['with the field hidden, for its role', { hidden: { 'word.text': ['admin'] } }, { roles: ['admin'] }, true],
      [
        'with the field hidden, for who may read all',
        { hidden: { 'word.text': ['admin'] } },
        { mayReadAll: true },
        true,
      ],
      ['with what is above it hidden', { hidden: { word: ['admin'] } }, {}, false],
      ['with what is below it hidden', { hidden: { 'word.text.deep': ['admin'] } }, {}, false],
      ['with what is beside it hidden', { hidden: { 'word.other': ['admin'], wor: ['admin'] } }, {}, true],
    ])('sees a record %s only where the caller may', async (_, permissions, reader, isFound) => {
      await aCollection('linked', [{ word: { text: 'tea' } }], 100, permissions)
      await database().query(sql`update documents set created_by = ${ada}::uuid where id = ${idOf(100)}::uuid`)
      const posts = await aCollection('posts', [{ n: 0, link: idOf(100), other: idOf(999) }])
      const found = async (populate: string) => {
        const query = { where: where('link.word.text', 'eq', 'tea'), populate: [parsePath(populate)] }
        return (await list(posts, query, undefined, reader)).total
      }

      expect(await found('link')).toBe(isFound ? 1 : 0)
      expect(await found('other')).toBe(0)
    })

    test('finds only what one user created, where that is asked for too', async () => {
      const posts = await aCollection('posts', [{ n: 0 }, { n: 1 }, { n: 2 }])
      await database().query(sql`update documents set created_by = ${ada}::uuid where id <> ${idOf(0)}::uuid`)

      const { found } = await list(posts, { where: where('n', 'lt', '2') }, undefined, { creator: ada })

      expect(found.map(n)).toEqual([1])
    })

    test('asks at most 500 questions about linked records', async () => {
      const posts = await aCollection('posts', [{ n: 0 }])
      const query = (deep: number, single: number) => ({
        where: {
          all: [
            ...Array.from({ length: deep }, () => where('a.b.c.d.e.f', 'isnull', '')),
            ...Array.from({ length: single }, () => where('x.y', 'isnull', '')),
            // Nothing is linked here.
            ...Array.from({ length: 10 }, () => where('z.y', 'isnull', '')),
          ].flatMap(({ all }) => all),
        },
        populate: ['a.b.c.d.e', 'x'].map(parsePath),
      })

      expect((await list(posts, query(16, 4))).total).toBe(1)
      await expect(list(posts, query(16, 5))).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    })

    test('finds a field as deep as records are, behind a link', async () => {
      const levels = (count: number) => Array(count).fill('a').join('.')
      const deepest = JSON.parse(`${'{"a":'.repeat(64)}"tea"${'}'.repeat(64)}`)
      await aCollection('linked', [deepest], 100)
      const posts = await aCollection('posts', [{ n: 0, link: idOf(100) }, { n: 1 }])
      const found = async (depth: number, operator: Operator, value: string) => {
        const query = { where: where(`link.${levels(depth)}`, operator, value), populate: [parsePath('link.a.a.a.a')] }
        return (await list(posts, query)).found.map(n).toSorted()
      }

      expect(await found(64, 'eq', 'tea')).toEqual([0])
      expect(await found(64, 'ne', 'tea')).toEqual([1])
      for (const depth of [65, 68, 69, 8_000]) {
        expect({ depth, found: await found(depth, 'eq', 'tea') }).toEqual({ depth, found: [] })
        expect({ depth, found: await found(depth, 'ne', 'tea') }).toEqual({ depth, found: [0, 1] })
      }
    })

    test('sends a path at most a few times with each question', () => {
      const reach = { project: 'p', populate: [parsePath('a.b.c.d.e')], mayReadAll: false, roles: [] }
      const bytesOf = (below: string) => {
        const { values } = compileWhere(where(`a.b.c.d.e${below}`, 'eq', 'x'), reach)
        return Buffer.byteLength(JSON.stringify(values))
      }

      // 31 questions are asked about five links, and each is asked twice.
      expect(bytesOf(`.${'f'.repeat(120)}`.repeat(64))).toBeLessThan(3 * 62 * 8_192)
      expect(bytesOf('.'.repeat(8_100))).toBeLessThan(8_192)
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
