import { afterEach, expect, test } from 'vitest'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const values = [
  undefined,
  null,
  'tea',
  'Tea',
  '5',
  5,
  0,
  true,
  false,
  [],
  ['tea'],
  [5, null],
  {},
  { a: 'tea' },
  { a: null },
]
const named = values.map((value, name) => (value === undefined ? { name } : { name, value }))

inDialects('Negated filters', (wire, { once }) => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  test('contract 13.6 a document matches [not] exactly when it does not match the condition', async () => {
    const { posts } = await someDocuments(wire, named)
    const { mark } = wire
    const all = named.map(({ name }) => name)
    const conditions = [
      'value=tea',
      'value=5',
      'value=null',
      'value.a=tea',
      `value${mark}ne=tea`,
      `value${mark}gt=1`,
      `value${mark}lte=tea`,
      `value${mark}contains=te`,
      `value${mark}in=tea,5,true`,
      `value${mark}isnull=true`,
      `value.a${mark}isnull=false`,
      'value__startswith=t',
      'value__endswith=a',
      'value__notin=tea',
      '[exists]value=true',
      '[exists]value.a=false',
      'value__or__value.a=tea',
      'createdAt__gte=2000',
      `createdAt${mark}lt=2000`,
      `id${mark}in=x`,
    ]

    for (const condition of conditions) {
      const query = (prefix: string) => posts.names(`${prefix}${condition}&sort=name&limit=100`)
      const [matching, others] = [await query(''), await query('[not]')]
      expect(
        [...matching, ...others].toSorted((one, other) => Number(one) - Number(other)),
        condition,
      ).toEqual(all)
    }
  })

  test('contract 13.6 [exists] tells a missing field from null', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'missing' },
      { name: 'null', value: null, at: { b: null } },
      { name: 'set', value: 0, at: {}, views__gte: 1, views_gte: 1 },
    ])
    const found = (query: string) => posts.names(`${query}&sort=name`)

    expect(await found('[exists]value=true')).toEqual(['null', 'set'])
    expect(await found('[exists]value=false')).toEqual(['missing'])
    expect(await found('[not][exists]value=true')).toEqual(['missing'])
    expect(await found('[exists]at.b=true')).toEqual(['null'])
    expect(await found('[exists]createdAt=true')).toEqual(['missing', 'null', 'set'])
    expect(await found('[exists]id=false')).toEqual([])
    // A suffix is part of the name here.
    expect(await found(`[exists]views${wire.mark}gte=true`)).toEqual(['set'])
    expect(await found('[exists]at.b__or__views_gte=true')).toEqual(['null', 'set'])
    expect(await found(`[exists]value=true&value${wire.mark}isnull=true`)).toEqual(['null'])
    expectFailure(await posts.ask('[exists]value=yes'), 400, 'INVALID_FILTER')
    expectFailure(await posts.ask('[exists]=true'), 400, 'INVALID_FILTER')
  })

  test('contract 13.6 [not:group] excludes what matches all conditions of the group', async () => {
    const { posts } = await someDocuments(
      wire,
      [0, 1].flatMap((a) => [0, 1].flatMap((b) => [0, 1].map((c) => ({ name: `${a}${b}${c}`, a, b, c })))),
    )
    const found = (query: string) => posts.names(`${query}&sort=name`)

    expect(await found('[not:x]a=1&[not:x]b=1')).toEqual(['000', '001', '010', '011', '100', '101'])
    expect(await found('[not:x]a=1&[not:y]b=1')).toEqual(['000', '001'])
    expect(await found('[not:x]a=1&[not:x]b__or__c=1')).toEqual(['000', '001', '010', '011', '100'])
    expect(await found('[not:x][not]a=1&[not:x]b=0&c=1')).toEqual(['011', '101', '111'])
    expect(await found('[not]a__or__b=1')).toEqual(['000', '001'])
    expect(await found('[or]a=1&[or][not]b=0')).toEqual(['010', '011', '100', '101', '110', '111'])
    expect(await found('[or:x]a=1&[not][or:x]b__or__c=1')).toEqual(['000', '100', '101', '110', '111'])
    expectFailure(await posts.ask('[or:x][not:y]a=1'), 400, 'INVALID_FILTER')
    expectFailure(await posts.ask('[not][not]a=1'), 400, 'INVALID_FILTER')
  })

  test('contract 13.6 [not] and [exists] reach linked records', async () => {
    const { posts, collection } = await someDocuments(wire)
    const people = await collection('people')
    const [ada, bob] = [await people.create({ name: 'Ada', age: null }), await people.create({ name: 'Bob' })]
    await posts.fill([
      { name: 'by Ada', author: ada.id },
      { name: 'by Bob', author: bob.id },
      { name: 'by both', author: [ada.id, bob.id] },
      { name: 'by none' },
      { name: 'embedded', author: { name: 'Ada' } },
    ])
    const found = (query: string) => posts.names(`populate=author&${query}&sort=name`)

    expect(await found('[not]author.name=Ada')).toEqual(['by Bob', 'by none'])
    expect(await found('[not]author.name__ne=Ada')).toEqual(['by Ada', 'embedded'])
    expect(await found('[exists]author.age=true')).toEqual(['by Ada', 'by both'])
    expect(await found('[not][exists]author.age=true')).toEqual(['by Bob', 'by none', 'embedded'])
  })

  once('contract 13.6 and 10.11 they count as tests, as often as they expand', async () => {
    const { posts } = await someDocuments(wire, [{ name: 1 }])
    const { mark } = wire
    const many = (count: number) => Array.from({ length: count }, (_, n) => n).join(',')

    expect(await posts.names(`[not]name${mark}in=${many(200).replace(',1,', ',1000,')}`)).toEqual([1])
    expectFailure(await posts.ask(`[not]name${mark}in=${many(201)}`), 400, 'INVALID_FILTER')
    // 2 to the power of 5 clauses of 5 tests, and of 6.
    const crossed = (count: number) => Array.from({ length: count }, (_, n) => `[not:x]a${n}__or__b${n}=1`).join('&')
    expect(await posts.names(crossed(5))).toEqual([1])
    expectFailure(await posts.ask(crossed(6)), 400, 'INVALID_FILTER')
    expectFailure(await posts.ask(crossed(30)), 400, 'INVALID_FILTER')
  })

  test('contract 13.6 subscriptions take them', async () => {
    const { project, collection } = await aWorld(wire)
    const posts = await collection('posts')
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    closing.push(socket.close)
    const filters = { '[not]kind': 'draft', '[exists]name': true, '[not:x]a': [1, 2], '[or][not]b': 1, '[or]c': 1 }
    await socket.ask({ type: 'subscribe', collection: 'posts', filters, live: true })

    const rows = await posts.fill([
      { name: 1, kind: 'draft' },
      { kind: 'post' },
      { name: null },
      { name: 3, b: 1 },
      { name: 4, b: 1, c: 1, a: [1] },
      { name: 5, a: [1, 2] },
      { name: 6 },
    ])

    const heard = (await socket.atLeast(5)).filter(({ type }) => type !== 'authenticated' && type !== 'subscribed')
    const wanted = [2, 4, 6].map((at) => rows[at]?.id)
    for (const [at, id] of wanted.entries()) expect(JSON.stringify(heard[at])).toContain(id)
    expect(heard).toHaveLength(3)
    const refused = await socket.ask({ type: 'subscribe', collection: 'posts', filters: { '[exists]a': 'yes' } })
    expect(refused).toMatchObject({ code: 'INVALID_FILTER' })
  })

  once('contract 13.6 filters on who created a document cannot be negated', async () => {
    const { api, collection, posts } = await someDocuments(wire)
    await collection('own', { permissions: { update: ['owner'] } })

    for (const query of ['[not]created_by=me', '[exists]created_by=true', '[not:x]created_by=me']) {
      expectFailure(await api.get(`${wire.listPath('own')}?${query}`), 400, 'INVALID_FILTER')
      expectStatus(200, await posts.ask(query))
    }
  })
})
