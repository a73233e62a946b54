import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Queries', (wire, { once, inTurn }) => {
  once('contract 10.7 200 parameters are served, 201 are 400', async () => {
    const { posts } = await someDocuments(wire)
    const parameters = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')

    expectStatus(200, await posts.ask(parameters(200)))
    expectFailure(await posts.ask(parameters(201)), 400, 'INVALID_QUERY')
    expectFailure(await posts.ask(Array(1_000).fill('a').join('&')), 400, 'INVALID_QUERY')
  })

  once('contract 10.7 a query of 8 KB is served, a byte more is 400', async () => {
    const { posts } = await someDocuments(wire)
    const query = (bytes: number) => `name=${'x'.repeat(bytes - 'name='.length)}`

    expectStatus(200, await posts.ask(query(8 * 1024)))
    expectFailure(await posts.ask(query(8 * 1024 + 1)), 400, 'INVALID_QUERY')
  })

  test.each([
    'limit=1&limit=1',
    'offset=1&offset=2',
    'orderBy=a&orderBy=b',
    'orderBy=a&order=asc&order=asc',
    'sort_by=a&sort_by=b',
    'sort_by=a&sort_order=asc&sort_order=desc',
    'sort=a&sort=b',
    'count=true&count=false',
  ])('contract 10.7 a single-valued name given twice is 400: %s', async (query) => {
    const { posts } = await someDocuments(wire)

    expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
  })

  once('contract 10.7 the collection of an alias given twice is 400', async () => {
    const { api } = await someDocuments(wire)

    expectFailure(await api.post('/collections/documents?collection=posts&collection=others', {}), 400, 'INVALID_QUERY')
  })

  test.each(inTurn(['name=%', 'name=%zz', '%E0%A4=1', 'name=%ff', 'name=%c3', 'limit=%', 'name=%ed%a0%80']))(
    'contract 10.7 bad percent encoding is 400: %s',
    async (query) => {
      const { posts } = await someDocuments(wire)

      expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
    },
  )

  once('contract 2.1 bad percent encoding in a path names nothing', async () => {
    const { api } = await someDocuments(wire)

    for (const path of ['/collections/%zz/documents', '/collections/posts/%', '/collections/posts/%ff', '/%']) {
      expectFailure(await api.get(path), 404, 'NOT_FOUND')
    }
  })

  test('contract 10.7 odd queries are served as they read', async () => {
    const { posts } = await someDocuments(wire, [{ name: 'a b' }, { name: 'a=b' }, { name: 'a&b' }, { name: 'a+b' }])

    expect(await posts.names('name=a+b')).toEqual(['a b'])
    expect(await posts.names('name=a%20b')).toEqual(['a b'])
    expect(await posts.names('name=a=b')).toEqual(['a=b'])
    expect(await posts.names('name=a%26b')).toEqual(['a&b'])
    expect(await posts.names('name=a%2Bb')).toEqual(['a+b'])
    expect(await posts.names('&&name=a+b&')).toEqual(['a b'])
    for (const query of ['=', '=x', 'name', '?', '&', '%20=1', 'a[b]=1', 'a[]=1', 'a.b[c].d=1', '[]=1']) {
      const { status } = await posts.ask(query)
      expect({ query, status: [200, 400].includes(status) }).toEqual({ query, status: true })
    }
  })

  once('contract 4.2 a parameter of the list is not a filter, and a filter is no parameter elsewhere', async () => {
    const { api, posts } = await someDocuments(wire, [{ name: 'one', limit: 7, populate: 'x' }])

    expect(await posts.names('limit=7&offset=0&order=asc&count=true')).toEqual(['one'])
    const [row] = (await posts.list()).rows
    expectStatus(200, await api.get(`/collections/posts/${row?.id}`))
  })
})
