import { expect, test } from 'vitest'
import { createWithFiles, filePage, read, sendForm, upload, usageOf } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { changeSettings } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Storage', (wire, { once }) => {
  once('FIL-01 an upload answers the stored file, whose address anybody can read', async () => {
    const { api } = await aWorld(wire)

    const file = await upload(wire, api, fileOf('file', 'Hello', 'note.txt'), 'letters/')
    const answer = await read(file.url)

    expect(file).toMatchObject({ name: 'note.txt', path: 'letters', size: 5, mimeType: 'text/plain' })
    expect(file.createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    expect(file.url.endsWith('/note.txt')).toBe(true)
    expect([answer.status, answer.text]).toEqual([200, 'Hello'])
  })

  once('FIL-01 a form without exactly one file under "file" is refused, and leaves nothing', async () => {
    const world = await aWorld(wire)
    const forms = [
      [textOf('path', 'a')],
      [fileOf('other')],
      [fileOf('file'), fileOf('file')],
      [fileOf('file'), fileOf('more')],
    ]

    for (const parts of forms) {
      expectFailure(await sendForm(world.api, 'POST', '/storage/upload', parts), 422, 'VALIDATION_ERROR')
    }
    expectFailure(
      await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file'), textOf('x', 'y')]),
      422,
      'VALIDATION_ERROR',
    )
    expectFailure(await world.api.post('/storage/upload', { file: 'x' }), 415, 'UNSUPPORTED_MEDIA_TYPE')

    expect((await usageOf(wire, world)).files).toBe(0)
  })

  once('FIL-02 a folder is the same one however its name is composed', async () => {
    const { api } = await aWorld(wire)
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
    for (const path of [decomposed, composed, `${decomposed}/a`]) await upload(wire, api, fileOf('file'), path)

    for (const path of [composed, decomposed]) {
      const answer = await api.get(`/storage/list?path=${encodeURIComponent(path)}`)
      const { files } = filePage(wire, expectStatus(200, answer))
      expect(files.map(({ path }) => path)).toEqual([`${composed}/a`, composed, composed])
    }
  })

  test('FIL-02 a list is of a folder and what is below it, the newest first, a page at a time', async () => {
    const { api } = await aWorld(wire)
    for (const path of ['a', 'a/b', 'ab', 'a/b/c', undefined]) await upload(wire, api, fileOf('file'), path)
    const list = async (query: string) => filePage(wire, expectStatus(200, await api.get(`/storage/list${query}`)))
    const paths = async (query: string) => (await list(query)).files.map(({ path }) => path)

    expect(await paths('')).toEqual(['', 'a/b/c', 'ab', 'a/b', 'a'])
    expect(await paths('?path=a')).toEqual(['a/b/c', 'a/b', 'a'])
    expect(await paths('?path=a/b/')).toEqual(['a/b/c', 'a/b'])
    expect(await paths('?path=nowhere')).toEqual([])
    expect(await paths('?limit=2&offset=1')).toEqual(['a/b/c', 'ab'])
    expect(await list('?path=a&limit=1')).toMatchObject({ total: 3, limit: 1 })
    expect(await list('?limit=0')).toMatchObject({ files: [], total: 5 })
    expect((await list('')).limit).toBe(wire.pages.usual)
    expect((await list('?limit=9999')).limit).toBe(wire.pages.most)
    expectFailure(await api.get('/storage/list?limit=-1'), 400, 'INVALID_QUERY')
    expectFailure(await api.get('/storage/list?limit=1&limit=2'), 400, 'INVALID_QUERY')
    for (const path of ['../x', '/', '/a']) {
      expectFailure(await api.get(`/storage/list?path=${path}`), 400, 'INVALID_PATH')
    }
  })

  once('contract 8.1 files that belong to documents are listed and counted like any other', async () => {
    const world = await someDocuments(wire)
    const { fields } = await createWithFiles(wire, world.api, fileOf('cover', '123', 'sea.png'))
    const stored = await upload(wire, world.api, fileOf('file', '12345'), 'a')

    const { files, total } = filePage(wire, expectStatus(200, await world.api.get('/storage/list')))

    expect(total).toBe(2)
    expect(files[0]).toEqual(stored)
    expect(files[1]).toMatchObject({ name: 'sea.png', path: '', url: fields.cover, size: 3, mimeType: 'image/png' })
  })

  test('FIL-03 a deleted file is gone, at its address too', async () => {
    const world = await aWorld(wire)
    const { id, url } = await upload(wire, world.api)

    const answer = expectStatus(200, await world.api.delete(`/storage/file/${id}`))

    expect(wire.record(answer)).toEqual({ message: expect.stringMatching(/./), ...wire.removed({ id }) })
    expect((await read(url)).status).toBe(404)
    expect(await usageOf(wire, world)).toMatchObject({ files: 0, bytes: 0 })
    for (const gone of [id, unknownId, 'nothing']) {
      expectFailure(await world.api.delete(`/storage/file/${gone}`), 404, 'NOT_FOUND')
    }
  })

  test('FIL-03 a file of a document, or of another project, is not for deleting', async () => {
    const world = await someDocuments(wire)
    const stranger = await aWorld(wire)
    const { fields } = await createWithFiles(wire, world.api, fileOf('cover'))
    const [, , , , owned = ''] = String(fields.cover).split('/')
    const { id } = await upload(wire, stranger.api)

    expectFailure(await world.api.delete(`/storage/file/${owned}`), 409, 'FILE_IN_USE')
    expectFailure(await world.api.delete(`/storage/file/${id}`), 404, 'NOT_FOUND')
    expect((await read(fields.cover)).status).toBe(200)
  })

  once('FIL-04 info counts every file, owned ones too, and knows the limit of the tier', async () => {
    const world = await someDocuments(wire)
    await upload(wire, world.api, fileOf('file', '12345'))
    await createWithFiles(wire, world.api, fileOf('cover', '123'))

    const pro = await usageOf(wire, world)
    await changeSettings(world.project, { tier: 'enterprise' })

    expect(pro).toEqual({ files: 2, bytes: 8, limitBytes: 100 * 2 ** 30, tier: 'pro' })
    expect(await usageOf(wire, world)).toMatchObject({ limitBytes: null, tier: 'enterprise' })
  })
})
