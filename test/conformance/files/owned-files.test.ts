import { expect, test } from 'vitest'
import { createWithFiles, filesOf, read, sendForm, usageOf } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects('Owned files', (wire, { once }) => {
  once('DOC-17 a file that is replaced is deleted', async () => {
    const world = await someDocuments(wire)
    const { id, fields: before } = await createWithFiles(wire, world.api, fileOf('cover', 'old'), fileOf('back'))

    const answer = await sendForm(world.api, 'PATCH', `/collections/posts/${id}`, [fileOf('cover', 'new')])
    const { fields: after } = wire.row(wire.record(expectStatus(200, answer)))

    expect((await read(before.cover)).status).toBe(404)
    expect((await read(after.cover)).text).toBe('new')
    expect((await read(after.back)).status).toBe(200)
    expect(await usageOf(wire, world)).toMatchObject({ files: 2 })
  })

  once('DOC-17 two who replace the same file at once leave one, which the field holds', async () => {
    const world = await someDocuments(wire)
    const { id } = await createWithFiles(wire, world.api, fileOf('cover', 'old'))
    const path = `/collections/posts/${id}`

    const many = Array.from({ length: 8 }, (_, at) => sendForm(world.api, 'PATCH', path, [fileOf('cover', `${at}`)]))
    for (const answer of await Promise.all(many)) expectStatus(200, answer)
    const { fields } = await world.posts.get(id)
    const files = await filesOf(wire, world)

    expect(files.map(({ url }) => url)).toEqual([fields.cover])
    expect((await read(fields.cover)).text).toMatch(/^[0-7]$/)
  })

  test('contract 3.5 a file goes once no field of its owner holds its address any more, however it is written', async () => {
    const world = await someDocuments(wire)
    const { api } = world
    const { id, fields } = await createWithFiles(wire, api, fileOf('a'), fileOf('b'), fileOf('c'), fileOf('d'))
    const path = `/collections/posts/${id}`
    const left = async () => (await filesOf(wire, world)).map(({ name }) => name).sort()

    expectStatus(200, await api.patch(path, { a: null, kept: { deep: [fields.a] } }))
    expect(await left()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt'])
    expectStatus(200, await api.patch(path, { kept: null }))
    expect(await left()).toEqual(['b.txt', 'c.txt', 'd.txt'])
    const updates = { [id]: { data: { b: null } } }
    expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))
    expect(await left()).toEqual(['c.txt', 'd.txt'])
    expectStatus(200, await sendForm(api, 'PATCH', path, [textOf('data', { c: '' })]))
    expect(await left()).toEqual(['d.txt'])
    expectStatus(200, await api.put(path, wire.like === 'b' ? { d: null } : {}))
    expect(await left()).toEqual([])
  })

  once('contract 3.5 an array of files loses those that are taken out of it', async () => {
    const world = await someDocuments(wire)
    const { id, fields } = await createWithFiles(wire, world.api, fileOf('pages', '1'), fileOf('pages', '2'))
    const [first, second] = fields.pages as string[]

    expectStatus(200, await world.api.patch(`/collections/posts/${id}`, { $remove: { pages: first } }))

    expect((await read(first)).status).toBe(404)
    expect((await read(second)).status).toBe(200)
  })

  once('contract 3.5 a copy of the address elsewhere never owns a file', async () => {
    const world = await someDocuments(wire)
    const { id, fields } = await createWithFiles(wire, world.api, fileOf('cover'))
    const copy = await world.posts.create({ cover: fields.cover })

    expectStatus(200, await world.api.patch(`/collections/posts/${copy.id}`, { cover: null }))
    expect((await read(fields.cover)).status).toBe(200)

    await world.posts.create({ cover: fields.cover })
    expectStatus(200, await world.api.delete(`/collections/posts/${id}`))
    expect((await read(fields.cover)).status).toBe(404)
  })

  once('contract 3.5 what was uploaded to storage belongs to nobody and stays', async () => {
    const world = await someDocuments(wire)
    const answer = await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file')])
    const { url } = wire.record(expectStatus(201, answer)) as { url: string }
    const { id } = await world.posts.create({ cover: url })

    expectStatus(200, await world.api.patch(`/collections/posts/${id}`, { cover: null }))
    expectStatus(200, await world.api.delete(`/collections/posts/${id}`))

    expect((await read(url)).status).toBe(200)
  })

  once('DOC-18 a deleted document takes its files with it', async () => {
    const world = await someDocuments(wire)
    const { id, fields } = await createWithFiles(wire, world.api, fileOf('cover'), fileOf('back'))

    expectStatus(200, await world.api.delete(`/collections/posts/${id}`))

    expect((await read(fields.cover)).status).toBe(404)
    expect((await read(fields.back)).status).toBe(404)
    expect(await usageOf(wire, world)).toMatchObject({ files: 0, bytes: 0 })
  })

  once('DOC-18 so do documents that are deleted together', async () => {
    const world = await someDocuments(wire)
    const rows = [
      await createWithFiles(wire, world.api, fileOf('a')),
      await createWithFiles(wire, world.api, fileOf('b')),
    ]
    const body = { document_ids: rows.map(({ id }) => id) }

    expectStatus(200, await world.api.post('/collections/posts/batch/documents/delete', body))

    expect(await filesOf(wire, world)).toEqual([])
  })

  test('COL-05 a removed collection takes the files of its documents with it, and no others', async () => {
    const world = await someDocuments(wire)
    const others = await world.collection('others')
    const { fields: gone } = await createWithFiles(wire, world.api, fileOf('cover'))
    const answer = await sendForm(world.api, 'POST', '/collections/others', [fileOf('cover')])
    const { fields: kept } = wire.row(wire.record(expectStatus(201, answer)))
    expectStatus(201, await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file')]))

    expectStatus(wire.statuses.removedCollection, await world.api.delete('/collections/posts'))

    expect((await read(gone.cover)).status).toBe(404)
    expect((await read(kept.cover)).status).toBe(200)
    expect(await usageOf(wire, world)).toMatchObject({ files: 2 })
    expect(others.name).toBe('others')
  })
})
