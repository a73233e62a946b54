import { expect, test } from 'vitest'
import { apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const userToken = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

inDialects('API keys', (wire) => {
  test('AUT-01 a key is taken as Bearer and as x-api-key, in any case, for the same operations', async () => {
    const { project, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const spellings = [
      { authorization: `Bearer ${project.apiKey}` },
      { Authorization: `bearer ${project.apiKey}` },
      { 'x-api-key': project.apiKey },
      { 'X-API-Key': project.apiKey },
      { 'X-Api-Key': project.secretKey },
      { authorization: `Bearer ${project.secretKey}` },
      { authorization: `Bearer ${project.apiKey}`, 'x-api-key': project.apiKey },
      { authorization: `Bearer ${project.secretKey}`, 'x-api-key': project.apiKey },
    ]

    for (const headers of spellings) {
      const api = apiOf(headers as never, wire.name)
      expectStatus(201, await api.post('/collections/posts', {}))
      expectStatus(200, await api.get(wire.listPath('posts')))
      expectStatus(200, await api.patch(`/collections/posts/${id}`, { a: 2 }))
      expectStatus(200, await api.get('/collections'))
    }
  })

  test('AUT-01 a missing or wrong key is 401 everywhere', async () => {
    const { project, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const wrong = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': 'wrong' },
      { 'x-api-key': `${project.apiKey}x` },
      { 'x-api-key': project.apiKey.slice(0, -1) },
      { 'x-api-key': project.apiKey.toUpperCase() },
      { 'x-api-key': `Bearer ${project.apiKey}` },
      { 'x-api-key': project.id },
      { 'x-api-key': 'k'.repeat(5_000) },
      { 'x-api-key': "' or 1=1 --" },
      { authorization: '' },
      { authorization: project.apiKey },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${Buffer.from(`${project.apiKey}:`).toString('base64')}` },
      { authorization: `Bearer ${project.apiKey} ${project.apiKey}` },
    ]

    // Every header at one route, and every route without a key: an address may be refused only so often per minute.
    for (const [at, headers] of wrong.entries()) {
      const api = apiOf(headers as never, wire.name)
      const asks = [
        () => api.get(wire.listPath('posts')),
        () => api.post('/collections/posts', {}),
        () => api.get(`/collections/posts/${id}`),
        () => api.delete(`/collections/posts/${id}`),
        () => api.get('/collections'),
        () => api.post('/collections', { name: 'others' }),
        () => api.get('/collections/nowhere/documents'),
      ]
      for (const ask of at === 0 ? asks : asks.slice(at % asks.length).slice(0, 1)) {
        const answer = await ask()
        expectFailure(answer, 401, 'UNAUTHORIZED')
        expect(answer.text).not.toContain(project.apiKey)
      }
    }
    expect((await posts.list()).total).toBe(1)
  })

  test('AUT-01 a key in the address is no key', async () => {
    const { project } = await someDocuments(wire)
    const api = apiOf({}, wire.name)

    for (const name of ['x-api-key', 'api_key', 'apiKey', 'key']) {
      const path = `${wire.listPath('posts')}?${name}=${project.apiKey}`
      expectFailure(await api.get(path), 401, 'UNAUTHORIZED')
    }
  })

  test('contract 6.5 of two keys one bad one is 401', async () => {
    const { project } = await someDocuments(wire)
    const stranger = await someDocuments(wire)
    const pairs = [
      { authorization: 'Bearer wrong', 'x-api-key': project.apiKey },
      { authorization: `Bearer ${project.apiKey}`, 'x-api-key': 'wrong' },
      { authorization: `Bearer ${project.apiKey}`, 'x-api-key': stranger.project.apiKey },
      { authorization: 'Basic abc', 'x-api-key': project.apiKey },
    ]

    for (const headers of pairs) {
      expectFailure(await apiOf(headers, wire.name).get(wire.listPath('posts')), 401, 'UNAUTHORIZED')
    }
  })

  test('contract 10.8 a bad user token is 401 INVALID_TOKEN, also beside a good key', async () => {
    const { project } = await someDocuments(wire)
    const bearer = { authorization: `Bearer ${userToken}` }

    for (const headers of [bearer, { ...bearer, 'x-api-key': project.apiKey }]) {
      expectFailure(await apiOf(headers, wire.name).get(wire.listPath('posts')), 401, 'INVALID_TOKEN')
    }
  })

  test('AUT-01 who has no key learns nothing of the body or the path', async () => {
    const api = apiOf({}, wire.name)

    expectFailure(await api.post('/collections/posts', '{not json'), 401, 'UNAUTHORIZED')
    expectFailure(await api.get('/collections/posts/documents?limit=-1'), 401, 'UNAUTHORIZED')
  })
})
