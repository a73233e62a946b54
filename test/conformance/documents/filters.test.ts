import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const documents = [
  { name: 'tea', views: 5, price: 1.5, live: true, tags: ['hot', 'green', '5'], at: '2026-01-05T00:00:00Z' },
  { name: 'Teapot', views: 10, price: -2, live: false, tags: [], at: '2026-02-01T00:00:00Z', maker: { city: 'Delft' } },
  {
    name: 'coffee',
    views: '5',
    tags: 'hot',
    at: '2025-12-31T23:59:59Z',
    maker: { city: 'Turin', staff: { count: 3 } },
  },
  { name: '100%', views: null, code: 'a_b\\c' },
  { name: 'axb', views: [5, 'five', null], code: 'aXbYc' },
  { name: 'ÉCLAIR', live: 'true', note: 'null', views: { amount: 5 } },
] // prettier-ignore

const everyName = documents.map(({ name }) => name)
const allBut = (...names: readonly string[]) => everyName.filter((name) => !names.includes(name))

type Case = readonly [query: string, names: readonly string[]]

/** Spelled with `~` where the suffix's mark is: `__` everywhere, and `_` in variant B as well. */
const equality: readonly Case[] = [
  ['name=tea', ['tea']],
  ['name=TEA', []],
  ['views=5', ['tea', 'coffee', 'axb']],
  ['views=5.0', ['tea', 'axb']],
  ['views=05', []],
  ['views=5e0', ['tea', 'axb']],
  ['views=1e1', ['Teapot']],
  ['views=%2B5', []],
  ['price=-2', ['Teapot']],
  ['price=1.5', ['tea']],
  ['live=true', ['tea', 'ÉCLAIR']],
  ['live=false', ['Teapot']],
  ['live=TRUE', []],
  ['views=null', ['100%', 'axb']],
  ['note=null', ['ÉCLAIR']],
  ['tags=hot', ['tea', 'coffee']],
  ['tags=5', ['tea']],
  ['maker.city=Delft', ['Teapot']],
  ['maker.staff.count=3', ['coffee']],
  ['maker.city.x=Delft', []],
  ['views.amount=5', ['ÉCLAIR']],
  ['name=100%25', ['100%']],
  ['name=%C3%89CLAIR', ['ÉCLAIR']],
  ['name=', []],
  ['missing=', []],
  ['name=tea&views=5', ['tea']],
  ['views=5&views=five', ['axb']],
  ['name=a+b', []],
]

const suffixes: readonly Case[] = [
  ['name~ne=tea', allBut('tea')],
  ['views~ne=5', allBut('tea', 'coffee', 'axb')],
  ['missing~ne=x', everyName],
  ['tags~ne=hot', allBut('tea', 'coffee')],
  ['views~ne=null', allBut('100%', 'axb')],
  ['views~gt=4', ['tea', 'Teapot', 'coffee']],
  ['views~gt=5', ['Teapot']],
  ['views~gte=5', ['tea', 'Teapot', 'coffee']],
  ['views~lt=10', ['tea']],
  ['views~lte=1e1', ['tea', 'Teapot']],
  ['views~lt=6', ['tea', 'coffee']],
  ['price~lt=0', ['Teapot']],
  ['price~gte=-2.0', ['tea', 'Teapot']],
  ['at~gte=2026-01-01', ['tea', 'Teapot']],
  ['at~lt=2026-01-01T00:00:00Z', ['coffee']],
  ['name~gt=t', ['tea', 'ÉCLAIR']],
  ['name~lt=U', ['Teapot', '100%']],
  ['live~gt=a', ['ÉCLAIR']],
  ['tags~gt=a', ['coffee']],
  ['maker.staff.count~gte=3', ['coffee']],
  ['name~in=tea,coffee', ['tea', 'coffee']],
  ['views~in=10,null', ['Teapot', '100%', 'axb']],
  ['name~in=tea', ['tea']],
  ['name~in=', []],
  ['name~in=tea\\,coffee', []],
  ['tags~in=green,x', ['tea']],
  ['live~in=false', ['Teapot']],
  ['views~isnull=true', ['100%']],
  ['views~isnull=false', allBut('100%')],
  ['code~isnull=true', allBut('100%', 'axb')],
  ['note~isnull=false', ['ÉCLAIR']],
  ['maker.city~isnull=false', ['Teapot', 'coffee']],
]

