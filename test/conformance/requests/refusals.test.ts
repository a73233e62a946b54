/** `refusals=deployed`: each switch, as the project's dialect. Titles begin with the section of the facts they show. */
import { describe, expect, test } from 'vitest'
import { anEmail, goodPassword } from '../../fixtures/accounts.js'
import { read, sendForm } from '../../fixtures/files.js'
import { openSocket } from '../../fixtures/realtime/streams.js'
import { fileOf } from '../../fixtures/requests/form.js'
import { type Api, aProject, apiOf, type Settings, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields } from '../../fixtures/wires.js'

const spoken = 'd, refusals=deployed'

async function aDeployed(settings: Settings = {}) {
  const project = await aProject({ dialect: spoken, ...settings })
  const keyed = (more = {}) => apiOf({ 'x-api-key': project.apiKey, ...more }, '', spoken)
  return { ...project, api: keyed(), keyed, without: (headers = {}) => apiOf(headers, '', spoken) }
}

const create = async (api: Api, data: Fields, collection = 'posts') =>
  expectStatus(201, await api.post(`/collections/documents?collection=${collection}`, { data })).body as Fields

async function withDocuments(...many: Fields[]) {
  const deployed = await aDeployed()
  for (const data of many) await create(deployed.api, data)
  const names = async (query: string) => {
    const { body } = expectStatus(200, await deployed.api.get(`/collections/posts/documents?order=asc&${query}`))
    return (body as { data: Fields }[]).map(({ data }) => data.name)
  }
  return { ...deployed, names }
}

const credentials = () => ({ email: anEmail(), password: goodPassword })

describe('Statuses', () => {
  test('section 2 a missing key is 422 with a list, also beside a user token', async () => {
    const { api, without } = await aDeployed()
    const { body } = expectStatus(200, await api.post('/auth-collections/signup', credentials()))
    const { access_token } = body as { access_token: string }

    const none = await without({ 'svc-dialect': spoken }).get('/collections/posts/documents')
    const token = await without({ authorization: `Bearer ${access_token}` }).get('/auth-collections/user')

    for (const answer of [none, token]) {
      expectStatus(422, answer)
      expect(answer.body).toEqual({
        detail: [{ loc: ['header', 'x-api-key'], msg: 'Field required', type: 'missing' }],
      })
    }
  })

  test('section 2 a wrong key is 400', async () => {
    const { without } = await aDeployed()

    expectStatus(
      400,
      await without({ 'x-api-key': 'svc_public_x', 'svc-dialect': spoken }).get('/collections/posts/documents'),
    )
  })

  test('section 2 an e-mail that is taken and a wrong password are 400, an unknown e-mail is 404', async () => {
    const { api, keyed } = await aDeployed()
    const account = credentials()
    const { body } = expectStatus(200, await api.post('/auth-collections/signup', account))
    const me = keyed({ authorization: `Bearer ${(body as { access_token: string }).access_token}` })
    const wrong = { ...account, password: 'Wrong5Password' }

    expectFailure(await api.post('/auth-collections/signup', account), 400, 'EMAIL_ALREADY_EXISTS')
    expectFailure(await api.post('/auth-collections/login', wrong), 400, 'INVALID_CREDENTIALS')
    expectFailure(await api.post('/auth-collections/login', credentials()), 404, 'INVALID_CREDENTIALS')
    const change = { password: 'Another6Password', currentPassword: 'Wrong5Password' }
    expectFailure(await me.patch('/auth-collections/user', change), 400, 'INVALID_CREDENTIALS')
  })

  test('section 13 the name of a collection twice is 400', async () => {
    const { api } = await aDeployed()
    expectStatus(201, await api.post('/collections', { name: 'posts' }))

    expectFailure(await api.post('/collections', { name: 'posts' }), 400, 'COLLECTION_EXISTS')
  })

  test('section 14 a limit outside 1 to 500 is 422', async () => {
    const { api } = await aDeployed()

    for (const limit of [0, 501]) expectStatus(422, await api.get(`/collections/posts/documents?limit=${limit}`))
    expectStatus(200, await api.get('/collections/posts/documents?limit=500'))
  })

  test('section 6 and 9 an invalid parameter is 422', async () => {
    const { api } = await withDocuments({ n: 1 })
    const list = '/collections/posts/documents'
    const aggregate = '/collections/posts/query/documents/aggregate'

    for (const path of [`${list}?offset=-1`, `${list}?order=up`, aggregate, `${aggregate}?field=n&operation=most`])
      expectFailure(await api.get(path), 422, 'INVALID_QUERY')
  })

  test('section 14 an empty create, update and batch are 400, a file alone is not', async () => {
    const { api } = await aDeployed()
    const { id } = await create(api, { a: 1 })
    const one = `/collections/posts/documents/${id}`

    expectStatus(400, await api.post('/collections/documents?collection=posts', { data: {} }))
    expectStatus(400, await api.patch(one, { data: {} }))
    expectStatus(400, await api.post('/collections/posts/batch/documents/create', { documents: [] }))
    expectStatus(400, await api.post('/collections/posts/batch/documents/delete', { document_ids: [] }))
    expectStatus(200, await sendForm(api, 'PATCH', one, [fileOf('letter')]))
  })

  test('section 14 PUT is 405', async () => {
    const { api } = await aDeployed()
    const { id } = await create(api, { a: 1 })

    expectFailure(await api.put(`/collections/posts/documents/${id}`, { a: 2 }), 405, 'METHOD_NOT_ALLOWED')
  })
})

