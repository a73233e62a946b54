/** Filters of equality alone, as the parts that an index over their fields finds. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../../client/protocol/model/json.js'
import { type Path, parsePath } from '../../../client/protocol/model/path.js'
import type { Clause, Test, Where } from '../../../client/protocol/model/where.js'
import { type Fragment, sql } from '../../../emulator/database/port.js'
import { parseEquality, splitEquality } from '../../../emulator/store/lists/equality.js'
import { compileWhere } from '../../../emulator/store/lists/where.js'
import { aCollection, database, onEachEngine } from '../../fixtures/databases/stored-lists.js'

const eq = (name: string, value: string): Test => ({ path: parsePath(name), operator: 'eq', value })
const all = (...tests: readonly Test[]): Where => ({ all: tests.map((one) => ({ any: [one] })) })

describe('a filter is an equality', () => {
  test.each<[string, Where, [path: string, text: string][]]>([
    ['of one field', all(eq('a', 'x')), [['a', 'x']]],
    [
      'of two fields',
      all(eq('a', 'x'), eq('b', 'y')),
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
    ],
    [
      'whatever their order',
      all(eq('b', 'y'), eq('a', 'x')),
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
    ],
    ['of a field in an object', all(eq('a.b', '5')), [['a.b', '5']]],
  ])('%s', (_, where, wanted) => {
    expect(parseEquality(where)).toEqual(wanted.map(([path, text]) => ({ path: parsePath(path), text })))
  })

  const either: Clause = { any: [eq('a', 'x'), eq('a', 'y')] }
  test.each<[string, Where]>([
    ['without a test', { all: [] }],
    ['of three fields', all(eq('a', 'x'), eq('b', 'y'), eq('c', 'z'))],
    ['twice of one field', all(eq('a', 'x'), eq('a', 'y'))],
    ['with an alternative', { all: [either] }],
    ['with an alternative beside it', { all: [...all(eq('b', 'x')).all, either] }],
    ['that nothing fulfils', { all: [{ any: [] }] }],
    ['with another operator', all({ path: ['a'], operator: 'ne', value: 'x' })],
    ['with another operator beside it', all(eq('a', 'x'), { path: ['b'], operator: 'gt', value: 'x' })],
    ['of a field of every document', all(eq('id', 'x'))],
    ['of an item of an array', all({ path: ['a', '0'], operator: 'eq', value: 'x' })],
    ['of a field that no document can have', all({ path: ['a', 'b\0'], operator: 'eq', value: 'x' })],
    ['with a text that no document can hold', all(eq('a', 'x\0'))],
  ])('and not one %s', (_, where) => {
    expect(parseEquality(where)).toBeUndefined()
  })
})

const values: readonly Json[] = [
  'tea',
  '5',
  5,
  '05',
  'true',
  true,
  'null',
  null,
  [],
  ['tea'],
  [5, 'x'],
  {},
  { b: 'tea' },
  'x'.repeat(700),
]
const asked = ['tea', '5', '05', 'true', 'null', '[]', 'none', 'x'.repeat(700)]
const sorts: readonly (Path | undefined)[] = [undefined, ['n']]

onEachEngine(() => {
  beforeEach(() =>
    aCollection(
      'c',
      values.flatMap((a) => [
        { a },
        ...values.map((b, at) => ({ a, b, n: at === 0 ? 'y'.repeat(700) : at === 1 ? [] : at })),
      ]),
    ),
  )

  const idsOf = async (condition: Fragment): Promise<string[]> =>
    (await database().query<{ id: string }>(sql`select d.id from documents d where ${condition} order by d.id`)).map(
      ({ id }) => id,
    )

  test('its parts are the filter together, and no document meets two', async () => {
    const wheres = asked.flatMap((one) => [
      all(eq('a', one)),
      ...asked.map((other) => all(eq('a', one), eq('b', other))),
    ])
    let inOrderFound = 0

    for (const where of wheres) {
      const filter = compileWhere(where, { project: 'p', populate: [], mayReadAll: true, roles: [] })
      const wanted = await idsOf(filter)
      for (const sort of sorts) {
        const { inOrder, odd } = splitEquality(parseEquality(where) ?? [], sort, filter)
        const found = await Promise.all(inOrder.map(idsOf))
        const together = [...found.flat(), ...(await idsOf(odd))]

        expect(together.toSorted(), JSON.stringify(where)).toEqual(wanted)
        inOrderFound += found.flat().length
      }
    }

    // Most are found by the index; the last part alone would be the filter, too.
    expect(inOrderFound).toBeGreaterThan(100)
  })

  test('the last part holds what no index has: arrays, and values to sort by that are too long for it', async () => {
    const where = all(eq('a', 'tea'))
    const filter = compileWhere(where, { project: 'p', populate: [], mayReadAll: true, roles: [] })
    const oddOf = async (sort: Path | undefined) => {
      const { odd } = splitEquality(parseEquality(where) ?? [], sort, filter)
      return database().query<{ a: string; n: string | null }>(sql`
        select d.data ->> 'a' as a, left(d.data ->> 'n', 2) as n from documents d where ${odd} order by n nulls first`)
    }

    const [plain, sorted] = [await oddOf(undefined), await oddOf(['n'])]

    expect(new Set(plain.map(({ a }) => a))).toEqual(new Set(['["tea"]']))
    expect(sorted.filter(({ a }) => a === 'tea').map(({ n }) => n)).toEqual(['[]', 'yy'])
  })
})