const doubleOnly: readonly Case[] = [
  ['name__contains=TEA', ['tea', 'Teapot']],
  ['name__contains=éclair', ['ÉCLAIR']],
  ['name__contains=%25', ['100%']],
  ['name__contains=_', []],
  ['code__contains=a_b', ['100%']],
  ['code__contains=\\', ['100%']],
  ['code__contains=_b\\C', ['100%']],
  ['name__contains=', everyName],
  ['views__contains=', ['coffee', 'axb']],
  ['views__contains=IVE', ['axb']],
  ['tags__contains=GRE', ['tea']],
  ['tags__contains=hot', ['tea', 'coffee']],
  ['live__contains=true', ['ÉCLAIR']],
  ['name__startswith=Tea', ['Teapot']],
  ['name__startswith=1', ['100%']],
  ['name__startswith=_', []],
  ['name__startswith=%25', []],
  ['code__startswith=a_b\\', ['100%']],
  ['tags__startswith=hot', ['coffee']],
  ['name__endswith=fee', ['coffee']],
  ['name__endswith=%25', ['100%']],
  ['code__endswith=\\c', ['100%']],
  ['code__endswith=_c', []],
  ['tags__endswith=t', ['coffee']],
  ['name__notin=tea,coffee', allBut('tea', 'coffee')],
  ['views__notin=5', allBut('tea', 'coffee', 'axb')],
  ['missing__notin=a,b', everyName],
  ['tags__notin=hot', allBut('tea', 'coffee')],
  ['name__notin=', everyName],
]

const singleOnly: readonly Case[] = [
  ['name_eq=tea', ['tea']],
  ['views_eq=5', ['tea', 'coffee', 'axb']],
  ['name_contains=ea', ['tea', 'Teapot']],
  ['name_contains=Tea', ['Teapot']],
  ['name_contains=TEA', []],
  ['name_icontains=TEA', ['tea', 'Teapot']],
  ['name_icontains=éCLAIR', ['ÉCLAIR']],
  ['code_contains=_b\\c', ['100%']],
  ['code_icontains=_B\\C', ['100%']],
  ['tags_contains=gre', ['tea']],
  ['tags_contains=GRE', []],
  ['tags_icontains=GRE', ['tea']],
]

/** What is found in dialect d, which ignores case in every search. */
const inAnyCase: { readonly [query: string]: readonly string[] } = {
  'name__startswith=Tea': ['tea', 'Teapot'],
  'name_startswith=Tea': ['tea', 'Teapot'],
  'name_contains=Tea': ['tea', 'Teapot'],
  'name_contains=TEA': ['tea', 'Teapot'],
  'tags_contains=GRE': ['tea'],
}

