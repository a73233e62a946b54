import { expect, test } from 'vitest'
import { createWithFiles, filesOf, read, sendForm, upload } from '../../fixtures/files.js'
import { fileOf, formOf, type Part, textOf } from '../../fixtures/requests/form.js'
import { service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

/** As a `FormData` sends a blob of JSON. */
const dataFile = { name: 'data', filename: 'blob', type: 'application/json', content: '{"title":"Blob"}' }

inDialects('Uploads with documents', (wire, { once, inTurn }) => {
  test.each(inTurn(['/collections/posts', '/collections/posts/documents', '/api/collections/posts']))(
    'DOC-11 a form at POST %s creates a document whose fields hold its files',
    async (path) => {
      const { api, posts } = await someDocuments(wire)
      const parts = [textOf('data', { title: 'Tea' }), fileOf('cover', 'one'), fileOf('back', 'two')]

      const row = wire.row(wire.record(expectStatus(201, await sendForm(api, 'POST', path, parts))))

      expect(row.fields).toEqual({ title: 'Tea', cover: expect.any(String), back: expect.any(String) })
      expect(await posts.get(row.id)).toEqual(row)
      expect((await read(row.fields.cover)).text).toBe('one')
      expect((await read(row.fields.back)).text).toBe('two')
    },
  )

  once('DOC-11 a form at PATCH changes what it sends and keeps the rest', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ title: 'Tea', views: 1 })
    const parts = [textOf('data', { views: 2 }), fileOf('cover')]

    const answer = await sendForm(api, 'PATCH', `/collections/posts/${id}`, parts)
    const row = wire.row(wire.record(expectStatus(200, answer)))

    expect(row.fields).toEqual({ title: 'Tea', views: 2, cover: expect.any(String) })
  })

  test('DOC-11 a form at PUT replaces, and merges in dialect b', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ title: 'Tea' })

    const answer = await sendForm(api, 'PUT', `/collections/posts/${id}`, [fileOf('cover')])
    const { fields } = wire.row(wire.record(expectStatus(200, answer)))

    expect(Object.keys(fields).sort()).toEqual(wire.like === 'b' ? ['cover', 'title'] : ['cover'])
  })

  once('DOC-06 a field that holds an upload is its address under the storage host', async () => {
    const world = await someDocuments(wire)

    const { fields } = await createWithFiles(wire, world.api, fileOf('cover', 'bytes', 'a cover.png'))
    const [file] = await filesOf(wire, world)

    expect(fields.cover).toBe(file?.url)
    expect(fields.cover).toBe(`${service.url}/files/${file?.id}/a%20cover.png`)
  })

  once('contract 3.4 several parts of one name are an array of addresses, in their order', async () => {
    const { api } = await someDocuments(wire)

    const { fields } = await createWithFiles(wire, api, fileOf('pages', '1'), fileOf('cover'), fileOf('pages', '2'))
    const texts = await Promise.all((fields.pages as string[]).map(async (url) => (await read(url)).text))

    expect(texts).toEqual(['1', '2'])
    expect(fields.cover).toBeTypeOf('string')
  })

  once('contract 3.4 files go behind the addresses that data keeps, and owned files follow the field', async () => {
    const world = await someDocuments(wire)
    const { api } = world
    const created = await createWithFiles(wire, api, textOf('data', { pages: ['a'] }), fileOf('pages', '1'))
    const [, one] = created.fields.pages as string[]
    const path = `/collections/posts/${created.id}`
    const pagesOf = async (method: 'PATCH' | 'PUT', data: object, ...parts: Part[]) => {
      const answer = await sendForm(api, method, path, [textOf('data', data), ...parts])
      return wire.row(wire.record(expectStatus(200, answer))).fields.pages as string[]
    }

    const kept = await pagesOf('PATCH', { pages: [one] }, fileOf('pages', '2'), fileOf('pages', '3'))
    const texts = await Promise.all(kept.map(async (url) => (await read(url)).text))
    const replaced = await pagesOf('PUT', { pages: [kept[2]] }, fileOf('pages', '4'))
    const emptied = await pagesOf('PATCH', { pages: [] }, fileOf('pages', '5'))
    const single = await pagesOf('PATCH', { pages: null }, fileOf('pages', '6'))

    expect(created.fields.pages).toEqual(['a', expect.any(String)])
    expect([kept[0], texts]).toEqual([one, ['1', '2', '3']])
    expect(replaced).toEqual([kept[2], expect.any(String)])
    expect(emptied).toEqual([expect.any(String)])
    expect(single).toBeTypeOf('string')
    expect((await filesOf(wire, world)).map(({ url }) => url)).toEqual([single])
  })

  test.each(inTurn(['a text', 5, false, { a: 1 }]))(
    'contract 3.4 a file beside %j in data is 422, and none is left',
    async (pages) => {
      const world = await someDocuments(wire)
      const { id } = await world.posts.create({ pages: ['a'] })
      const parts = [textOf('data', { pages }), fileOf('pages')]

      for (const [method, path] of [
        ['POST', '/collections/posts'],
        ['PATCH', `/collections/posts/${id}`],
        ['PUT', `/collections/posts/${id}`],
      ] as const) {
        const answer = await sendForm(world.api, method, path, parts)
        expectFailure(answer, 422, 'VALIDATION_ERROR')
        expect(answer.text).toContain('both as a file and as a value that is not an array')
      }
      expect(await filesOf(wire, world)).toEqual([])
      expect((await world.posts.get(id)).fields.pages).toEqual(['a'])
    },
  )

  test('contract 3.4 the part data is read as a JSON body is, and may be missing', async () => {
    const { api } = await someDocuments(wire)

    const wrapped = await createWithFiles(wire, api, textOf('data', { data: { title: 'Tea' } }))
    const { fields } = await createWithFiles(wire, api, fileOf('cover'))

    expect(wrapped.fields).toEqual(wire.like === 'c' ? { data: { title: 'Tea' } } : { title: 'Tea' })
    expect(Object.keys(fields)).toEqual(['cover'])
    expect((await createWithFiles(wire, api, dataFile)).fields).toEqual({ title: 'Blob' })
  })

  once('contract 3.3 operators work in a form', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ tags: ['a', 'b'] })
    const data = textOf('data', { $append: { tags: 'c' }, $remove: { tags: 'a' } })

    const answer = await sendForm(api, 'PATCH', `/collections/posts/${id}`, [data, fileOf('cover')])
    const { fields } = wire.row(wire.record(expectStatus(200, answer)))

    expect(fields).toEqual({ tags: ['b', 'c'], cover: expect.any(String) })
  })

  const aNameless = (type?: string): Part => ({
    name: 'cover',
    filename: '',
    content: 'bytes',
    ...(type ? { type } : {}),
  })
  const aDozen = (part: (n: number) => Part) => Array.from({ length: 12 }, (_, n) => part(n))
  const broken: readonly (readonly [what: string, status: number, code: string, parts: readonly Part[]])[] = [
    ['data that is no JSON', 400, 'INVALID_BODY', [textOf('data', '{'), fileOf('cover')]],
    ['data that is an array', 400, 'INVALID_BODY', [fileOf('cover'), textOf('data', [])]],
    ['data that is a text', 400, 'INVALID_BODY', [textOf('data', '"x"')]],
    ['data twice', 422, 'VALIDATION_ERROR', [textOf('data', {}), textOf('data', {}), fileOf('cover')]],
    ['data as a file, twice', 422, 'VALIDATION_ERROR', [dataFile, dataFile, fileOf('cover')]],
    ['data as a text and as a file', 422, 'VALIDATION_ERROR', [textOf('data', {}), dataFile, fileOf('cover')]],
    ['another text part', 422, 'VALIDATION_ERROR', [fileOf('cover'), textOf('title', 'Tea')]],
    ['a dozen other text parts', 422, 'VALIDATION_ERROR', aDozen((n) => textOf(`title${n}`, 'Tea'))],
    ['data a dozen times', 422, 'VALIDATION_ERROR', aDozen(() => textOf('data', {}))],
    ['a file without a name, before that', 400, 'INVALID_PATH', [aNameless('image/png'), textOf('title', 'Tea')]],
    ['a file without name and type, before that', 400, 'INVALID_PATH', [aNameless(), textOf('title', 'Tea')]],
    ['a text part in brackets', 422, 'VALIDATION_ERROR', [fileOf('cover'), textOf('data[title]', 'Tea')]],
    ['a text part named __proto__', 422, 'VALIDATION_ERROR', [fileOf('cover'), textOf('__proto__', 'x')]],
    ['a part without a name', 400, 'INVALID_BODY', [fileOf('cover'), { content: 'x' }]],
    ['a file without a name of its part', 400, 'INVALID_BODY', [fileOf('cover'), { filename: 'x', content: 'x' }]],
    ['a file part named $append', 422, 'VALIDATION_ERROR', [fileOf('cover'), fileOf('$append')]],
    ['a part with an empty name', 400, 'INVALID_BODY', [fileOf('cover'), fileOf('')]],
    ['a part name of 300 letters', 422, 'VALIDATION_ERROR', [fileOf('cover'), fileOf('x'.repeat(300), '', 'a')]],
    ['U+0000 in data', 422, 'VALIDATION_ERROR', [textOf('data', '{"a":"\\u0000"}'), fileOf('cover')]],
    ['101 files', 413, 'PAYLOAD_TOO_LARGE', Array.from({ length: 101 }, () => fileOf('cover', 'x'))],
    ['operators on create', 422, 'VALIDATION_ERROR', [textOf('data', { $append: { a: 1 } }), fileOf('cover')]],
  ]
  test.each(inTurn(broken))('contract 3.4 %s is %i %s, and no file is left', async (_what, status, code, parts) => {
    const world = await someDocuments(wire)

    expectFailure(await sendForm(world.api, 'POST', '/collections/posts', parts), status, code)

    expect(await filesOf(wire, world)).toEqual([])
    expect((await world.posts.list()).rows).toEqual([])
  })

  test.each(
    inTurn([
      'content-disposition: form-data; name="cover"; filename="a"b.txt"',
      'content-disposition: form-data; name="cover"; filename="a.txt',
      `content-disposition: form-data; name="cover"; filename*=KLINGON''a.txt`,
      'content-disposition: attachment; name="cover"; filename="a.txt"',
      'content-type: image/png',
    ]),
  )('contract 3.4 a form with a part that begins with %s is 400 INVALID_BODY, not kept without it', async (head) => {
    const { api, posts } = await someDocuments(wire)
    const data = 'content-disposition: form-data; name="data"\r\n\r\n{"title":"Tea"}'

    for (const parts of [
      [`${head}\r\n\r\nbytes`, data],
      [data, `${head}\r\n\r\nbytes`],
    ]) {
      const body = [...parts.map((part) => `--x\r\n${part}\r\n`), '--x--\r\n'].join('')
      const type = { 'content-type': 'multipart/form-data; boundary=x' }
      expectFailure(await api.post('/collections/posts', body, type), 400, 'INVALID_BODY')
    }

    expect((await posts.list()).total).toBe(0)
  })

  once('contract 3.4 a form without a boundary, or cut short, is 400 INVALID_BODY', async () => {
    const { api } = await someDocuments(wire)
    const { headers, body } = formOf(fileOf('cover'))
    const post = (type: string, bytes: Buffer) => api.post('/collections/posts', bytes, { 'content-type': type })

    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""']) {
      const answer = await post(type, body)
      expectFailure(answer, 400, 'INVALID_BODY')
      expect(answer.text).toContain('has no \\"boundary\\"')
    }
    expectFailure(await post(headers['content-type'], body.subarray(0, -20)), 400, 'INVALID_BODY')
    const two = formOf(fileOf('cover'), fileOf('back'))
    for (const cut of [3, 4, 6, 20, 24, 40, 60]) {
      expectFailure(await post(headers['content-type'], two.body.subarray(0, -cut)), 400, 'INVALID_BODY')
    }
    expectFailure(await post(headers['content-type'], Buffer.from('no form at all')), 400, 'INVALID_BODY')
    expectFailure(await post(headers['content-type'], Buffer.alloc(0)), 400, 'INVALID_BODY')
    expectFailure(await post('multipart/mixed; boundary=x', body), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  once('contract 3.4 a document that is refused leaves no file', async () => {
    const schema = { schema: { title: { type: 'string', required: true } } }
    const world = await someDocuments(wire, [], schema)
    const { id } = await world.posts.create({ title: 'Tea' })
    const patch = (path: string, headers = {}) => sendForm(world.api, 'PATCH', path, [fileOf('title')], headers)
    const unknown = '01900000-0000-7000-8000-000000000000'

    expectFailure(await sendForm(world.api, 'POST', '/collections/posts', [fileOf('a')]), 422, 'VALIDATION_ERROR')
    expectFailure(await sendForm(world.api, 'POST', '/collections/nowhere', [fileOf('a')]), 404, 'NOT_FOUND')
    expectFailure(await patch(`/collections/posts/${unknown}`), 404, 'NOT_FOUND')
    expectFailure(await patch(`/collections/posts/${id}`, { 'if-match': '"7"' }), 412, 'CONFLICT')

    expect(await filesOf(wire, world)).toEqual([])
    expect((await world.posts.get(id)).fields).toEqual({ title: 'Tea' })
  })

  once('contract 3.9 a form with an idempotency key creates once, and another file is another body', async () => {
    const world = await someDocuments(wire)
    const post = (content: string) =>
      sendForm(world.api, 'POST', '/collections/posts', [fileOf('cover', content)], { 'idempotency-key': 'k' })

    const [first, again] = [expectStatus(201, await post('one')), expectStatus(201, await post('one'))]

    expect(again.text).toBe(first.text)
    expectFailure(await post('two'), 422, 'IDEMPOTENCY_MISMATCH')
    expect(await filesOf(wire, world)).toHaveLength(1)
    expect((await world.posts.list()).rows).toHaveLength(1)
    expect((await read(wire.row(wire.record(first)).fields.cover)).text).toBe('one')
  })

  test.each(inTurn(['application/octet-stream', 'text/plain', 'image/png']))(
    'contract 8.2 a file of %s without a name is passed over where it is empty, as pages send it, and else 400',
    async (type) => {
      const { api } = await someDocuments(wire)
      const empty = { name: 'cover', filename: '', type, content: '' }

      const { fields } = await createWithFiles(wire, api, textOf('data', { title: 'Tea' }), empty, fileOf('back'))

      expect(fields).toEqual({ title: 'Tea', back: expect.any(String) })
      for (const [path, name] of [
        ['/collections/posts', 'cover'],
        ['/storage/upload', 'file'],
      ] as const) {
        const nameless = [{ ...empty, name, content: 'bytes' }]
        expectFailure(await sendForm(api, 'POST', path, nameless), 400, 'INVALID_PATH')
      }
      expect((await upload(wire, api)).name).toBe('file.txt')
    },
  )
})
