import { describe, expect, test } from 'vitest'
import type { Operator } from '../../../client/protocol/model/where.js'
import { sql } from '../../../emulator/database/port.js'
import { fieldValue, inCollection, isRegular } from '../../../emulator/store/lists/fields.js'
import { inlined, makeFieldIndex } from '../../../emulator/store/lists/indexes.js'
import {
  aCollection,
  database,
  explained,
  indexed,
  inOrder,
  list,
  onEachEngine,
  where,
} from '../../fixtures/databases/stored-lists.js'

onEachEngine(() => {
  describe('A field index', () => {
    test('changes nothing about what a filter finds', async () => {
      const values = [...inOrder, 'tea', 'TEA', 'green Tea', ['tea', 'x'], ['say "tea"'], '100%', 'x'.repeat(700)]
      const posts = await aCollection(
        'posts',
        values.map((field) => ({ field })),
      )
      const indexes = await indexed(posts, 'field')
      const operators: Operator[] = ['gt', 'gte', 'lt', 'lte', 'contains', 'icontains', 'startswith', 'endswith']

      for (const operator of operators) {
        for (const value of ['', 'a', 'tea', 'y "t', 'x'.repeat(650), '2', '-1', '%', '\\']) {
          const query = { where: where('field', operator, value), limit: 100 }
          expect(await list(posts, query, indexes), `${operator} ${value}`).toEqual(await list(posts, query))
        }
      }
    })

    test('takes any field name for what it is', async () => {
      const names = [
        "it's",
        'a"b',
        'back\\slash',
        "\\'; drop table documents; --",
        '$1',
        '{a,b}',
        'NULL',
        ' ',
        'ünï',
        'd.data',
        '$$',
      ]
      const documents = Array.from({ length: 500 }, (_, n) => Object.fromEntries(names.map((name) => [name, n])))
      const posts = await aCollection('posts', documents)

      for (const name of names) {
        await makeFieldIndex(database(), { collection: posts, path: [name], kind: 'asc' }, new Date().toISOString())
        const found = await explained(sql`
        select d.id from documents d
        where ${inCollection(posts)} and ${isRegular([name])}
        order by ${fieldValue([name])} asc nulls last, d.id limit 1`)
        expect(found, name).toMatch(/Index Scan using field_/)
        await database().query(sql`delete from field_indexes`)
      }
      expect(inlined(sql`d.a = ${"'\\"} and d.b = ${['x', "y'"]}`)).toBe(`a =  E'''\\\\' and b = array[ E'x',  E'y''']`)
    })
  })
})
