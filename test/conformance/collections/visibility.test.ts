import { describe, expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { createWithFiles, type FilePage, filePage, sendForm, upload, usageOf } from '../../fixtures/files.js'
import { control } from '../../fixtures/mail/mails.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { type Api, aProject, apiOf } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const selfRoles = ['admin', 'seller']

/** A collection with these permissions, and a user of each role. */
async function aGuardedTown(wire: Wire, permissions: Fields = { read: ['admin'] }) {
  const town = await aTown(wire, { selfRoles })
  const posts = await town.collection('posts', { permissions })
  const admin = await town.anAccount({ roles: ['admin'] })
  const seller = await town.anAccount({ roles: ['seller'] })
  return { ...town, posts, admin, seller }
}

async function listed(wire: Wire, api: Api, query = ''): Promise<FilePage> {
  return filePage(wire, expectStatus(200, await api.get(`/storage/list${query}`)))
}

async function names(wire: Wire, api: Api, query = ''): Promise<readonly [string, number]> {
  const { files, total } = await listed(wire, api, query)
  return [files.map(({ name }) => name).join(' '), total]
}

/** An avatar of the user, by that name. */
async function giveAvatar(api: Api, name: string) {
  const answer = await sendForm(api, 'PATCH', '/auth-collections/user', [fileOf('avatar', 'x', name)])
  return expectStatus(200, answer)
}

inDialects('Files that not everybody may know of', (wire, { once }) => {
  once('contract 8.1 files of a document are listed to callers who may read its collection', async () => {
    const { api, owner, admin, seller, posts } = await aGuardedTown(wire)
    await createWithFiles(wire, owner, fileOf('cover', 'x', 'secret.png'))
    await upload(wire, api, fileOf('file', 'x', 'open.png'))

    expect(await names(wire, api)).toEqual(['open.png', 1])
    expect(await names(wire, seller.api)).toEqual(['open.png', 1])
    expect(await names(wire, admin.api)).toEqual(['open.png secret.png', 2])
    expect(await names(wire, owner)).toEqual(['open.png secret.png', 2])
    expect(await usageOf(wire, { owner: api })).toMatchObject({ files: 2, bytes: 2 })
    expectStatus(200, await owner.patch('/collections/posts', { permissions: {} }))
    expect(await names(wire, api)).toEqual(['open.png secret.png', 2])
    expect(posts.id).not.toBe('')
  })

  once('contract 8.1 files of a user are listed to that user and to the secret key', async () => {
    const { api, owner, admin, seller } = await aGuardedTown(wire)
    await giveAvatar(seller.api, 'seller.png')
    await giveAvatar(admin.api, 'admin.png')

    expect(await names(wire, api)).toEqual(['', 0])
    expect(await names(wire, seller.api)).toEqual(['seller.png', 1])
    expect(await names(wire, admin.api)).toEqual(['admin.png', 1])
    expect(await names(wire, owner)).toEqual(['admin.png seller.png', 2])
  })

  once('contract 8.1 pages of what a caller is listed are whole, the newest first', async () => {
    const { api, owner, admin, collection } = await aGuardedTown(wire)
    await collection('notes')
    const note = (name: string) => sendForm(api, 'POST', '/collections/notes', [fileOf('file', 'x', name)])
    for (const at of [1, 2, 3]) {
      await createWithFiles(wire, owner, fileOf('cover', 'x', `hidden-${at}`))
      await upload(wire, api, fileOf('file', 'x', `open-${at}`), at === 2 ? 'folder' : undefined)
      expectStatus(201, await note(`note-${at}`))
    }

    const all = 'note-3 open-3 note-2 open-2 note-1 open-1'
    expect(await names(wire, api)).toEqual([all, 6])
    expect(await names(wire, api, '?limit=2')).toEqual(['note-3 open-3', 6])
    expect(await names(wire, api, '?limit=2&offset=3')).toEqual(['open-2 note-1', 6])
    expect(await names(wire, api, '?limit=2&offset=9')).toEqual(['', 6])
    expect(await names(wire, api, '?limit=0')).toEqual(['', 6])
    expect(await names(wire, api, '?path=folder')).toEqual(['open-2', 1])
    expect(await names(wire, admin.api, '?limit=3')).toEqual(['note-3 open-3 hidden-3', 9])
    expect(await names(wire, owner, '?limit=3&offset=6')).toEqual(['note-1 open-1 hidden-1', 9])
  })

  test('contract 8.1 the total follows what is written, replaced and deleted', async () => {
    const { api, owner, admin, seller, posts } = await aGuardedTown(wire)
    const first = await createWithFiles(wire, owner, fileOf('cover', 'x', 'a'), fileOf('cover', 'x', 'b'))
    const second = await createWithFiles(wire, owner, fileOf('cover', 'x', 'c'))
    const open = await upload(wire, api, fileOf('file', 'x', 'open'))
    const totals = async () => {
      const [key, role, all] = [await listed(wire, api), await listed(wire, admin.api), await listed(wire, owner)]
      for (const { files, total } of [key, role, all]) expect(total).toBe(files.length)
      return [key.total, role.total, all.total]
    }

    expect(await totals()).toEqual([1, 4, 4])
    await sendForm(owner, 'PATCH', `/collections/posts/${second.id}`, [fileOf('cover', 'x', 'd')])
    expect(await totals()).toEqual([1, 4, 4])
    expectStatus(200, await owner.patch(`/collections/posts/${second.id}`, { cover: null }))
    expect(await totals()).toEqual([1, 3, 3])
    expectStatus(200, await owner.delete(`/collections/posts/${first.id}`))
    expect(await totals()).toEqual([1, 1, 1])
    expectStatus(200, await api.delete(`/storage/file/${open.id}`))
    await createWithFiles(wire, owner, fileOf('cover', 'x', 'e'))
    await giveAvatar(seller.api, 'seller.png')
    expect(await totals()).toEqual([0, 1, 2])
    expectStatus(wire.statuses.removedCollection, await owner.delete(`/collections/${posts.name}`))
    expect(await totals()).toEqual([0, 0, 1])
    expect((await control('DELETE', `/users/${seller.id}`)).status).toBe(200)
    expect(await totals()).toEqual([0, 0, 0])
  })

  once('contract 8.1 deleting a file by its id tells nothing to who is not listed it', async () => {
    const { api, owner, admin } = await aGuardedTown(wire)
    const { fields } = await createWithFiles(wire, owner, fileOf('cover', 'x', 'secret.png'))
    const [, , , , id = ''] = String(fields.cover).split('/')

    expectFailure(await api.delete(`/storage/file/${id}`), 404, 'NOT_FOUND')
    expectFailure(await admin.api.delete(`/storage/file/${id}`), 409, 'FILE_IN_USE')
    expectFailure(await owner.delete(`/storage/file/${id}`), 409, 'FILE_IN_USE')
  })
})

inDialects('What is derived of a guarded collection', (wire, { once }) => {
  once('contract 5.3 its count and its roles are shown to callers who may read it', async () => {
    const { api, owner, admin, seller, posts } = await aGuardedTown(wire, { read: ['admin'], delete: ['boss'] })
    await posts.fill([{ a: 1 }, { a: 2 }])
    const one = async (who: Api) => wire.record(expectStatus(200, await who.get('/api/collections/posts')))
    const all = async (who: Api) => wire.record(expectStatus(200, await who.get('/collections')))

    for (const who of [owner, admin.api]) {
      const permissions = { read: ['admin'], delete: ['boss'] }
      expect(await one(who)).toMatchObject({ name: 'posts', document_count: 2, permissions })
      expect(await all(who)).toMatchObject([{ name: 'posts', permissions }])
    }
    for (const who of [api, seller.api]) {
      for (const record of [await one(who), ...((await all(who)) as unknown[])]) {
        expect(record).toMatchObject({ name: 'posts', schema: {} })
        expect(Object.keys(record as object)).not.toContain('document_count')
        expect(Object.keys(record as object)).not.toContain('permissions')
      }
      const refusals = [
        await who.delete(`/collections/posts/${(await posts.list()).rows[0]?.id}`),
        await who.get(wire.listPath('posts')),
        await who.delete('/collections/posts'),
        await who.patch('/collections/posts', { schema: {} }),
      ]
      for (const { text } of refusals) expect(text).not.toMatch(/boss|"admin"/)
    }
  })

  test('contract 5.3 a write by a caller who may not read answers a record with empty data', async () => {
    const { api, owner, admin, posts } = await aGuardedTown(wire)
    const secret = { secret: 'tea', tags: ['a'] }
    const path = '/collections/posts'
    const shown = (answer: Parameters<Wire['record']>[0]) => wire.row(wire.record(answer))

    const created = expectStatus(201, await api.post(path, secret, { 'idempotency-key': 'k' }))
    const { id, createdAt } = shown(created)
    const url = `${path}/${id}`
    const answers = [
      created,
      await api.post(path, secret, { 'idempotency-key': 'k' }),
      await api.patch(url, { more: 1 }),
      await api.patch(url, { $append: { tags: 'b' } }),
      await sendForm(api, 'PATCH', url, [textOf('data', '{"more":2}'), fileOf('cover', 'x', 'a.png')]),
    ]
    const records = { 'svc-dialect': `${wire.name}, acks=record` }
    const batch = [
      await api.post(`${path}/batch`, { documents: [secret, secret] }),
      await api.post(`${path}/batch/documents/update`, { updates: { [id]: { data: { more: 3 } } } }, records),
    ]
    const replaced = await api.put(url, { other: 1 })

    for (const answer of [...answers, replaced]) {
      expect(answer.status).toBeLessThan(300)
      expect(shown(answer)).toMatchObject({ id, fields: {}, createdAt })
      expect(answer.text).not.toMatch(/tea|more|cover|tags/)
    }
    expect(answers.map(({ headers }) => headers.etag)).toEqual(['"1"', '"1"', '"2"', '"3"', '"4"'])
    expect(replaced.headers.etag).toBe('"6"')
    for (const answer of batch) {
      expect(answer.status).toBeLessThan(300)
      const shown = wire.record(answer) as unknown[]
      expect(shown.length).toBeGreaterThan(0)
      for (const record of shown) expect(wire.row(record).fields).toEqual({})
      expect(answer.text).not.toMatch(/tea|more|tags/)
    }
    expect((await posts.get(id)).fields).toMatchObject({ other: 1 })
    expect(shown(await admin.api.patch(url, { more: 4 })).fields).toMatchObject({ more: 4 })
    expect(shown(await owner.patch(url, { more: 5 })).fields).toMatchObject({ more: 5 })
  })

  once('contract 5.3 an update by a caller who may not read answers the same whatever is stored', async () => {
    const { api, admin, collection } = await aGuardedTown(wire)
    const permissions = { read: ['admin'] }
    const boards = await collection('boards', { permissions })
    const schema = {
      tags: { type: 'array', minLength: 1, maxLength: 2 },
      board: { type: 'link', to: boards.id },
      boards: { type: 'link', to: boards.id, many: true },
    }
    await collection('cards', { schema, permissions })
    const board = wire.row(wire.record(expectStatus(201, await admin.api.post('/collections/boards', {})))).id
    const create = async (fields: Fields) => {
      const answer = expectStatus(201, await admin.api.post('/collections/cards', fields))
      return `/collections/cards/${wire.row(wire.record(answer)).id}`
    }
    const [full, empty] = [await create({ tags: ['a', 'b'], board, boards: [board] }), await create({ tags: ['c'] })]

    for (const [change, status] of [
      [{ $append: { tags: 'a' } }, 403],
      [{ $append: { tags: 'x' } }, 403],
      [{ $remove: { tags: 'c' } }, 403],
      [{ $append: { boards: board } }, 422],
      [{ board }, 422],
    ] as const) {
      const answers = [await api.patch(full, change), await api.patch(empty, change)]
      expect([change, ...answers.map(({ status }) => status)]).toEqual([change, status, status])
      expect(answers[0]?.text).toBe(answers[1]?.text)
    }
    expectStatus(200, await api.patch(full, { tags: ['d'], $unset: ['board'] }))
    expectStatus(200, await admin.api.patch(full, { $append: { tags: 'e', boards: board } }))
    expectFailure(await admin.api.patch(full, { $append: { tags: 'f' } }), 422, 'VALIDATION_ERROR')
  })

  once('contract 5.3 a 412 names the version to readers only', async () => {
    const { api, admin, posts } = await aGuardedTown(wire)
    const { id } = await posts.create({ a: 1 })
    const url = `/collections/posts/${id}`
    const stale = { 'if-match': '"7"' }

    for (const answer of [
      await api.patch(url, {}, stale),
      await api.delete(url, stale),
      await api.put(url, {}, stale),
    ]) {
      expectFailure(answer, 412, 'CONFLICT')
      expect(answer.text).not.toMatch(/version|\b1\b/)
      expect(answer.headers.etag).toBeUndefined()
    }
    expect((await admin.api.patch(url, {}, stale)).text).toMatch(/version 1/)
  })

  test('contract 5.3 populate and related filters look no further for any other role', async () => {
    const { admin, seller, posts, collection } = await aGuardedTown(wire)
    const links = await collection('links')
    const { id } = await posts.create({ word: 'tea' })
    await links.create({ name: 'one', post: id })
    const found = async (api: Api, query: string) =>
      wire.page(expectStatus(200, await api.get(`${wire.listPath('links')}?populate=post&${query}`))).rows

    for (const query of ['post.word=tea', `post.word${wire.mark}contains=te`, `post.id=${id}`]) {
      expect(await found(seller.api, query), query).toHaveLength(0)
      expect(await found(admin.api, query), query).toHaveLength(1)
    }
    const [[hidden], [open]] = [await found(seller.api, 'name=one'), await found(admin.api, 'name=one')]
    expect(hidden?.fields.post).toBe(id)
    expect(wire.link(open?.fields.post).fields).toEqual({ word: 'tea' })
    const sorted = await seller.api.get(`${wire.listPath('links')}?populate=post&orderBy=post.word`)
    expect(wire.page(expectStatus(200, sorted)).rows[0]?.fields.post).toBe(id)
  })
})

describe('Keys that were removed', () => {
  test('AUT-01 are refused at once, however often they were used a moment before', async () => {
    const project = await aProject()
    const path = `/projects/${project.id}/keys`
    for (const secret of [false, true]) {
      const { body } = await control('POST', path, { secret })
      const { id, key } = body as { id: string; key: string }
      const api = apiOf({ 'x-api-key': key }, 'a')
      for (let times = 0; times < 3; times++) expectStatus(200, await api.get('/collections'))

      expect((await control('DELETE', `${path}/${id}`)).status).toBe(200)

      expectFailure(await api.get('/collections'), 401, 'UNAUTHORIZED')
      expectFailure(await api.post('/collections', { name: 'late' }), 401, 'UNAUTHORIZED')
    }
    expectStatus(200, await apiOf({ 'x-api-key': project.apiKey }, 'a').get('/collections'))
  })
})
