import { expect, test } from 'vitest'
import { expectFailure, expectStatus, type Fields, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

inDialects('Array operators', (wire, { once, inTurn }) => {
  once('DOC-07 $append adds to an array field, $remove takes from it', async () => {
    const { change } = await aPost(wire, { tags: ['a', 'b'], kept: 1 })

    expect(await change({ $append: { tags: ['c'] } })).toEqual({ tags: ['a', 'b', 'c'], kept: 1 })
    expect(await change({ $remove: { tags: 'a' } })).toEqual({ tags: ['b', 'c'], kept: 1 })
  })

  once('DOC-07 100 concurrent appends leave all 100', async () => {
    const { api, path, read } = await aPost(wire, { tags: [] })

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, number) => api.patch(path, { $append: { tags: [number] } })),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const { tags } = await read()
    expect((tags as number[]).toSorted((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, at) => at))
  })

  once('DOC-07 concurrent appends and removes of the same values never leave one twice', async () => {
    const { api, path, read } = await aPost(wire, { tags: ['kept'] })

    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        api.patch(path, { [number % 2 === 0 ? '$append' : '$remove']: { tags: ['x', 'y'] } }),
      ),
    )

    const { tags } = await read()
    expect((tags as string[])[0]).toBe('kept')
    expect(new Set(tags as string[]).size).toBe((tags as string[]).length)
  })

  once('DOC-07 concurrent updates of different fields keep them all', async () => {
    const { api, path, read } = await aPost(wire, {})

    await Promise.all(Array.from({ length: 30 }, (_, number) => api.patch(path, { [`field${number}`]: number })))

    expect(Object.keys(await read())).toHaveLength(30)
  })

  const cases: readonly (readonly [string, Fields, Fields, Fields])[] = [
    ['a value is one item or an array', { t: [1] }, { $append: { t: 2 }, $remove: { t: [1] } }, { t: [2] }],
    ['$remove comes before $append', { t: [1, 2] }, { $append: { t: [1] }, $remove: { t: [1] } }, { t: [2, 1] }],
    ['plain fields come first', { t: [1] }, { t: [5], $append: { t: 6 }, $remove: { t: 1 } }, { t: [5, 6] }],
    ['append skips what is there', { t: [1, 2] }, { $append: { t: [2, 3] } }, { t: [1, 2, 3] }],
    ['append keeps the order sent', { t: [] }, { $append: { t: ['c', 'a', 'b'] } }, { t: ['c', 'a', 'b'] }],
    ['a value is added once within one append', { t: [] }, { $append: { t: [1, 1, 1] } }, { t: [1] }],
    ['what is there twice stays there twice', { t: [1, 1] }, { $append: { t: [2] } }, { t: [1, 1, 2] }],
    ['$remove takes every occurrence', { t: [1, 2, 1, 1] }, { $remove: { t: 1 } }, { t: [2] }],
    ['a missing field becomes an array', {}, { $append: { t: 'x' } }, { t: ['x'] }],
    ['null counts as missing', { t: null }, { $append: { t: 'x' } }, { t: ['x'] }],
    ['appending nothing to a missing field makes it an empty array', { a: 1 }, { $append: { t: [] } }, { a: 1, t: [] }],
    ['equality is deep', { t: [{ a: { b: [1] } }] }, { $remove: { t: [{ a: { b: [1] } }] } }, { t: [] }],
    [
      'the order of keys does not count',
      { t: [{ a: 1, b: 2 }] },
      { $append: { t: [{ b: 2, a: 1 }] } },
      { t: [{ a: 1, b: 2 }] },
    ],
    ['types count', { t: [1, '1', true, null] }, { $remove: { t: ['1', null] } }, { t: [1, true] }],
    ['an array in an array is one item', { t: [[1]] }, { $append: { t: [[1], [2]] } }, { t: [[1], [2]] }],
    [
      'several fields at once',
      { a: [1], b: [2] },
      { $append: { a: 3, b: 3 }, $remove: { b: 2 } },
      { a: [1, 3], b: [3] },
    ],
    ['other $ keys are ordinary', { a: 1 }, { $set: { a: 2 }, $: 3 }, { a: 1, $set: { a: 2 }, $: 3 }],
    [
      'a dotted name is a field of that name',
      { t: { u: [1] } },
      { $append: { 't.u': 2 } },
      { t: { u: [1] }, 't.u': [2] },
    ],
    [
      '__proto__ is a field of that name',
      {},
      JSON.parse('{"$append":{"__proto__":1}}'),
      JSON.parse('{"__proto__":[1]}'),
    ],
  ] // prettier-ignore

  test.each(inTurn(cases))('contract 3.3 %s', async (_, before, sent, after) => {
    const { change, read } = await aPost(wire, before)

    expect(await change(sent)).toEqual(after)
    expect(await read()).toEqual(after)
  })

  test('contract 3.3 operators stand beside data, and inside data, where the dialect wraps', async () => {
    const { change } = await aPost(wire, { t: [1] })
    const isBare = wire.like === 'c'

    const beside = await change({ data: { a: 1 }, $append: { t: 2 } })
    expect(beside).toEqual(isBare ? { data: { a: 1 }, t: [1, 2] } : { a: 1, t: [1, 2] })
    if (isBare) return
    expect(await change({ data: { a: 2, $append: { t: 3 } } })).toEqual({ a: 2, t: [1, 2, 3] })
  })

  test('contract 3.3 operators beside data and in it both count, for one field too', async () => {
    const { api, path, read } = await aPost(wire, { t: [1, 2], u: [], list: 'x' })
    // Without an envelope, "data" is a field.
    if (wire.like === 'c') return
    const sent = `{"data": {"a": 1, "$append": {"t": ["a", [7]], "__proto__": 1}, "$remove": {"t": 1}},
      "$append": {"t": "b", "u": 5, "__proto__": [2]}, "$remove": {"t": [2]}}`

    const answer = expectStatus(200, await api.patch(path, sent))

    expect(answer.text).toMatch(/"__proto__": ?\[2, ?1\]/)
    expect(await read()).toMatchObject({ t: ['b', 'a', [7]], u: [5], a: 1 })
    const refused = await api.patch(path, { data: { $append: { list: 1 } }, $append: { list: 2 } })
    expectFailure(refused, 422, 'VALIDATION_ERROR')
    const id = path.slice(path.lastIndexOf('/') + 1)
    const update = { data: { $append: { u: 6 } }, $append: { u: [7] } }
    expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates: { [id]: update } }))
    expect(await read()).toMatchObject({ u: [5, 7, 6] })
  })

  test.each(
    inTurn([
      ['a text', 'text'],
      ['a number', 5],
      ['an object', { a: 1 }],
      ['a boolean', false],
    ]),
  )('contract 3.3 operators on %s are 422 and change nothing', async (_, value) => {
    const { api, path, read } = await aPost(wire, { field: value })

    for (const operator of ['$append', '$remove']) {
      const answer = await api.patch(path, { other: 1, [operator]: { field: 'x' } })
      expectFailure(answer, 422, 'VALIDATION_ERROR')
    }
    expect(await read()).toEqual({ field: value })
  })

  test.each([['a text'], [5], [['t']], [null]])('contract 3.3 an operator that holds %j is 422', async (value) => {
    const { api, path } = await aPost(wire, { t: [] })

    expectFailure(await api.patch(path, { $append: value }), 422, 'VALIDATION_ERROR')
    expectFailure(await api.patch(path, { $remove: value }), 422, 'VALIDATION_ERROR')
  })

  test('contract 3.3 a document may not hold a field named $append or $remove', async () => {
    const { api, path, read } = await aPost(wire, { t: [1] })

    for (const operator of ['$append', '$remove']) {
      const body = { a: 1, [operator]: { t: [2] } }
      expectFailure(await api.post('/collections/posts', body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.post('/collections/posts/batch', { documents: [{}, body] }), 422, 'VALIDATION_ERROR')
      if (wire.like !== 'c') {
        expectFailure(await api.post('/collections/posts', { data: body }), 422, 'VALIDATION_ERROR')
        const wrapped = { documents: [{ data: body }] }
        expectFailure(await api.post('/collections/posts/batch', wrapped), 422, 'VALIDATION_ERROR')
      }
      if (wire.like !== 'b') expectFailure(await api.put(path, body), 422, 'VALIDATION_ERROR')
    }
    expect(await read()).toEqual({ t: [1] })
  })

  once('contract 3.3 deeper down $append is an ordinary key', async () => {
    const { read } = await aPost(wire, { nested: { $append: { t: 1 } } })

    expect(await read()).toEqual({ nested: { $append: { t: 1 } } })
  })

  test('contract 3.3 operators work in a batch update, and in PUT where it merges', async () => {
    const { api, id, path, read } = await aPost(wire, { t: [1] })
    const updates = { [id]: { data: { $append: { t: 2 }, a: 1 } } }

    expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))
    expect(await read()).toEqual({ t: [1, 2], a: 1 })
    if (wire.like !== 'b') return
    expectStatus(200, await api.put(path, { $remove: { t: 1 } }))
    expect(await read()).toEqual({ t: [2], a: 1 })
  })

  once('contract 2.4 an append that outgrows a document is 413', async () => {
    const { api, path } = await aPost(wire, { t: ['x'.repeat(700_000)] })

    expectFailure(await api.patch(path, { $append: { t: 'y'.repeat(700_000) } }), 413, 'PAYLOAD_TOO_LARGE')
  })

  once('contract 2.4 what an operator holds is checked like any field', async () => {
    const { api, path } = await aPost(wire, { t: [] })

    expectFailure(await api.patch(path, '{"$append":{"t":"\\u0000"}}'), 422, 'VALIDATION_ERROR')
    expectFailure(await api.patch(path, '{"$append":{"":1}}'), 422, 'VALIDATION_ERROR')
    const deep = `{"$append":{"t":${'['.repeat(64)}${']'.repeat(64)}}}`
    expectFailure(await api.patch(path, deep), 413, 'PAYLOAD_TOO_LARGE')
  })
})

async function aPost(wire: Wire, fields: Fields) {
  const { api, posts } = await someDocuments(wire)
  const { id } = await posts.create(fields)
  const path = `/collections/posts/${id}`
  return {
    api,
    id,
    path,
    read: async () => (await posts.get(id)).fields,
    change: async (body: Fields) => wire.row(wire.record(expectStatus(200, await api.patch(path, body)))).fields,
  }
}
