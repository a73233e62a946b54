import { expect, test } from 'vitest'
import { aTown, userOf, usersOf } from '../../fixtures/accounts.js'
import { expectFailure, expectStatus, type Fields, inDialects, someDocuments } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Selected fields', (wire, { once }) => {
  once('contract 13.4 a list and a get return the selected fields, with id and times', async () => {
    const { posts, rows } = await someDocuments(wire, [
      { name: 'a', views: 1, text: 'x' },
      { name: 'b', extra: null },
    ])
    const [first] = rows

    const listed = await posts.list('select=views,extra&sort_by=name')

    expect(listed.rows.map(({ fields }) => fields)).toEqual([{ views: 1 }, { extra: null }])
    expect(listed.rows.map(({ id, createdAt }) => ({ id, createdAt }))).toEqual(
      rows.map(({ id, createdAt }) => ({ id, createdAt })),
    )
    expect(listed.total).toBe(2)
    expect(await posts.get(first?.id ?? '', 'select=name')).toEqual({ ...first, fields: { name: 'a' } })
  })

  once('contract 13.4 it is repeatable, a comma separates, and an escaped comma is part of a name', async () => {
    const { posts } = await someDocuments(wire, [{ a: 1, b: 2, c: 3, 'd,e': 4, 'g\\h': 5, __proto__: 6 }])
    const selected = async (query: string) => (await posts.list(query)).rows[0]?.fields

    expect(await selected('select=a&select=b,d%5C,e')).toEqual({ a: 1, b: 2, 'd,e': 4 })
    expect(await selected('select=g%5Ch,missing')).toEqual({ 'g\\h': 5 })
    expect(await selected('select=a,a,a')).toEqual({ a: 1 })
    expect(await selected('select=missing')).toEqual({})
    expect(await selected('select=id,createdAt,updated_at')).toEqual({})
  })

  once('contract 13.4 dotted names reach into objects and the items of arrays', async () => {
    const { posts, rows } = await someDocuments(wire, [
      {
        at: { city: 'Ulm', zip: '1' },
        lines: [{ sku: 1, n: 2 }, { n: 3 }, 'text', { sku: { x: 1, y: 2 } }],
        flat: 5,
        none: null,
      },
    ])
    const [{ id } = { id: '' }] = rows
    const cases: readonly (readonly [string, Fields])[] = [
      ['at.city', { at: { city: 'Ulm' } }],
      ['at.city,at', { at: { city: 'Ulm', zip: '1' } }],
      ['at,at.city', { at: { city: 'Ulm', zip: '1' } }],
      ['at.nothing', { at: {} }],
      ['lines.sku', { lines: [{ sku: 1 }, {}, { sku: { x: 1, y: 2 } }] }],
      ['lines.sku.x', { lines: [{}, {}, { sku: { x: 1 } }] }],
      ['flat.deeper', {}],
      ['none.deeper', {}],
    ]

    for (const [select, fields] of cases) {
      const whole = [await posts.get(id, `select=${select}`), ...(await posts.list(`select=${select}`)).rows]
      expect(
        whole.map(({ fields }) => fields),
        select,
      ).toEqual([fields, fields])
    }
  })

  test('contract 13.4 dotted names reach into populated records, and no record is populated that is left out', async () => {
    const { posts, collection } = await someDocuments(wire)
    const people = await collection('people')
    const [boss, ada] = [await people.create({ name: 'Bo', age: 60 }), await people.create({ name: 'Ada', age: 36 })]
    const worker = await people.create({ name: 'Will', age: 20, boss: boss.id, secret: 1 })
    const post = await posts.create({ author: worker.id, readers: [ada.id, unknownId], title: 'Tea', size: 1 })
    const read = async (query: string) => {
      const [row] = (await posts.list(query)).rows
      expect(await posts.get(post.id, query)).toEqual(row)
      return row?.fields ?? {}
    }

    const named = await read('populate=author.boss,readers&select=title,author.name,author.boss.age,readers.name')
    expect(Object.keys(named).sort()).toEqual(['author', 'readers', 'title'])
    const author = wire.link(named.author)
    expect({ ...author, fields: { ...author.fields, boss: null } }).toEqual({
      ...worker,
      fields: { name: 'Will', boss: null },
    })
    expect(wire.link(author.fields.boss)).toEqual({ ...boss, fields: { age: 60 } })
    const [reader, unknown] = named.readers as unknown[]
    expect([wire.link(reader).fields, unknown]).toEqual([{ name: 'Ada' }, unknownId])

    expect(await read('populate=author,readers&select=title')).toEqual({ title: 'Tea' })
    const shallow = await read('populate=author.boss&select=author.boss')
    expect(wire.link(wire.link(shallow.author).fields.boss)).toEqual(boss)
    expect(wire.link((await read('populate=author&select=author')).author)).toEqual(worker)
    expect(wire.link((await read('populate=author&select=author.id')).author).fields).toEqual({})
    // The filter and the order still see all of the document.
    expect(await posts.list('populate=author&select=title&author.name=Will&sort_by=size')).toMatchObject({ total: 1 })
  })

  once('contract 13.4 filters, orders and pages are those of the whole documents', async () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ n, kind: n % 2, text: 'x'.repeat(3_000) }))
    const { posts } = await someDocuments(wire, many)
    const { mark } = wire
    const queries = [
      '',
      'limit=5&offset=7',
      `n${mark}gte=5&n${mark}lt=15`,
      `n${mark}gte=5&count=false&limit=3`,
      'kind=1&limit=4',
      'sort_by=kind&limit=6&offset=10',
      'sort=-kind,n&limit=6',
      `kind=0&sort_by=n&sort_order=desc&limit=3`,
    ]

    for (const query of queries) {
      const [whole, selected] = [await posts.list(query), await posts.list(`${query}&select=n`)]
      expect(selected, query).toEqual({
        ...whole,
        rows: whole.rows.map((row) => ({ ...row, fields: { n: row.fields.n } })),
      })
    }
  })

  once('contract 13.4 a field named select is filtered with a suffix', async () => {
    const { posts } = await someDocuments(wire, [
      { name: 'one', select: '5' },
      { name: 'two', select: '6' },
    ])

    expect(await posts.names('select__eq=5')).toEqual(['one'])
    if (wire.mark === '_') expect(await posts.names('select_eq=6')).toEqual(['two'])
  })

  test('contract 13.4 the data of users is selected too', async () => {
    const { api, anAccount } = await aTown(wire)
    const ada = await anAccount({ data: { city: 'Ulm', iban: 'x', at: { a: 1, b: 2 } } })

    const own = await ada.api.get('/auth-collections/user?select=city')
    const one = await api.get(`/auth-collections/users/${ada.id}?select=at.a,email`)
    const list = expectStatus(200, await api.get('/auth-collections/users?select=city'))

    const { id, email } = ada
    expect(userOf(wire, wire.record(expectStatus(200, own)))).toMatchObject({ id, email, data: { city: 'Ulm' } })
    expect(userOf(wire, wire.record(expectStatus(200, one)))).toMatchObject({ id, email, data: { at: { a: 1 } } })
    expect(usersOf(wire, list).users).toMatchObject([{ id, email, data: { city: 'Ulm' } }])
    expect(JSON.stringify([own, one, list].map(({ body }) => body))).not.toContain('iban')
  })

  once('contract 13.4 a name that is none, and more than 200, are refused', async () => {
    const { posts, api, rows } = await someDocuments(wire, [{ name: 'a' }])

    for (const query of ['select=', 'select=a,', 'select=a..b', `select=${Array(201).fill('a').join(',')}`]) {
      expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
      expectFailure(await api.get(`/collections/posts/${rows[0]?.id}?${query}`), 400, 'INVALID_QUERY')
    }
    expectStatus(200, await posts.ask(`select=${Array(200).fill('a').join(',')}`))
  })
})
