import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'
import { fileOf, formOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'

// In a shared service, other tests would evict the records.

type Headers = Readonly<Record<string, string>>
type Settings = NonNullable<Parameters<ReturnType<typeof controlOf>['projects']['create']>[0]>['settings']

async function aProject(emulator: Emulator, settings: Settings = {}) {
  const control = controlOf(emulator)
  const project = await control.projects.create({ settings })
  const key = { 'x-api-key': project.secretKey }
  async function ask(method: string, path: string, body?: unknown, headers: Headers = key) {
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(emulator.url + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    return { id: answer.headers.get('x-request-id') ?? '', status: answer.status, text: await answer.text() }
  }
  const list = async () => (await control.requests.list({ project: project.id })).requests
  await ask('POST', '/collections', { name: 'posts' })
  return { ...project, key, control, ask, list }
}

describe.each(engines)('on %s', (engine) => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startOn(engine)
  })
  afterAll(() => emulator.close())

  it('contract 11 a request is kept with who asked, both bodies, its timing and its statements', async () => {
    const { id: project, ask, control } = await aProject(emulator)

    const { id, text } = await ask('POST', '/collections/posts/documents', { title: 'Hello', password: 'confidential' })
    const record = await control.requests.get({ id })

    expect(record).toMatchObject({
      ...{ id, project, method: 'POST', path: '/collections/posts/documents', route: 'documents.create', status: 201 },
      ...{ state: 'answered', dialect: 'a', code: null, error: null, reason: null, address: '127.0.0.1', origin: null },
      ...{ caller: { kind: 'secret key', user: null }, replayOf: null, bytesOut: Buffer.byteLength(text) },
      request: {
        headers: { 'x-api-key': '[masked]' },
        body: { text: '{"title":"Hello","password":"[masked]"}', isMasked: true, isCut: false, bytes: 43 },
      },
      answer: { headers: { etag: '"1"' } },
    })
    const { receiving, queue, database, hashing, writing, own } = record.timing
    expect(receiving + queue + database + hashing + writing + own).toBeLessThanOrEqual(record.milliseconds + 0.1)
    expect(database).toBeGreaterThan(0)
    expect(record.statements).toHaveLength(record.statementCount)
    expect(record.statements.some(({ text, rows }) => text.includes('insert into documents') && rows === 1)).toBe(true)
  })

  it('contract 11 the plan of a statement is shown, of what reads only', async () => {
    const { ask, control } = await aProject(emulator)
    const written = await ask('POST', '/collections/posts/documents', { title: 'Hello' })
    const read = await ask('GET', '/collections/posts?title=Hello&sort=title')
    const placeOf = async (id: string, words: string) =>
      (await control.requests.get({ id })).statements.findIndex(({ text }) => text.includes(words))

    const statement = await placeOf(read.id, 'order by')
    const { plan, text } = await control.requests.plan({ id: read.id, statement })
    const refused = control.requests.plan({ id: written.id, statement: await placeOf(written.id, 'insert into') })

    expect(text).toContain('order by')
    expect(plan[0]).toMatch(/cost=/)
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('contract 11 a replay acts as the same user, with the rights of now, and both answers are shown', async () => {
    const { ask, control, apiKey } = await aProject(emulator)
    await ask('POST', '/collections', { name: 'news', permissions: { create: ['editor'] } })
    const { text } = await ask('POST', '/auth-collections/signup', {
      email: 'ada@example.com',
      password: 'Correct4Horse',
    })
    const { id: user, token }: { id: string; token: string } = JSON.parse(text)
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${token}` }
    const { id, status } = await ask('POST', '/collections/news/documents', { title: 'Mine' }, headers)
    await control.users.update({ user, roles: ['editor'] })
    await ask('POST', '/auth-collections/logout', undefined, headers)

    const { before, after } = await control.requests.replay({ id })
    const edited = await control.requests.replay({
      id,
      method: 'GET',
      path: '/collections/news/documents?limit=1',
      headers: { 'svc-dialect': 'b' },
    })

    expect([status, before.status, after.status]).toEqual([403, 403, 201])
    expect(after).toMatchObject({
      replayOf: id,
      caller: { kind: 'user', user: { id: user, email: 'ada@example.com' } },
    })
    expect(edited.after).toMatchObject({ method: 'GET', path: '/collections/news/documents?limit=1', dialect: 'b' })
    expect(edited.after.answer.body.text).toContain('Mine')
    // The session that it used has ended.
    expect((await ask('GET', '/auth-collections/me', undefined, headers)).status).toBe(401)
  })
})

describe('whatever the engine', () => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator({ memory: true })
  })
  afterAll(() => emulator.close())

  it('contract 11 requests are listed newest first, by project, status, path, method, code and time', async () => {
    const { ask, control, id: project } = await aProject(emulator)
    await control.requests.clear({ project })
    const { id: first } = await ask('GET', '/collections/posts')
    const { id: missing } = await ask('GET', '/collections/none')
    const { id: written } = await ask('POST', '/collections/posts/documents', {})
    const found = async (filter: object) =>
      (await control.requests.list({ project, ...filter })).requests.map(({ id }) => id)

    expect(await found({})).toEqual([written, missing, first])
    expect(await found({ status: '404' })).toEqual([missing])
    expect(await found({ status: '2xx,5xx' })).toEqual([written, first])
    expect(await found({ code: 'NOT_FOUND' })).toEqual([missing])
    expect(await found({ method: 'get', path: '/collections/posts' })).toEqual([first])
    expect(await found({ route: 'documents.create' })).toEqual([written])
    expect(await found({ before: written })).toEqual([missing, first])
    expect(await found({ after: first, limit: 1 })).toEqual([written])
    expect(await found({ slow: 60_000 })).toEqual([])
    expect(await found({ ids: `${first},none,${written}` })).toEqual([written, first])
    expect(await found({ ids: 'none' })).toEqual([])
    const isWhole = async (filter: object) => (await control.requests.list({ project, ...filter })).isWhole
    expect([await isWhole({}), await isWhole({ after: first }), await isWhole({ after: 'none' })]).toEqual([
      true,
      false,
      true,
    ])
    await expect(control.requests.list({ status: 'all' })).rejects.toMatchObject({ code: 'INVALID_QUERY' })
  })

  it('contract 11 what the emulator serves for itself is not kept, and what is refused before its route is', async () => {
    const { ask, control } = await aProject(emulator)
    await control.requests.clear()

    await ask('GET', '/_svc/api/info')
    await ask('GET', '/_svc/')
    await ask('GET', '/_svc/none')
    const nowhere = await ask('GET', '/nowhere')
    const faulty = await fetch(`${emulator.url}/collections`, {
      method: 'POST',
      headers: { 'x-api-key': 'svc_key_no' },
    })
    const host = connect(Number(new URL(emulator.url).port), '127.0.0.1')
    host.end('GET /collections HTTP/1.1\r\nhost: elsewhere.example\r\nconnection: close\r\n\r\n')
    await once(host.resume(), 'close')

    const { requests } = await control.requests.list({})
    expect(requests.map(({ path, status }) => [path, status])).toEqual([
      ['/collections', 403],
      ['/collections', 401],
      ['/nowhere', 404],
    ])
    expect(requests[1]).toMatchObject({ id: faulty.headers.get('x-request-id'), caller: { kind: 'nobody' } })
    expect(requests[2]?.id).toBe(nowhere.id)
  })

  it('contract 11 of a long body the beginning is kept, and of files what they are', async () => {
    const { ask, control, key } = await aProject(emulator)
    const { headers, body } = formOf(fileOf('file', Buffer.alloc(200_000, 'x')))

    const long = await ask('POST', '/collections/posts/documents', { text: 'x'.repeat(100_000) })
    const form = await ask('POST', '/storage/upload', body, { ...key, ...headers })

    const [text, files] = await Promise.all([long, form].map(({ id }) => control.requests.get({ id })))
    expect(text?.request.body).toMatchObject({ bytes: 100_011, isCut: true, leftOut: null })
    expect(text?.request.body.text).toHaveLength(64 * 1024)
    expect(text?.replayable.is).toBe(false)
    expect(files?.request.body).toMatchObject({ bytes: body.length, text: null, leftOut: 'binary' })
    await expect(control.requests.replay({ id: form.id })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('contract 11 a stream is kept when it begins and again when it ends', async () => {
    const { key, list } = await aProject(emulator)
    const stream = await fetch(`${emulator.url}/realtime/sse/posts`, { headers: key })
    const kept = async () => (await list()).filter(({ path }) => path.startsWith('/realtime')).map(({ state }) => state)

    await expect.poll(kept).toEqual(['open'])
    await stream.body?.cancel()

    await expect.poll(kept).toEqual(['answered'])
  })

  it('contract 11 a request whose sender goes away is kept as aborted', async () => {
    const { secretKey, list } = await aProject(emulator)
    const { port } = new URL(emulator.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /collections/posts/documents HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secretKey}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{"title":',
    )
    // The service continues (100) once it has read the head.
    await once(socket, 'data')
    socket.destroy()

    await expect.poll(async () => (await list())[0]).toMatchObject({ state: 'aborted', status: null })
  })

  it('contract 11 a project that wants none has none, nor has an emulator that records none', async () => {
    const quiet = await aProject(emulator, { requestLog: false })
    const silent = await startEmulator({ memory: true, requestLog: false })
    const { ask, control } = await aProject(silent)
    const { id } = await ask('GET', '/collections')

    const listed = await control.requests.list({})
    const refused = control.requests.get({ id })

    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('records none') })
    expect(listed).toEqual({ isOn: false, requests: [], kept: 0, isWhole: true })
    expect(await quiet.list()).toEqual([])
    await silent.close()
  })

  it('contract 11 a project that wants none has the same addresses in its answers', async () => {
    const host = 'shop.example'
    const open = await startEmulator({ memory: true, hosts: [host] })
    const addresses = [true, false].map(async (requestLog) => {
      const { key } = await aProject(open, { requestLog })
      const { headers, body } = formOf(fileOf('file'))
      const sent = { method: 'POST', path: '/storage/upload', headers: { ...headers, ...key, host }, body }
      return (await send(open.url, sent)).text
    })

    expect(await Promise.all(addresses)).toEqual(Array(2).fill(expect.stringContaining(`http://${host}/files/`)))
    await open.close()
  })

  it('contract 11 a replay says what is different in both answers, of JSON value by value', async () => {
    const { ask, control } = await aProject(emulator)
    const { id } = await ask('POST', '/collections/posts/documents', {
      title: 'Hello',
      tags: ['a', 'b'],
      constructor: 1,
    })
    const body = JSON.stringify({ title: 'Goodbye', tags: ['a'], constructor: 1, author: { city: 'Bern' } })

    const { differences } = await control.requests.replay({ id, body })
    const refused = await control.requests.replay({ id, headers: { 'x-api-key': 'svc_key_wrong' } })

    expect(differences.filter(({ path: [name] }) => name === 'data')).toEqual([
      { part: 'body', path: ['data', 'title'], before: '"Hello"', after: '"Goodbye"' },
      { part: 'body', path: ['data', 'tags', 1], before: '"b"', after: null },
      { part: 'body', path: ['data', 'author'], before: null, after: '{"city":"Bern"}' },
    ])
    expect(refused.differences[0]).toEqual({ part: 'status', path: [], before: '201', after: '401' })
  })

  it('contract 11 a replay of what was created under an idempotency key creates again, and may be edited', async () => {
    const { ask, control, apiKey } = await aProject(emulator)
    const headers = { 'x-api-key': apiKey, 'idempotency-key': 'once' }
    const { id } = await ask('POST', '/collections/posts/documents', { title: 'Hello' }, headers)
    const body = JSON.stringify({ title: 'Goodbye' })

    const again = await control.requests.replay({ id })
    const edited = await control.requests.replay({ id, body })
    const underIt = await control.requests.replay({ id, body, headers: { 'idempotency-key': 'once' } })

    expect([again.after.status, edited.after.status, underIt.after.code]).toEqual([201, 201, 'IDEMPOTENCY_MISMATCH'])
    const { text } = await ask('GET', '/collections/posts/documents')
    expect(JSON.parse(text)).toMatchObject({ total: 3 })
  })

  it('contract 11 a replay is refused with words: of logins, of refused keys, and of what no request can be', async () => {
    const { ask, control, apiKey } = await aProject(emulator)
    const login = await ask('POST', '/auth-collections/login', { email: 'ada@example.com', password: 'Wrong4Horse' })
    const keyless = await ask('GET', '/collections', undefined, { 'x-api-key': 'svc_key_wrong' })
    const good = await ask('GET', '/collections')
    const replay = (id: string, edits: object = {}) => control.requests.replay({ id, ...edits })

    await expect(replay(login.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('logins or accounts'),
    })
    await expect(replay(keyless.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Add a valid one'),
    })
    await expect(replay(good.id, { path: '/_svc/api/info' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(replay(good.id, { path: '/a b' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await expect(replay('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await replay(keyless.id, { headers: { 'x-api-key': apiKey } })).after.status).toBe(200)
  })
})
