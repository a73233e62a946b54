import { describe, expect, test } from 'vitest'
import { aProject, apiOf, changeSettings, type Project } from '../../fixtures/service.js'
import { expectFailure, expectStatus, keysOf } from '../../fixtures/wires.js'

describe('Dialects', () => {
  test('contract 1 a project speaks dialect a by default, and the one it is set to', async () => {
    const project = await aProject()
    const { api } = await posts(project)

    expect((await api('').get('/collections/posts/documents')).body).toHaveProperty('documents')
    await changeSettings(project, { dialect: 'b' })
    expect((await api('').get('/collections/posts/documents')).body).toBeInstanceOf(Array)
    await changeSettings(project, { dialect: 'c' })
    expect((await api('').get('/collections/posts/documents')).body).toMatchObject({ success: true })
    await changeSettings(project, { dialect: 'a, list=array' })
    expect((await api('').get('/collections/posts/documents')).body).toBeInstanceOf(Array)
  })

  test.each(['a', 'b', 'c'])('contract 1 a project set to %s fails in that dialect’s format', async (dialect) => {
    const { api } = await posts(await aProject({ dialect }))

    const { body } = await api('').get('/collections/nowhere/documents')

    const envelope = { success: false, error: { code: 'NOT_FOUND', message: expect.any(String) } }
    expect(body).toEqual(dialect === 'b' ? { detail: expect.any(String) } : envelope)
  })

  test('contract 1 any request may ask for another dialect', async () => {
    const { api } = await posts(await aProject({ dialect: 'b' }))

    for (const [dialect, keys] of [
      ['a', ['documents', 'limit', 'offset', 'total']],
      ['c', ['data', 'success']],
    ] as const) {
      expect(keysOf((await api(dialect).get('/collections/posts/documents')).body)).toEqual(keys)
    }
  })

  const cells: readonly (readonly [string, (body: unknown) => void])[] = [
    ['a', (body) => expect(keysOf(body)).toEqual(['collection', 'createdAt', 'data', 'id', 'updatedAt'])],
    [
      'a, document=snake',
      (body) => expect(keysOf(body)).toEqual(['collection_id', 'created_at', 'data', 'id', 'updated_at']),
    ],
    ['a, document=flat', (body) => expect(keysOf(body)).toEqual(['createdAt', 'id', 'title', 'updatedAt'])],
    ['a,document=flat,record=success', (body) => expect(keysOf(body)).toEqual(['data', 'success'])],
    ['document=snake', (body) => expect(keysOf(body)).toContain('collection_id')],
    ['b, document=enveloped', (body) => expect(keysOf(body)).toContain('collection')],
    ['c, record=bare', (body) => expect(keysOf(body)).toEqual(['createdAt', 'id', 'title', 'updatedAt'])],
    ['record=success', (body) => expect(body).toMatchObject({ success: true, data: { data: { title: 'Tea' } } })],
    [' a ,  document = flat ', (body) => expect(keysOf(body)).toContain('title')],
  ] // prettier-ignore

  test.each(cells)(
    'contract 1 exceptions stand on top of a named dialect, or of the project’s: "%s"',
    async (dialect, check) => {
      const { api, id } = await posts(await aProject())

      check(expectStatus(200, await api(dialect).get(`/collections/posts/documents/${id}`)).body)
    },
  )

  test('contract 1 exceptions without a name apply on top of the project’s own dialect', async () => {
    const { id, project } = await posts(await aProject({ dialect: 'c' }))
    const api = apiOf({ 'x-api-key': project.apiKey }, 'errors=detail', 'c, errors=detail')

    const { body } = await api.get(`/collections/posts/documents/${id}`)
    const failed = await api.get('/collections/posts/documents/nothing')

    expect(body).toMatchObject({ success: true, data: { title: 'Tea' } })
    expect(failed.body).toEqual({ detail: expect.any(String) })
  })

  test.each([
    'z',
    'A',
    'b, nonsense=1',
    'a, document=purple',
    'document',
    'document=',
    '=flat',
    'a, b',
    'a; document=flat',
    ',,',
    'constructor',
    '__proto__',
    'a, __proto__=x',
    'a, toString=flat',
    'x'.repeat(5_000),
  ])('contract 1 an unknown name, axis or value is 400 INVALID_DIALECT: %s', async (dialect) => {
    const { api } = await posts(await aProject())

    expectFailure(await api(dialect).get('/collections'), 400, 'INVALID_DIALECT')
    expectFailure(await api(dialect).post('/collections/posts', {}), 400, 'INVALID_DIALECT')
  })

  test('contract 1 INVALID_DIALECT names the choices', async () => {
    const { api } = await posts(await aProject())

    const name = await api('z').get('/collections')
    const axis = await api('a, colour=red').get('/collections')
    const value = await api('a, document=red').get('/collections')

    for (const choice of ['a', 'b', 'c']) expect(name.text).toMatch(new RegExp(`\\b${choice}\\b`))
    for (const choice of ['paths', 'document', 'paging']) expect(axis.text).toContain(choice)
    for (const choice of ['enveloped', 'snake', 'flat']) expect(value.text).toContain(choice)
  })

  test('contract 1 the paths axis decides one path only', async () => {
    const { api } = await posts(await aProject())

    expect((await api('paths=flat').get('/collections/posts')).body).toHaveProperty('documents')
    expect((await api('paths=nested').get('/collections/posts')).body).toHaveProperty('document_count', 1)
    for (const dialect of ['paths=flat', 'paths=nested']) {
      expect((await api(dialect).get('/api/collections/posts')).body).toHaveProperty('document_count', 1)
      expect((await api(dialect).get('/collections/posts/documents')).body).toHaveProperty('documents')
      expectStatus(201, await api(dialect).post('/collections/posts', {}))
      await api(dialect).post('/collections/posts/batch-delete', { document_ids: await idsBut(api(dialect)) })
    }
  })

  test('contract 1 the list axis: an array carries total and limit in headers', async () => {
    const { api } = await posts(await aProject())

    const array = await api('list=array').get('/collections/posts/documents?limit=7')
    const wrapped = await api('list=array, record=success').get('/collections/posts/documents')

    expect(array.body).toHaveLength(1)
    expect(array.headers).toMatchObject({ 'x-total-count': '1', 'x-limit': '7' })
    expect(wrapped.body).toEqual({ success: true, data: [expect.objectContaining({ data: { title: 'Tea' } })] })
  })

  test('contract 1 success stands around every 2xx body', async () => {
    const { api, id } = await posts(await aProject())
    const c = api('record=success')

    const answers = [
      await c.get('/collections'),
      await c.post('/collections', { name: 'others' }),
      await c.get('/api/collections/others'),
      await c.patch('/collections/others', {}),
      await c.delete('/collections/others'),
      await c.get('/collections/posts/documents'),
      await c.post('/collections/posts', {}),
      await c.get(`/collections/posts/${id}`),
      await c.patch(`/collections/posts/${id}`, {}),
      await c.put(`/collections/posts/${id}`, {}),
      await c.post('/collections/posts/batch', { documents: [{}] }),
      await c.post('/collections/posts/batch/documents/update', { updates: { [id]: { data: {} } } }),
      await c.post('/collections/posts/batch-delete', { document_ids: [id] }),
    ]

    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300)
      expect(keysOf(body)).toEqual(['data', 'success'])
      expect(body).toHaveProperty('success', true)
    }
  })

  test('contract 1 the put axis: replace, or merge', async () => {
    const { api, id } = await posts(await aProject())

    const merged = await api('put=merge').put(`/collections/posts/${id}`, { views: 1 })
    const replaced = await api('put=replace').put(`/collections/posts/${id}`, { views: 2 })

    expect(merged.body).toMatchObject({ data: { title: 'Tea', views: 1 } })
    expect(replaced.body).toHaveProperty('data', { views: 2 })
  })

  test('contract 1 the body axis: unwrapped, or never', async () => {
    const { api } = await posts(await aProject())

    const either = await api('body=either').post('/collections/posts', { data: { a: 1 } })
    const bare = await api('body=bare').post('/collections/posts', { data: { a: 1 } })

    expect(either.body).toHaveProperty('data', { a: 1 })
    expect(bare.body).toHaveProperty('data', { data: { a: 1 } })
  })

  test('contract 1 the filters axis: the other family’s spelling is part of the name', async () => {
    const project = await aProject()
    const { api } = await posts(project)
    await api('').post('/collections/posts', { views: 5, views_gte: '1', views__gte: '2', checked_in: '3' })
    const total = async (dialect: string, query: string) => {
      const answer = await api(dialect).get(`/collections/posts/documents?${query}`)
      return answer.status === 200 ? (answer.body as { total: number }).total : answer.headers['svc-error-code']
    }

    const table: readonly (readonly [string, string, number | string])[] = [
      ['filters=double', 'views__gte=5', 1],
      ['filters=double', 'views_gte=1', 1],
      ['filters=double', 'views_gte=5', 0],
      ['filters=double', 'views__wat=5', 'INVALID_FILTER'],
      ['filters=double', 'checked_in=3', 1],
      ['filters=single', 'views_gte=5', 1],
      ['filters=single', 'views__gte=2', 1],
      ['filters=single', 'views__gte=5', 0],
      ['filters=single', 'views__wat=5', 0],
      ['filters=single', 'checked_in=3', 0],
      ['filters=both', 'views__gte=5', 1],
      ['filters=both', 'views_gte=5', 1],
      ['filters=both', 'views_wat=5', 0],
      ['filters=both', 'views__wat=5', 'INVALID_FILTER'],
      ['filters=both', 'checked_in_eq=3', 1],
    ]
    for (const [dialect, query, found] of table) {
      expect({ dialect, query, found: await total(dialect, query) }).toEqual({ dialect, query, found })
    }
    for (const dialect of ['filters=double', 'filters=single', 'filters=both']) {
      expect(await total(dialect, 'views__or__title=5')).toBe(1)
    }
  })

  test.each(['events=plain', 'frames=model', 'two_factor=error', 'a, events=past, frames=message, two_factor=result'])(
    'contract 1 every axis may be chosen by the header: %s',
    async (dialect) => {
      const { api } = await posts(await aProject())

      expectStatus(200, await api(dialect).get('/collections'))
    },
  )

  test('contract 1 the same URL with the same header always answers in the same form', async () => {
    const { api, id } = await posts(await aProject())

    const texts = []
    for (const dialect of ['a', 'b', 'a', 'c', 'a']) {
      texts.push((await api(dialect).get(`/collections/posts/documents/${id}`)).text)
    }

    expect(texts[2]).toBe(texts[0])
    expect(texts[4]).toBe(texts[0])
  })
})

/** A project with one post, and clients in any dialect. */
async function posts(project: Project) {
  const api = (dialect: string) => apiOf({ 'x-api-key': project.apiKey }, dialect)
  await api('a').post('/collections', { name: 'posts' })
  const { body } = await api('a').post('/collections/posts', { title: 'Tea' })
  return { api, project, id: (body as { id: string }).id }
}

/** The ids of all posts but the first one made. */
async function idsBut(api: ReturnType<typeof apiOf>): Promise<string[]> {
  const { body } = await api.get('/collections/posts/documents?orderBy=id')
  return (body as { documents: { id: string }[] }).documents.slice(1).map(({ id }) => id)
}
