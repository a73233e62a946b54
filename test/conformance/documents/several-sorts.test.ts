import { expect, test } from 'vitest'
import { aTown, usersOf } from '../../fixtures/accounts.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Several sort fields', (wire, { once }) => {
  once('contract 13.5 each field has its own direction, in whatever parameter', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'b', points: 2 },
      { name: 'a', points: 1 },
      { name: 'a', points: 2 },
      { name: 'c', points: 1 },
    ])
    const order = async (query: string) =>
      (await posts.list(query)).rows.map(({ fields }) => `${fields.points}${fields.name}`)

    for (const name of ['orderBy', 'sort_by', 'sort']) {
      expect(await order(`${name}=-points,name`)).toEqual(['2a', '2b', '1a', '1c'])
      expect(await order(`${name}=points,-name`)).toEqual(['1c', '1a', '2b', '2a'])
      expect(await order(`${name}=name,points`)).toEqual(['1a', '2a', '2b', '1c'])
      expect(await order(`${name}=-name,-points`)).toEqual(['1c', '2b', '2a', '1a'])
    }
  })

  test('contract 13.5 a leading minus alone is descending', async () => {
    const { posts } = await someDocuments(wire, [{ name: 1 }, { name: 3 }, { name: 2 }])

    expect(await posts.names('sort=-name')).toEqual([3, 2, 1])
    expect(await posts.names('orderBy=-id')).toEqual([2, 3, 1])
  })

  once('contract 13.5 the order of types holds in each field, missing values are last, ties are by id', async () => {
    const values = [undefined, null, 'a', 'b', 1, 2, false, true, [], [null], [1], {}, { a: 1 }]
    const many = values.flatMap((second, at) => [0, 1].map((first) => ({ name: `${first} ${at}`, first, second })))
    const { posts } = await someDocuments(wire, [
      ...many.toReversed(),
      { name: 'tie 1', first: 2 },
      { name: 'tie 2', first: 2 },
    ])
    const upwards = values.map((_, at) => at).slice(1)
    const within = (first: number, order: readonly number[]) => [...order, 0].map((at) => `${first} ${at}`)

    expect(await posts.names('sort=first,second&limit=100')).toEqual([
      ...within(0, upwards),
      ...within(1, upwards),
      'tie 1',
      'tie 2',
    ])
    expect(await posts.names('sort=-first,-second&limit=100')).toEqual([
      'tie 1',
      'tie 2',
      ...within(1, upwards.toReversed()),
      ...within(0, upwards.toReversed()),
    ])
  })

  once('contract 13.5 pages of a list, filtered or not, follow the whole order', async () => {
    const { posts } = await someDocuments(
      wire,
      Array.from({ length: 30 }, (_, n) => ({ name: n, a: n % 3, b: (n * 7) % 5, at: { c: n % 2 } })),
    )

    for (const filter of ['', `&name${wire.mark}lt=20`, '&a=1', `&name${wire.mark}lt=25&count=false`]) {
      const all = await posts.names(`sort=a,-at.c,b,name&limit=30${filter}`)
      const pages = await Promise.all(
        [0, 7, 14, 21, 28].map((offset) => posts.names(`sort=a,-at.c,b,name&limit=7&offset=${offset}${filter}`)),
      )
      expect(pages.flat(), filter).toEqual(all)
      expect(all.length).toBeGreaterThan(5)
    }
  })

  once('contract 13.5 the service’s own fields and times of the schema sort among others', async () => {
    const due = { type: 'datetime' }
    const { posts } = await someDocuments(
      wire,
      [
        { name: 1, kind: 'x', due: '2026-01-01T12:00:00+02:00' },
        { name: 2, kind: 'x', due: '2026-01-01T11:00:00Z' },
        { name: 3, kind: 'y', due: '2026-01-01T10:30:00Z' },
        { name: 4, kind: 'y', due: '2026-01-01T12:30:00+02:00' },
      ],
      { schema: { due } },
    )

    expect(await posts.names('sort=kind,-due')).toEqual([2, 1, 3, 4])
    expect(await posts.names('sort=kind,-id')).toEqual([2, 1, 4, 3])
    expect(await posts.names('sort=-kind,createdAt,-id')).toEqual([4, 3, 2, 1])
    expect(await posts.names('sort=-id,kind')).toEqual([4, 3, 2, 1])
  })

  once('contract 13.5 an escaped comma and an escaped minus are part of a name', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 1, 'a,b': 2, '-c': 1 },
      { name: 2, 'a,b': 1, '-c': 3 },
      { name: 3, 'a,b': 1, '-c': 2 },
    ])

    expect(await posts.names('orderBy=a%5C,b&order=desc')).toEqual([1, 2, 3])
    expect(await posts.names('orderBy=%5C-c&order=desc')).toEqual([2, 3, 1])
    expect(await posts.names('orderBy=a%5C,b,%5C-c')).toEqual([3, 2, 1])
    expect(await posts.names('orderBy=a%5C,b,-%5C-c')).toEqual([2, 3, 1])
    expect(await posts.names('orderBy=-a%5C,b')).toEqual([1, 2, 3])
  })

  once('contract 13.5 a direction beside them, a name that is none, and more than ten are refused', async () => {
    const { posts } = await someDocuments(wire)
    const refused = [
      'orderBy=a,b&order=asc',
      'orderBy=-a&order=desc',
      'sort_by=a,-b&sort_order=desc',
      'sort=a,',
      'sort=-',
      'sort=a,-,b',
      `sort=${Array(11).fill('a').join(',')}`,
    ]

    for (const query of refused) expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
    expect(await posts.names(`sort=${Array(10).fill('a').join(',')}`)).toEqual([])
  })

  once('contract 13.5 users are sorted by several fields', async () => {
    const { api, anAccount } = await aTown(wire)
    for (const [name, kind] of [
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ] as const) {
      await anAccount({ data: { name, kind } })
    }
    const list = expectStatus(200, await api.get('/auth-collections/users?sort=-kind,-name'))
    const { users } = usersOf(wire, list)

    expect(users.map(({ data }) => data.name)).toEqual(['b', 'c', 'a'])
  })
})
