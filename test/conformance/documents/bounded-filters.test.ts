/** How much one filter may ask, in lists and in subscriptions. Contract 10.11. */
import { expect, test } from 'vitest'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, type Wire } from '../../fixtures/wires.js'

/** Sends a filter to everything that takes one: each error code, undefined where it is served. */
async function everywhere(wire: Wire) {
  const { project, api, collection } = await aWorld(wire)
  const posts = await collection('posts')
  const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
  return async (name: string, value: string): Promise<(string | undefined)[]> => {
    const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    const documents = await posts.ask(query)
    const users = await api.get(`/auth-collections/users?${query}`)
    const filters = { [name]: value }
    const subscribed = await socket.ask({ type: 'subscribe', collection: 'posts', filters })
    const path = `/realtime/sse/posts?filters=${encodeURIComponent(JSON.stringify(filters))}`
    const events = await openEvents(service.url, path, { 'x-api-key': project.apiKey, 'svc-dialect': wire.name })
    events.close()
    return [
      documents.headers['svc-error-code'],
      users.headers['svc-error-code'],
      subscribed.code,
      events.headers['svc-error-code'],
    ] as (string | undefined)[]
  }
}

const served = [undefined, undefined, undefined, undefined]
const refused = (code: string) => [code, code, code, code]

inDialects('Bounds of filters', (wire, { once }) => {
  const { mark } = wire
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

  test('contract 10.11 200 tests are served, and one more is INVALID_FILTER', async () => {
    const codesOf = await everywhere(wire)
    const fields = (count: number) =>
      numbers(count)
        .map(() => 'a')
        .join('__or__')
    const values = (count: number) => numbers(count).join(',')

    expect(await codesOf(fields(200), '1')).toEqual(served)
    expect(await codesOf(fields(201), '1')).toEqual(refused('INVALID_FILTER'))
    expect(await codesOf(`a${mark}in`, values(200))).toEqual(served)
    expect(await codesOf(`a${mark}in`, values(201))).toEqual(refused('INVALID_FILTER'))
    expect(await codesOf(`[or]${fields(2)}${mark}in`, values(100))).toEqual(served)
    expect(await codesOf(`[or]${fields(3)}${mark}in`, values(67))).toEqual(refused('INVALID_FILTER'))
    expect(await codesOf(`[or:g]${fields(34)}${mark}in`, values(6))).toEqual(refused('INVALID_FILTER'))
  })

  test('contract 10.11 the tests of all parameters count together', async () => {
    const { project, collection } = await aWorld(wire)
    const posts = await collection('posts')
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    const one = `v__or__v__or__v__or__v${mark}contains`
    const query = (count: number) =>
      numbers(count)
        .map((at) => `${one}=x${at}`)
        .join('&')
    const subscribe = (count: number) =>
      socket.ask({ type: 'subscribe', collection: 'posts', filters: { [one]: numbers(count).map((at) => `x${at}`) } })

    expectStatus(200, await posts.ask(query(50)))
    expectFailure(await posts.ask(query(51)), 400, 'INVALID_FILTER')
    expect(await subscribe(50)).toMatchObject({ type: 'subscribed' })
    expect(await subscribe(51)).toMatchObject({ code: 'INVALID_FILTER' })
  })

  test('contract 10.11 one test that begins a page is free in a list, and none in a subscription', async () => {
    const { project, collection } = await aWorld(wire)
    const posts = await collection('posts')
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    const starts = (count: number) => numbers(count).map(() => '0')
    const query = (tests: number, pages: number) =>
      [`v${mark}in=${numbers(tests).join(',')}`, ...starts(pages).map((id) => `id__gt=${id}`)].join('&')
    const subscribe = (count: number) =>
      socket.ask({ type: 'subscribe', collection: 'posts', filters: { id__gt: starts(count) } })
    const stream = async (count: number) => {
      const path = `/realtime/sse/posts?filters=${JSON.stringify({ id__gt: starts(count) })}`
      const events = await openEvents(service.url, path, { 'x-api-key': project.apiKey, 'svc-dialect': wire.name })
      events.close()
      return events.headers['svc-error-code']
    }

    for (const [tests, pages] of [
      [200, 1],
      [199, 2],
      [1, 200],
    ] as const) {
      expectStatus(200, await posts.ask(query(tests, pages)))
    }
    for (const [tests, pages] of [
      [200, 2],
      [199, 3],
      [2, 200],
    ] as const) {
      expectFailure(await posts.ask(query(tests, pages)), 400, 'INVALID_FILTER')
    }
    expect(await subscribe(200)).toMatchObject({ type: 'subscribed' })
    expect([await subscribe(201), await subscribe(2_000)]).toMatchObject([
      { code: 'INVALID_FILTER' },
      { code: 'INVALID_FILTER' },
    ])
    expect([await stream(200), await stream(201)]).toEqual([undefined, 'INVALID_FILTER'])
  })

  once('contract 10.11 a text to search for has at most 1,000 characters, however they are written', async () => {
    const codesOf = await everywhere(wire)

    for (const name of [`v${mark}contains`, 'v__contains', 'v__startswith', 'v__endswith']) {
      expect(await codesOf(name, '🍵'.repeat(600)), name).toEqual(served)
      expect(await codesOf(name, 'x'.repeat(1_000)), name).toEqual(served)
      expect(await codesOf(name, 'x'.repeat(1_001)), name).toEqual(refused('INVALID_FILTER'))
    }
    expect(await codesOf('v', 'x'.repeat(1_001))).toEqual(served)
  })

  test('contract 10.7 filters of a subscription are as long as a query may be, and no longer', async () => {
    const { project, collection } = await aWorld(wire)
    await collection('posts')
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    const subscribe = (bytes: number) =>
      socket.ask({ type: 'subscribe', collection: 'posts', filters: { v: 'x'.repeat(bytes - '{"v":""}'.length) } })

    expect(await subscribe(8 * 1024)).toMatchObject({ type: 'subscribed' })
    expect(await subscribe(8 * 1024 + 1)).toMatchObject({ type: 'error', code: 'INVALID_QUERY', collection: 'posts' })
  })

  test('contract 10.11 U+0000 is INVALID_QUERY wherever it stands', async () => {
    const codesOf = await everywhere(wire)
    const { api, project, collection } = await aWorld(wire)
    const posts = await collection('posts')

    expect(await codesOf('v', 'a\0b')).toEqual(refused('INVALID_QUERY'))
    expect(await codesOf('a\0b', '1')).toEqual(refused('INVALID_QUERY'))
    expect(await codesOf(`v${mark}in`, 'a,\0')).toEqual(refused('INVALID_QUERY'))
    const queries = ['sort=%00', 'sort_by=a%00b', 'orderBy=x.%00', 'populate=%00', '%00', 'limit=%00', 'count=%00']
    for (const query of queries) {
      expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
      expectFailure(await api.get(`/auth-collections/users?${query}`), 400, 'INVALID_QUERY')
    }
    for (const path of ['/storage/list?path=%00', '/collections?x=%00', '/realtime/sse/posts?live=%00']) {
      expectFailure(await api.get(path), 400, 'INVALID_QUERY')
    }
    const socket = await openAuthenticated(service.url, project.apiKey, wire.name)
    for (const filters of [{ v: ['a', '\0'] }, { v: '\ud800' }, { '\udc00': 1 }]) {
      const answer = await socket.ask({ type: 'subscribe', collection: 'posts', filters })
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_QUERY', collection: 'posts' })
    }
  })
})