describe('What is let through', () => {
  test('section 14 passwords are not checked', async () => {
    const { api } = await aDeployed()
    const account = { email: anEmail(), password: 'x' }

    expectStatus(200, await api.post('/auth-collections/signup', account))
    expectStatus(200, await api.post('/auth-collections/login', account))
    expectStatus(422, await api.post('/auth-collections/signup', { email: anEmail(), password: '' }))
  })

  test('section 14 unknown ids are left out of batches', async () => {
    const { api } = await aDeployed()
    const { id } = await create(api, { a: 1 })
    const nobody = '01999999-9999-7999-8999-999999999999'

    const updates = { [String(id)]: { data: { a: 2 } }, [nobody]: { data: { a: 2 } }, x: { data: { a: 2 } } }
    const updated = await api.post('/collections/posts/batch/documents/update', { updates })
    const ids = { document_ids: [nobody, id, 'x'] }
    const deleted = await api.post('/collections/posts/batch/documents/delete', ids)

    for (const answer of [updated, deleted]) expect(expectStatus(200, answer).body).toMatchObject({ count: 1 })
    expect((await api.get('/collections/posts/documents')).body).toEqual([])
    expectStatus(404, await api.delete(`/collections/posts/documents/${id}`))
  })

  test('section 14 a bad token beside a good key counts as nobody on documents, and is 401 where a user is needed', async () => {
    const { keyed, secretKey, api } = await aDeployed()
    await create(api, { a: 1 })
    const owner = apiOf({ 'x-api-key': secretKey }, '', spoken)
    expectStatus(201, await owner.post('/collections', { name: 'closed', permissions: { read: ['admin'] } }))

    for (const token of ['eyJhbGciOiJIUzI1NiJ9.e30.x', 'bad']) {
      const bad = keyed({ authorization: `Bearer ${token}` })
      expect(expectStatus(200, await bad.get('/collections/posts/documents')).body).toHaveLength(1)
      expectStatus(401, await bad.get('/auth-collections/user'))
      expectStatus(401, await bad.get('/collections/closed/documents'))
    }
  })

  test('section 14 every request for documents makes its collection, unless the project says otherwise', async () => {
    const { api } = await aDeployed()
    const { api: off } = await aDeployed({ createOnWrite: 'off' })

    expectStatus(200, await api.get('/collections/notes/documents'))
    expectStatus(400, await api.post('/collections', { name: 'notes' }))
    expectStatus(404, await off.get('/collections/notes/documents'))
  })
})

describe('Filters and order', () => {
  test.each<[string, string, string[]]>([
    ['section 14 an unknown suffix is part of the name', 'age__above=1', []],
    ['section 14 ne does not match a missing field', 'age_ne=9', ['b']],
    ['section 14 notin does not match a missing field', 'age_notin=9,8', ['b']],
    ['section 14 ne of several fields asks for each', 'age_ne__or__rank_ne=9', ['b']],
    ['section 2 each field parses its own suffix', 'name__or__rank_contains=A', []],
    ['section 2 the last field keeps its suffix', 'name__or__note_contains=A', ['c']],
    ['section 14 a filter behind a link without a target is dropped', 'nowhere.name=x', ['a', 'b', 'c']],
    ['section 14 a filter behind a link with a target is not', 'post.name=x', []],
    ['section 2 icontains is part of the name', 'name__icontains=a', []],
    ['section 2 icontains is part of the name', 'name_icontains=a', []],
    ['section 14 fields sort as text', 'sort=age', ['b', 'a', 'c']],
  ])('%s: %s', async (_, query, found) => {
    const { names } = await withDocuments({ name: 'a', age: 9 }, { name: 'b', age: 41 }, { name: 'c', note: 'aha' })

    expect(await names(query)).toEqual(found)
  })
})

