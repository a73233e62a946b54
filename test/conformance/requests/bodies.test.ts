import { expect, test } from 'vitest'
import type { Answer } from '../../fixtures/requests/http.js'
import { expectFailure, expectStatus, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

inDialects('Bodies', (wire, { once, inTurn }) => {
  const isBare = wire.like === 'c'

  test('DOC-10 a body of only {data: {…}} is unwrapped where the dialect wraps', async () => {
    const { posts } = await someDocuments(wire)

    expect((await posts.create({ data: { title: 'Tea' } })).fields).toEqual(
      isBare ? { data: { title: 'Tea' } } : { title: 'Tea' },
    )
  })

  test('contract 1 data beside another key, or data that is no object, is a field', async () => {
    const { posts } = await someDocuments(wire)

    expect((await posts.create({ data: { a: 1 }, title: 'Tea' })).fields).toEqual({ data: { a: 1 }, title: 'Tea' })
    expect((await posts.create({ data: [1] })).fields).toEqual({ data: [1] })
    expect((await posts.create({ data: null })).fields).toEqual({ data: null })
  })

  test('contract 1 PATCH and PUT unwrap as create does', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    const patched = await api.patch(`/collections/posts/${id}`, { data: { b: 2 } })
    const put = await api.put(`/collections/posts/${id}`, { data: { c: 3 } })

    expect(fieldsOf(wire, patched)).toEqual(isBare ? { a: 1, data: { b: 2 } } : { a: 1, b: 2 })
    if (wire.like === 'b') expect(fieldsOf(wire, put)).toEqual({ a: 1, b: 2, c: 3 })
    else expect(fieldsOf(wire, put)).toEqual(isBare ? { data: { c: 3 } } : { c: 3 })
  })

  once('ERR-05 a body that is not JSON is 400 INVALID_BODY', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })
    const notJson = ['', ' ', '{', '{"a":}', '{"a":1}}', "{'a':1}", '{"a":01}', 'undefined', '{"a":NaN}', '{"a":1,}']
    const bytes = [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), Buffer.from('\ufeff{"a":', 'utf16le')]

    for (const body of [...notJson, ...bytes]) {
      expectFailure(await api.post('/collections/posts', body), 400, 'INVALID_BODY')
      expectFailure(await api.patch(`/collections/posts/${id}`, body), 400, 'INVALID_BODY')
      expectFailure(await api.put(`/collections/posts/${id}`, body), 400, 'INVALID_BODY')
      expectFailure(await api.post('/collections', body), 400, 'INVALID_BODY')
      expectFailure(await api.post('/collections/posts/batch', body), 400, 'INVALID_BODY')
    }
  })

  once('contract 10.8 JSON that is no object is 422', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    for (const body of ['[]', '[{"a":1}]', '"text"', '5', 'true', 'null']) {
      expectFailure(await api.post('/collections/posts', body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.patch(`/collections/posts/${id}`, body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.put(`/collections/posts/${id}`, body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.post('/collections', body), 422, 'VALIDATION_ERROR')
      expectFailure(await api.post('/collections/posts/batch', body), 422, 'VALIDATION_ERROR')
    }
  })

  once('contract 10.3 a content type that is neither JSON nor multipart is 415', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ a: 1 })

    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      '',
    ]) {
      const headers = { 'content-type': type }
      expectFailure(await api.post('/collections/posts', '{"a":1}', headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
      expectFailure(await api.patch(`/collections/posts/${id}`, '{"a":1}', headers), 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  })

  once('contract 10.3 JSON may say its character set', async () => {
    const { api } = await someDocuments(wire)

    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
      expectStatus(201, await api.post('/collections/posts', '{"title":"é"}', { 'content-type': type }))
    }
  })

  once('contract 10.3 a body over 10 MB is 413, and the service is there for the next request', async () => {
    const { api } = await someDocuments(wire)
    const tooLong = Buffer.alloc(10 * 1024 * 1024 + 1, ' ')
    tooLong.write('{"a":1}')

    expectFailure(await api.post('/collections/posts', tooLong), 413, 'PAYLOAD_TOO_LARGE')
    expectFailure(await api.post('/collections/posts/batch', tooLong), 413, 'PAYLOAD_TOO_LARGE')
    expectStatus(201, await api.post('/collections/posts', { a: 1 }))
  })

  once('contract 10.2 sizes are binary multiples: a body of 10 × 1024 × 1024 bytes is read', async () => {
    const { api } = await someDocuments(wire)
    const body = Buffer.alloc(10 * 1024 * 1024, ' ')
    body.write('{"a":1}')

    expectStatus(201, await api.post('/collections/posts', body))
  })

  once('contract 2.4 a document over 1 MB is 413, one of 1 MB is kept', async () => {
    const { api, posts } = await someDocuments(wire)
    const oneMegabyte = { text: 'x'.repeat(1024 * 1024 - '{"text":""}'.length) }

    const { id } = await posts.create(oneMegabyte)

    expect((await posts.get(id)).fields).toEqual(oneMegabyte)
    expectFailure(await api.post('/collections/posts', { text: `${oneMegabyte.text}x` }), 413, 'PAYLOAD_TOO_LARGE')
    expectFailure(
      await api.post('/collections/posts', { text: `${oneMegabyte.text.slice(1)}é` }),
      413,
      'PAYLOAD_TOO_LARGE',
    )
    // A merge can exceed the limit of one request.
    expectFailure(await api.patch(`/collections/posts/${id}`, { more: 'x' }), 413, 'PAYLOAD_TOO_LARGE')
    expect((await posts.get(id)).fields).toEqual(oneMegabyte)
  })

  once('contract 2.4 64 levels are kept, 65 and 100,000 are 413', async () => {
    const { api, posts } = await someDocuments(wire)

    const { id } = await posts.create(JSON.parse(nested(64)))

    expect((await posts.get(id)).fields).toEqual(JSON.parse(nested(64)))
    for (const body of [nested(65), nested(66), nested(1_000), nested(100_000), inArrays(65), inArrays(100_000)]) {
      expectFailure(await api.post('/collections/posts', body), 413, 'PAYLOAD_TOO_LARGE')
      expectFailure(await api.patch(`/collections/posts/${id}`, body), 413, 'PAYLOAD_TOO_LARGE')
      expectFailure(await api.put(`/collections/posts/${id}`, body), 413, 'PAYLOAD_TOO_LARGE')
      expectFailure(await api.post('/collections/posts/batch', `{"documents":[${body}]}`), 413, 'PAYLOAD_TOO_LARGE')
    }
    expectStatus(200, await api.get(`/collections/posts/${id}`))
  })

  test('contract 2.4 64 levels fit into every wrapper, 65 into none', async () => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({})
    const update = (depth: number) => `{"updates":{"${id}":{"data":${nested(depth)}}}}`

    expectStatus(201, await api.post('/collections/posts/batch', `{"documents":[${nested(64)}]}`))
    // As a field of its own, `data` adds a level.
    const most = isBare ? 63 : 64
    expectStatus(201, await api.post('/collections/posts', `{"data":${nested(most)}}`))
    expectStatus(201, await api.post('/collections/posts/batch', `{"documents":[{"data":${nested(most)}}]}`))
    expectStatus(200, await api.post('/collections/posts/batch/documents/update', update(64)))
    expectFailure(await api.post('/collections/posts', `{"data":${nested(most + 1)}}`), 413, 'PAYLOAD_TOO_LARGE')
    expectFailure(
      await api.post('/collections/posts/batch', `{"documents":[{"data":${nested(most + 1)}}]}`),
      413,
      'PAYLOAD_TOO_LARGE',
    )
    expectFailure(await api.post('/collections/posts/batch/documents/update', update(65)), 413, 'PAYLOAD_TOO_LARGE')
  })

  once('contract 2.4 brackets inside a text are not levels', async () => {
    const { posts } = await someDocuments(wire)
    const text = `${'[{"\\'.repeat(5_000)}`

    expect((await posts.create({ text })).fields).toEqual({ text })
  })

  once('contract 2.4 10,000 keys are kept, 10,001 are 413, nested ones counted', async () => {
    const { api, posts } = await someDocuments(wire)
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))

    expect(Object.keys((await posts.create(keys(10_000))).fields)).toHaveLength(10_000)
    expectFailure(await api.post('/collections/posts', keys(10_001)), 413, 'PAYLOAD_TOO_LARGE')
    expectFailure(await api.post('/collections/posts', { list: [keys(10_000)] }), 413, 'PAYLOAD_TOO_LARGE')
  })

  test.each(
    inTurn([
      ['U+0000 in a text', '{"a":"\\u0000"}'],
      ['U+0000 deep in a text', '{"a":[{"b":"x\\u0000y"}]}'],
      ['U+0000 in a key', '{"a\\u0000":1}'],
      ['a lone high surrogate', '{"a":"\\ud83c"}'],
      ['a lone low surrogate', '{"a":"x\\udf75y"}'],
      ['surrogates in the wrong order', '{"a":"\\udf75\\ud83c"}'],
      ['a lone surrogate in a key', '{"\\ud800":1}'],
      ['1e400', '{"a":1e400}'],
      ['-1e400', '{"a":[-1e400]}'],
      ['an empty key', '{"":1}'],
      ['an empty key deep inside', '{"a":[{"":1}]}'],
      ['a key of 256 bytes', `{"${'k'.repeat(256)}":1}`],
      ['a key of 256 bytes in 128 letters', `{"${'é'.repeat(128)}":1}`],
    ]),
  )('contract 2.4 %s is 422 in create, update, replace and batch', async (_, body) => {
    const { api, posts } = await someDocuments(wire)
    const { id } = await posts.create({ kept: 1 })
    const path = `/collections/posts/${id}`

    expectFailure(await api.post('/collections/posts', body), 422, 'VALIDATION_ERROR')
    expectFailure(await api.patch(path, body), 422, 'VALIDATION_ERROR')
    expectFailure(await api.put(path, body), 422, 'VALIDATION_ERROR')
    expectFailure(
      await api.post('/collections/posts/batch', `{"documents":[{"a":1},${body}]}`),
      422,
      'VALIDATION_ERROR',
    )
    const updates = `{"updates":{"${id}":{"data":${body}}}}`
    expectFailure(await api.post('/collections/posts/batch/documents/update', updates), 422, 'VALIDATION_ERROR')
    expect((await posts.list()).rows.map(({ fields }) => fields)).toEqual([{ kept: 1 }])
  })

  once('contract 2.4 what is nearly too much is kept', async () => {
    const { posts } = await someDocuments(wire)
    const fields = { ['k'.repeat(255)]: 1, ['é'.repeat(127)]: '\u{1f375}', big: 1.7976931348623157e308, tiny: 5e-324 }

    expect((await posts.create(fields)).fields).toEqual(fields)
  })

  once('contract 2.4 __proto__, constructor and the like are ordinary data', async () => {
    const { api, posts } = await someDocuments(wire)
    const text =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null,"valueOf":"x","toJSON":"y","then":1,"nested":{"__proto__":[1],"toString":1}}'

    const created = await api.post('/collections/posts', text)
    const { id } = wire.row(wire.record(created))
    const read = await api.get(`/collections/posts/${id}`)
    const patched = await api.patch(`/collections/posts/${id}`, '{"__proto__":5,"added":{"__proto__":{"x":1}}}')

    for (const { text } of [created, read]) {
      expect(text).toMatch(/"polluted": ?1/)
      expect(text).toMatch(/"__proto__": ?\{"polluted": ?1\}/)
      expect(text).toMatch(/"toString": ?1/)
      expect(text).toMatch(/"__proto__": ?\[1\]/)
    }
    expect(patched.text).toMatch(/"__proto__": ?5/)
    expect(patched.text).toMatch(/"__proto__": ?\{"x": ?1\}/)
    expect(await posts.names('polluted=1')).toEqual([])
    expect((await posts.list('__proto__.polluted=1')).rows).toHaveLength(0)
    expect((await posts.list('toString=1&constructor.prototype.polluted=1')).rows).toHaveLength(1)
  })

  once('contract 2.4 a number is the double it is nearest to', async () => {
    const { api } = await someDocuments(wire)

    const { text } = expectStatus(201, await api.post('/collections/posts', '{"a":9007199254740993,"b":0.1,"c":-0}'))

    expect(text).toMatch(/"a": ?9007199254740992\b/)
    expect(text).toMatch(/"b": ?0\.1\b/)
  })

  once('contract 10.8 a duplicate key takes its last value, as JSON.parse has it', async () => {
    const { api } = await someDocuments(wire)

    const answer = await api.post('/collections/posts', '{"a":1,"a":2}')

    expect(fieldsOf(wire, answer)).toEqual({ a: 2 })
  })
})

function fieldsOf(wire: Wire, answer: Answer): unknown {
  return wire.row(wire.record(answer)).fields
}

/** An object of that depth, as text. */
function nested(depth: number): string {
  return `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
}

function inArrays(depth: number): string {
  return `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}
