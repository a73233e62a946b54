import { expect, test } from 'vitest'
import { expectFailure, inDialects, someDocuments } from '../../fixtures/wires.js'

/** Least to greatest by contract 4.1: null, strings by code point, numbers, booleans, arrays, objects. */
const inOrder: readonly unknown[] = [
  null,
  '',
  '\u0001',
  ' ',
  '-5',
  '10',
  '9',
  'A',
  'B',
  'Z',
  '_',
  'a',
  'aa',
  'b',
  'z',
  '\u007f',
  'ß',
  'é',
  'Ж',
  '茶',
  '\uffff',
  '𐀀',
  '🍵',
  -1e300,
  -5,
  -0.5,
  0,
  5e-324,
  0.5,
  1,
  9,
  10,
  1e21,
  false,
  true,
  [],
  [1],
  [2],
  [true],
  ['a', 2],
  [1, 1],
  [1, 1, 1],
  {},
  { a: 1 },
  { a: 2 },
  { b: 1 },
  { a: 1, b: 1 },
] // prettier-ignore

inDialects('Sorting', (wire, { once }) => {
  once('contract 4.1 without a sort, the newest come first', async () => {
    const { posts } = await someDocuments(wire)
    for (const name of ['one', 'two', 'three']) await posts.create({ name })
    await posts.fill([{ name: 'four' }, { name: 'five' }])

    expect(await posts.names('')).toEqual(['five', 'four', 'three', 'two', 'one'])
  })

  once('LST-02 orderBy and order', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'b' }, { name: 'c' }, { name: 'a' }])

    expect(await posts.names('orderBy=name&order=asc')).toEqual(['a', 'b', 'c'])
    expect(await posts.names('orderBy=name&order=desc')).toEqual(['c', 'b', 'a'])
    // Contract 4.1: a sort field alone sorts upwards.
    expect(await posts.names('orderBy=name')).toEqual(['a', 'b', 'c'])
  })

  once('LST-03 sort_by and sort_order', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'b' }, { name: 'c' }, { name: 'a' }])

    expect(await posts.names('sort_by=name&sort_order=asc')).toEqual(['a', 'b', 'c'])
    expect(await posts.names('sort_by=name&sort_order=desc')).toEqual(['c', 'b', 'a'])
    expect(await posts.names('sort_by=name')).toEqual(['a', 'b', 'c'])
    expect(await posts.names('sort=name&order=desc')).toEqual(['c', 'b', 'a'])
  })

  test('contract 4.1 types, texts, numbers, arrays and objects have one order, missing last both ways', async () => {
    const shuffled = inOrder
      .map((value, at) => ({ name: at, value }))
      .toSorted((one, other) => ((one.name * 37) % 101) - ((other.name * 37) % 101))
    const { posts } = await someDocuments(wire, [{ name: 'missing' }, ...shuffled])
    const upwards = inOrder.map((_, at) => at)

    expect(await posts.names('orderBy=value&order=asc&limit=100')).toEqual([...upwards, 'missing'])
    expect(await posts.names('orderBy=value&order=desc&limit=100')).toEqual([...upwards.toReversed(), 'missing'])
  })

  once('contract 4.1 ties are by id, upwards in both directions', async () => {
    const { posts } = await someDocuments(
      wire,
      Array.from({ length: 12 }, (_, name) => ({ name, kind: name % 2, same: 'x' })),
    )
    const even = [0, 2, 4, 6, 8, 10]
    const odd = [1, 3, 5, 7, 9, 11]

    expect(await posts.names('orderBy=kind&order=asc')).toEqual([...even, ...odd])
    expect(await posts.names('orderBy=kind&order=desc')).toEqual([...odd, ...even])
    expect(await posts.names('orderBy=missing&order=desc')).toEqual(Array.from({ length: 12 }, (_, name) => name))
    const pages = await Promise.all([0, 5, 10].map((offset) => posts.names(`orderBy=same&limit=5&offset=${offset}`)))
    expect(pages.flat()).toEqual(Array.from({ length: 12 }, (_, name) => name))
  })

  once('contract 4.1 a dotted name sorts on a nested field', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'two', at: { place: { rank: 2 } } },
      { name: 'none', at: 5 },
      { name: 'one', at: { place: { rank: 1 } } },
    ])

    expect(await posts.names('orderBy=at.place.rank')).toEqual(['one', 'two', 'none'])
    expect(await posts.names('orderBy=at.place.rank&order=desc')).toEqual(['two', 'one', 'none'])
  })

  once('contract 4.1 id and the service’s own times are sorted on, in either naming', async () => {
    const { api, posts } = await someDocuments(wire)
    const rows = []
    for (const name of ['one', 'two', 'three']) {
      rows.push(await posts.create({ name, createdAt: 'z', created_at: 'z' }))
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    await api.patch(`/collections/posts/${rows[0]?.id}`, { touched: true })

    for (const field of ['createdAt', 'created_at', 'id']) {
      expect(await posts.names(`orderBy=${field}&order=asc`)).toEqual(['one', 'two', 'three'])
      expect(await posts.names(`orderBy=${field}&order=desc`)).toEqual(['three', 'two', 'one'])
    }
    for (const field of ['updatedAt', 'updated_at']) {
      expect(await posts.names(`sort_by=${field}&sort_order=desc`)).toEqual(['one', 'three', 'two'])
    }
  })

  once('contract 10.7 a direction that is none is 400', async () => {
    const { posts } = await someDocuments(wire)

    for (const order of ['up', '', 'ASC;', '1', 'asc,desc']) {
      expectFailure(await posts.ask(`orderBy=name&order=${encodeURIComponent(order)}`), 400, 'INVALID_QUERY')
      expectFailure(await posts.ask(`sort_by=name&sort_order=${encodeURIComponent(order)}`), 400, 'INVALID_QUERY')
    }
  })

  once('contract 4.1 any name is a field to sort on, hostile ones too', async () => {
    const names = ["name'; drop table documents --", '"', "a'b", '__proto__', '{a}', '$1', '🍵', '\\']
    const ranked = (rank: number) => Object.fromEntries(names.map((name) => [name, rank]))
    // Ties are by id: where the field is not found, the second comes first.
    const { posts } = await someDocuments(wire, [
      { ...ranked(2), name: 'second' },
      { ...ranked(1), name: 'first' },
    ])

    for (const field of names) {
      const sorted = await posts.names(`orderBy=${encodeURIComponent(field)}`)
      expect({ field, sorted }).toEqual({ field, sorted: ['first', 'second'] })
    }
    // A part without a name is of no document.
    for (const field of ['..', '.', '$1.']) {
      expect({ field, sorted: await posts.names(`orderBy=${field}`) }).toEqual({ field, sorted: ['second', 'first'] })
    }
  })
})
