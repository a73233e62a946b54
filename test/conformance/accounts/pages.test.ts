import { expect, test } from 'vitest'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Pages', (wire, { once, inTurn }) => {
  test('LST-01 the page has the dialect’s default, and its maximum at most', async () => {
    const { posts } = await someDocuments(wire, numbered(wire.pages.most + 10))

    for (const [query, limit] of [
      ['', wire.pages.usual],
      ['limit=1', 1],
      [`limit=${wire.pages.most}`, wire.pages.most],
      // Contract 2.6: a limit is capped at the maximum, and the answer says so.
      [`limit=${wire.pages.most + 1}`, wire.pages.most],
      ['limit=999999999', wire.pages.most],
      ['limit=999999999999999999999999', wire.pages.most],
    ] as const) {
      const page = await posts.list(query)
      expect({ query, rows: page.rows.length, limit: page.limit }).toEqual({ query, rows: limit, limit })
      // LST-20
      expect(page.total).toBe(wire.pages.most + 10)
    }
  })

  once('LST-01 offset skips, and pages follow each other without gap or overlap', async () => {
    const { posts } = await someDocuments(wire, numbered(25))

    const pages = await Promise.all([0, 10, 20, 30].map((offset) => posts.list(`limit=10&offset=${offset}`)))

    const numbers = pages.flatMap(({ rows }) => rows.map(({ fields }) => fields.number))
    expect(numbers).toEqual(numbered(25).map(({ number }) => 24 - number))
  })

  once('contract 2.6 limit=0 is an empty page with its total', async () => {
    const { posts } = await someDocuments(wire, numbered(3))

    expect(await posts.list('limit=0')).toEqual({ rows: [], total: 3, limit: 0 })
  })

  test('contract 2.6 an offset beyond the end is an empty page with its total', async () => {
    const { posts } = await someDocuments(wire, numbered(3))

    for (const offset of ['3', '4', '1000000', '999999999999', '9007199254740991', '9'.repeat(40)]) {
      const page = await posts.list(`offset=${offset}`)
      expect({ offset, ...page }).toEqual({ offset, rows: [], total: 3, limit: wire.pages.usual })
    }
  })

  test.each(
    inTurn(['-1', '1.5', '1e3', 'ten', '', ' ', '+5', '0x10', '5 ', 'NaN', 'Infinity', '-0', '٣', '1,000', 'null']),
  )('contract 2.6 a limit or offset of %j is 400', async (value) => {
    const { posts } = await someDocuments(wire)

    for (const name of ['limit', 'offset']) {
      expectFailure(await posts.ask(`${name}=${encodeURIComponent(value)}`), 400, 'INVALID_QUERY')
    }
  })

  once('LST-04 count=false skips the total', async () => {
    const { posts } = await someDocuments(wire, numbered(3))

    expect((await posts.list('count=false')).total).toBeNull()
    expect((await posts.list('count=false&number=1')).total).toBeNull()
    expect((await posts.list('count=true')).total).toBe(3)
    expect((await posts.list()).total).toBe(3)
  })

  test('contract 4.7 without a count the total is null in a page, and the header is absent', async () => {
    const { posts } = await someDocuments(wire, numbered(3))

    const { body, headers } = expectStatus(200, await posts.ask('count=false&limit=2'))

    expect(headers).not.toHaveProperty('x-total-count')
    if (wire.like !== 'b') expect(JSON.stringify(body)).toMatch(/"total":null/)
  })

  once('LST-04 count is true or false, anything else is 400', async () => {
    const { posts } = await someDocuments(wire)

    for (const value of ['', 'no', '0', '1', 'FALSE', 'null']) {
      expectFailure(await posts.ask(`count=${value}`), 400, 'INVALID_QUERY')
    }
  })

  once('LST-20 total counts all matches, not the page', async () => {
    const { posts } = await someDocuments(wire, [...numbered(30), { kind: 'x' }, { kind: 'x' }, { kind: 'x' }])

    expect(await posts.list('kind=x&limit=1')).toMatchObject({ total: 3, rows: [{}] })
    expect((await posts.list('kind=x&limit=1&offset=50')).total).toBe(3)
    expect((await posts.list('kind=y')).total).toBe(0)
    expect((await posts.list('limit=1')).total).toBe(33)
  })

  test('contract 4.8 page and total come from the same moment', async () => {
    const { api, posts } = await someDocuments(wire)
    let isWriting = true

    // Three per transaction, so that every snapshot shows a multiple of three.
    const writer = (async () => {
      for (let times = 0; times < 25; times++) {
        await api.post('/collections/posts/batch', { documents: [{ a: 1 }, { a: 1 }, { a: 1 }] })
      }
      isWriting = false
    })()
    const seen: (readonly [number, number | null])[] = []
    while (isWriting) {
      for (const query of [`limit=${wire.pages.most}`, `limit=${wire.pages.most}&a=1`]) {
        const { rows, total } = await posts.list(query)
        seen.push([rows.length, total])
      }
    }
    await writer

    for (const [rows, total] of seen) {
      expect(rows).toBe(total)
      expect((total ?? 1) % 3).toBe(0)
    }
  })
})

function numbered(count: number) {
  return Array.from({ length: count }, (_, number) => ({ number }))
}