inDialects('Filters', (wire, { once }) => {
  const spelled = (query: string, mark: string) =>
    query.replaceAll('~', mark).replaceAll('\\', '%5C').replaceAll('é', '%C3%A9')

  async function check(cases: readonly Case[], mark = wire.mark) {
    const { posts } = await someDocuments(wire, documents)
    for (const [query, names] of cases) {
      const found = await posts.names(`${spelled(query, mark)}&orderBy=id`)
      const wanted = (wire.name === 'd' && inAnyCase[query]) || names
      expect({ query, names: found }).toEqual({ query, names: wanted })
    }
  }

  test('LST-06 equality on strings, numbers, booleans, null, arrays and nested fields', () => check(equality))

  test('LST-14 several parameters must all hold', () =>
    check([
      ['views~gte=5&live=true', ['tea']],
      ['views~gte=5&views~lt=10&name~ne=coffee', ['tea']],
      ['tags=hot&tags=green', ['tea']],
      ['name=tea&name=coffee', []],
    ]))

  const checkDoubled = (cases: readonly Case[], query: RegExp) =>
    check(
      cases.filter(([one]) => query.test(one)),
      '__',
    )
  test('LST-07 __ne', () => checkDoubled(suffixes, /~ne/))
  test('LST-08 __gt, __gte, __lt and __lte', () => checkDoubled(suffixes, /~(gt|lt)/))
  test('LST-09 __contains, without regard to case', () => checkDoubled(doubleOnly, /__contains/))
  test('LST-10 __startswith and __endswith', () => checkDoubled(doubleOnly, /swith/))
  test('LST-11 __in and __notin', () => checkDoubled([...suffixes, ...doubleOnly], /(~|__not)in=/))
  test('LST-12 __isnull', () => checkDoubled(suffixes, /~isnull/))

  if (wire.like === 'b') {
    test('LST-13 _eq, _ne, _gt, _gte, _lt, _lte, _contains, _icontains, _in and _isnull', () =>
      check([...suffixes, ...singleOnly], '_'))
  }

  if (wire.name === 'd') {
    test('every suffix is read behind one underscore too, and ignores case', () =>
      check([
        ...doubleOnly.map(([query, names]): Case => [query.replace('__', '_'), names]),
        ['name_endswith=FEE', ['coffee']],
        ['name__endswith=éclair', ['ÉCLAIR']],
        ['name_startswith=éC', ['ÉCLAIR']],
        ['createdAt__startswith=x', []],
      ]))
  }

  test('contract 4.2 a comma inside a value of a list is written \\,', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'a,b' }, { name: 'a' }, { name: 'b' }, { name: 'a\\' }])

    expect(await posts.names(`name${wire.mark}in=a%5C,b&orderBy=id`)).toEqual(['a,b'])
    expect(await posts.names(`name${wire.mark}in=a%5C,b,a&orderBy=id`)).toEqual(['a,b', 'a'])
    expect(await posts.names(`name${wire.mark}in=a,b&orderBy=id`)).toEqual(['a', 'b'])
  })

  once('contract 4.2 an empty list is one empty item', async () => {
    const { posts } = await someDocuments(wire, [{ name: '' }, { name: 'a' }])

    expect(await posts.names(`name${wire.mark}in=`)).toEqual([''])
    expect(await posts.names('name=')).toEqual([''])
  })

  once(
    'contract 4.2 the service’s own id and times are filtered like fields, and win over fields of those names',
    async () => {
      const { api, posts } = await someDocuments(wire)
      const one = await posts.create({ name: 'one', createdAt: 'z', id: 'mine' })
      await new Promise((resolve) => setTimeout(resolve, 5))
      const two = await posts.create({ name: 'two' })
      await new Promise((resolve) => setTimeout(resolve, 5))
      await api.patch(`/collections/posts/${one.id}`, { touched: 1 })

      expect(await posts.names(`id=${one.id}`)).toEqual(['one'])
      expect(await posts.names('id=mine')).toEqual([])
      expect(await posts.names(`id${wire.mark}in=${one.id},${two.id}&orderBy=id`)).toEqual(['one', 'two'])
      expect(await posts.names(`id${wire.mark}ne=${one.id}`)).toEqual(['two'])
      for (const field of ['createdAt', 'created_at']) {
        expect(await posts.names(`${field}${wire.mark}gte=${two.createdAt}`)).toEqual(['two'])
        expect(await posts.names(`${field}${wire.mark}lt=${two.createdAt}`)).toEqual(['one'])
        expect(await posts.names(`${field}=${one.createdAt}`)).toEqual(['one'])
      }
      for (const field of ['updatedAt', 'updated_at']) {
        expect(await posts.names(`${field}${wire.mark}gt=${two.updatedAt}`)).toEqual(['one'])
      }
      expect(await posts.names(`createdAt${wire.mark}isnull=true`)).toEqual([])
    },
  )

  once('contract 4.2 own times are points in time in every operator but the text ones', async () => {
    const { api, posts } = await someDocuments(wire, [{ name: 'one' }])
    const [{ createdAt = '' } = {}] = (await posts.list()).rows
    const at = Date.parse(createdAt)
    const iso = (milliseconds: number) => new Date(at + milliseconds).toISOString()
    const inZone = (milliseconds: number, hours: number, zone: string) =>
      encodeURIComponent(iso(milliseconds + hours * 3_600_000).replace('Z', zone))
    const cases: readonly Case[] = [
      [`~gt=${inZone(-1, -8, '-08:00')}`, ['one']],
      [`~gt=${inZone(0, -8, '-08:00')}`, []],
      [`~lte=${inZone(0, 5, '+0500')}`, ['one']],
      [`~gte=${iso(0).replace('Z', '000Z')}`, ['one']],
      [`~gt=${iso(-1000).slice(0, 19)}Z`, ['one']],
      [`~lt=${iso(1000).slice(0, 19)}`, ['one']],
      [`=${inZone(0, 2, '+02:00')}`, ['one']],
      [`~ne=${inZone(0, 2, '+02:00')}`, []],
      [`~in=2020,${inZone(0, 2, '+02:00')}`, ['one']],
      ['~gte=2020', ['one']],
      ['~gte=2020-02&createdAt~lt=2020-02-29', []],
      [`__notin=${inZone(0, 2, '+02')}`, []],
      [`__startswith=${createdAt.slice(0, 13)}`, ['one']],
    ]

    for (const [query, names] of cases) {
      for (const name of ['createdAt', 'created_at', 'updatedAt', 'updated_at']) {
        const asked = `${name}${query.replaceAll('~', wire.mark)}`
        expect([asked, await posts.names(asked)]).toEqual([asked, names])
      }
    }
    for (const bad of ['', 'today', '26', '2026-02-30', '2026-01-01T25:00', 'null', '1770000000']) {
      for (const suffix of ['', `${wire.mark}gt`, `${wire.mark}in`]) {
        const answer = await api.get(`${wire.listPath('posts')}?updated_at${suffix}=${bad}`)
        expectFailure(answer, 400, 'INVALID_FILTER')
      }
    }
    expectFailure(await api.get('/auth-collections/users?createdAt=today'), 400, 'INVALID_FILTER')
  })

  once('contract 4.2 a datetime field of the collection is compared and sorted as a point in time', async () => {
    const due = ['2026-03-01T00:00:00+02:00', '2026-02-28T23:00:00Z', '2026-02-28', '2026-02-28T22:00:00.5Z']
    const untyped = [null, 'soon', 2026, ['2026-02-28'], undefined]
    const { api, posts } = await someDocuments(
      wire,
      [...due, ...untyped].map((due, at) => ({ name: `${at}`, due, text: due })),
    )
    expectStatus(200, await api.patch('/api/collections/posts', { schema: { due: { type: 'datetime' } } }))
    const filters: readonly Case[] = [
      ['due~gte=2026-02-28T22:00:00Z', ['0', '1', '3']],
      ['due~gt=2026-02-28T22:00Z&due~lt=2026-02-28T18:00:00-05:00', ['3']],
      ['due~lte=2026-02-28', ['2']],
      ['due=2026-02-28T22:00:00Z', ['0']],
      ['due~ne=2026-02-28T22:00:00Z', ['1', '2', '3', '4', '5', '6', '7', '8']],
      ['due~in=2026-02-28,2026-03-01T04:30:00%2B05:30', ['1', '2']],
      ['due=null', ['4']],
      ['due~isnull=true', ['4', '8']],
      ['[or]due=2026-02-28&[or]name=7', ['2', '7']],
      ['text~gte=2026-03', ['0', '5']],
    ]

    for (const [query, names] of filters) {
      const asked = query.replaceAll('~', wire.mark)
      expect([asked, await posts.names(`${asked}&orderBy=name`)]).toEqual([asked, names])
    }
    expect((await posts.names('orderBy=due')).slice(0, 4)).toEqual(['2', '0', '3', '1'])
    expect((await posts.names('orderBy=due&order=desc&limit=4')).slice(0, 4)).toEqual(['1', '3', '0', '2'])
    expect((await posts.names(`orderBy=due&due${wire.mark}gt=2026-02-28`)).slice(0, 4)).toEqual(['0', '3', '1'])
    for (const query of ['due=soon', `due${wire.mark}gt=null`, 'due=2026-02-30']) {
      expectFailure(await api.get(`${wire.listPath('posts')}?${query}`), 400, 'INVALID_FILTER')
    }
  })

  once('contract 4.2 through a link, times are compared as text', async () => {
    const { api, posts } = await someDocuments(wire, [{ name: 'target' }])
    const [{ id = '', createdAt = '' } = {}] = (await posts.list()).rows
    await posts.create({ name: 'source', link: id })
    const found = (text: string) =>
      posts.names(`populate=link&link.createdAt${wire.mark}gte=${encodeURIComponent(text)}&orderBy=name`)

    expect(await found(createdAt)).toEqual(['source'])
    expect(await found(`${createdAt.slice(0, -1)}+00:00`)).toEqual(['source'])
    expect(await found('z')).toEqual([])
    expectStatus(200, await api.get(`${wire.listPath('posts')}?populate=link&link.createdAt=today`))
  })

  once('contract 4.2 isnull takes true or false, anything else is 400', async () => {
    const { posts } = await someDocuments(wire)

    for (const value of ['', 'yes', '1', 'TRUE', 'null']) {
      expectFailure(await posts.ask(`name${wire.mark}isnull=${value}`), 400, 'INVALID_FILTER')
    }
  })

  test('LST-19 an unknown filter suffix is 400 and the known ones are named', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'one' }])

    const answers = await Promise.all(['name__foo=x', 'a.b__like=x', 'name__GT=5'].map(posts.ask))

    for (const answer of answers) {
      expectFailure(answer, 400, 'INVALID_FILTER')
      expect(answer.text).toContain('startswith')
    }
  })

  test('contract 4.3 an unknown single suffix is part of the field’s name', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'one', checked_in: '3', checked_out: 4, a_gt_b: 1 }])

    expect(await posts.names('checked_out=4')).toEqual(['one'])
    expect(await posts.names('a_gt_b=1')).toEqual(['one'])
    // Ambiguous names follow the dialect.
    expect(await posts.names('checked_in=3')).toEqual(wire.like === 'b' ? [] : ['one'])
    expect(await posts.names('checked_in__in=3')).toEqual(['one'])
    if (wire.like === 'b') expect(await posts.names('checked_in_eq=3')).toEqual(['one'])
  })

  test('contract 4.2 any name and any value is served, hostile ones too', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'one', "a'b": 'x', '"': '"', 'ä"ö': 1 }])
    const names = [
      "a'b",
      '"',
      'ä"ö',
      "x'; drop table documents --",
      '..',
      '{}',
      '$1',
      '\\',
      '🍵',
      '__proto__',
      '[0]',
      '%',
    ]
    const values = [
      "'; select 1 --",
      '\0',
      '\ud83c'.toWellFormed(),
      '1e400',
      '-1e400',
      '9'.repeat(400),
      '\\',
      '%',
      '{}',
    ]

    for (const name of names) {
      for (const value of values) {
        const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
        const { status } = await posts.ask(query)
        expect({ query, status: [200, 400].includes(status) }).toEqual({ query, status: true })
      }
    }
    expect(await posts.names("a'b=x")).toEqual(['one'])
    expect(await posts.names('%22=%22')).toEqual(['one'])
    for (const operator of ['gt', 'lte', 'contains', 'in', 'ne']) {
      for (const value of values) {
        const query = `name${wire.mark}${operator}=${encodeURIComponent(value)}`
        const status = value.includes('\0') ? 400 : 200
        expect({ query, status: (await posts.ask(query)).status }).toEqual({ query, status })
      }
    }
  })
})