describe('What is stored and told', () => {
  test('section 2 operators are stored as fields of documents, in every way to write them', async () => {
    const { api } = await aDeployed()
    const one = (id: unknown) => `/collections/posts/documents/${id}`
    const $append = { tags: ['b'] }

    const made = await create(api, { tags: ['a'], $remove: { tags: 'a' } })
    const inside = await api.patch(one(made.id), { data: { $append } })
    const bare = await api.patch(one(made.id), { $unset: ['tags'] })
    const updates = { [String(made.id)]: { data: { $append: 1 } } }
    const batch = await api.post('/collections/posts/batch/documents/update', { updates })

    expect(made.data).toEqual({ tags: ['a'], $remove: { tags: 'a' } })
    expect(expectStatus(200, inside).body).toMatchObject({ data: { tags: ['a'], $append } })
    expect(expectStatus(200, bare).body).toMatchObject({ data: { tags: ['a'], $append, $unset: ['tags'] } })
    expectStatus(200, batch)
    expect((await api.get(one(made.id))).body).toMatchObject({ data: { $append: 1 } })
  })

  test('section 2 operators work beside the data of a user, and are stored inside it', async () => {
    const { api, keyed } = await aDeployed()
    const { body } = expectStatus(200, await api.post('/auth-collections/signup', credentials()))
    const me = keyed({ authorization: `Bearer ${(body as { access_token: string }).access_token}` })

    const beside = await me.patch('/auth-collections/user', { $append: { likes: ['tea'] } })
    const inside = await me.patch('/auth-collections/user', { data: { $append: { likes: ['milk'] } } })

    expect(expectStatus(200, beside).body).toMatchObject({ data: { likes: ['tea'] } })
    expect(expectStatus(200, inside).body).toMatchObject({ data: { likes: ['tea'], $append: { likes: ['milk'] } } })
  })

  test('section 2 select finds a field behind "data." only', async () => {
    const { api } = await withDocuments({ name: 'a', age: 9 })
    const ask = async (select: string) =>
      (expectStatus(200, await api.get(`/collections/posts/documents?select=${select}`)).body as Fields[])[0]

    expect(await ask('name')).toMatchObject({ id: expect.any(String), data: {} })
    expect((await ask('name'))?.data).toEqual({})
    expect((await ask('data.name'))?.data).toEqual({ name: 'a' })
  })

  test('section 12 a deletion sends no event, and filters match nothing', async () => {
    const { api, apiKey } = await withDocuments({ name: 'a' })
    const open = async (filters?: Fields) => {
      const socket = await openSocket(service.url, '', {}, '/realtime/collections/posts')
      socket.say({ api_key: apiKey, ...(filters && { filters }) })
      await socket.atLeast(1)
      return socket
    }
    const [plain, filtered] = [await open(), await open({ name: 'b' })]

    const { id } = await create(api, { name: 'b' })
    expectStatus(200, await api.delete(`/collections/posts/documents/${id}`))
    await create(api, { name: 'b' })

    expect((await plain.atLeast(3)).map(({ event }) => event)).toEqual(['connected', 'create', 'create'])
    filtered.say('ping')
    expect((await filtered.atLeast(2)).map(({ event }) => event)).toEqual(['connected', 'pong'])
    for (const socket of [plain, filtered]) socket.close()
  })

  test('section 2 a file stays when it is replaced, and when its document is deleted', async () => {
    const { api } = await aDeployed()
    const letters = async (method: 'POST' | 'PATCH', path: string, text: string) => {
      const { body } = await sendForm(api, method, path, [fileOf('letter', text)])
      return body as { id: string; data: { letter: string } }
    }
    const first = await letters('POST', '/collections/posts/documents', 'one')
    const one = `/collections/posts/documents/${first.id}`

    const second = await letters('PATCH', one, 'two')
    expectStatus(200, await api.delete(one))

    expect((await read(first.data.letter)).text).toBe('one')
    expect((await read(second.data.letter)).text).toBe('two')
  })
})
