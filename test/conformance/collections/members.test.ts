import { afterEach, describe, expect, test } from 'vitest'
import { type Account, aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { filePage, sendForm } from '../../fixtures/files.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { type Api, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const boards = '/collections/boards'
const cards = '/collections/cards'

const ofMembers = { read: ['member:members'], update: ['member:members'], delete: ['member:members'] }
const ofBoard = {
  create: ['member:board.members'],
  read: ['member:board.members'],
  update: ['member:board.members'],
  delete: ['member:board.members'],
}

inDialects('Members of documents', (wire, { once }) => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  once('contract 13.9 a user whose id is in the field, alone or in an array, reads, changes and deletes', async () => {
    const { ada, bob, api, owner } = await aBoard(wire)
    for (const members of [[bob.id, ada.id], ada.id]) {
      const { id } = await create(wire, owner, boards, { members })
      const path = `${boards}/${id}`

      expectStatus(200, await ada.api.get(path))
      expectStatus(200, await ada.api.patch(path, { n: 1 }))
      expect(await countIn(wire, ada.api, 'boards')).toBe(2)
      expectFailure(await api.get(path), 401, 'UNAUTHORIZED')
      if (members === ada.id) await refuse(bob.api, path)
      expectStatus(200, await ada.api.delete(path))
    }
    for (const members of [null, {}, [[ada.id]], { id: ada.id }, `${ada.id} `]) {
      const { id } = await create(wire, owner, boards, { members })
      await refuse(ada.api, `${boards}/${id}`)
    }
    expect(await titles(wire, ada.api, '')).toEqual(['Theirs'])
    expect(await countIn(wire, ada.api, 'boards')).toBe(1)
  })

  once('contract 13.9 a user whose id is in the linked document does', async () => {
    const { ada, bob, owner, theirs, his } = await aBoard(wire)
    const { id } = await create(wire, owner, cards, { n: 1, board: theirs.id })
    await create(wire, owner, cards, { n: 2, board: his.id })
    for (const board of [null, 'x', [theirs.id], { id: theirs.id }, ada.id]) await create(wire, owner, cards, { board })
    await create(wire, owner, cards, { members: [ada.id] })

    expect(await list(wire, ada.api, 'cards')).toEqual([[1], 1])
    expect(await list(wire, ada.api, 'cards', 'n__gte=1&orderBy=n&limit=1&offset=0')).toEqual([[1], 1])
    expect(await list(wire, bob.api, 'cards', 'orderBy=n&order=asc&limit=1')).toEqual([[1], 2])
    expect(await list(wire, bob.api, 'cards', '[or]n=2&[or]n=9')).toEqual([[2], 1])
    expect([await countIn(wire, ada.api, 'cards'), await countIn(wire, bob.api, 'cards')]).toEqual([1, 2])
    expectStatus(200, await ada.api.patch(`${cards}/${id}`, { n: 7 }))
    expectStatus(200, await bob.api.put(`${cards}/${id}`, { n: 8, board: theirs.id }))
    expectStatus(200, await ada.api.delete(`${cards}/${id}`))
  })

  once('contract 13.9 creating takes the value that is written, also in a batch', async () => {
    const { ada, theirs, his, owner } = await aBoard(wire)
    const batch = `${cards}/batch/documents`

    await create(wire, ada.api, cards, { n: 1, board: theirs.id })
    for (const fields of [{}, { board: his.id }, { board: [theirs.id] }, { members: [ada.id] }]) {
      expectFailure(await ada.api.post(cards, fields), 403, 'FORBIDDEN')
    }
    const mixed = { documents: [{ board: theirs.id }, { board: his.id }] }
    expectFailure(await ada.api.post(batch, mixed), 403, 'FORBIDDEN')
    expectStatus(201, await ada.api.post(batch, { documents: [{ board: theirs.id }, { board: theirs.id }] }))
    expect((await list(wire, owner, 'cards'))[1]).toBe(3)
  })

  once('contract 13.9 a user may shut themselves out by a write, and a new membership counts at once', async () => {
    const { ada, bob, theirs, owner } = await aBoard(wire)
    const { id } = await create(wire, owner, cards, { n: 1, board: theirs.id })

    const changed = wire.row(
      wire.record(expectStatus(200, await ada.api.patch(`${boards}/${theirs.id}`, { members: bob.id }))),
    )
    expect(changed.fields).toEqual({})
    await refuse(ada.api, `${boards}/${theirs.id}`)
    await refuse(ada.api, `${cards}/${id}`)
    expectFailure(await ada.api.post(cards, { board: theirs.id }), 403, 'FORBIDDEN')
    expectStatus(200, await bob.api.patch(`${boards}/${theirs.id}`, { members: [bob.id, ada.id] }))
    expectStatus(200, await ada.api.get(`${cards}/${id}`))
  })

  once('contract 13.9 a batch that touches a document of others does nothing', async () => {
    const { ada, theirs, his, owner } = await aBoard(wire)
    const mine = await create(wire, owner, cards, { n: 1, board: theirs.id })
    const other = await create(wire, owner, cards, { n: 1, board: his.id })
    const batch = `${cards}/batch/documents`

    const updates = { [mine.id]: { data: { n: 2 } }, [other.id]: { data: { n: 2 } } }
    expectFailure(await ada.api.post(`${batch}/update`, { updates }), 404, 'NOT_FOUND')
    expectFailure(await ada.api.post(`${batch}/delete`, { document_ids: [mine.id, other.id] }), 404, 'NOT_FOUND')
    expectStatus(200, await ada.api.post(`${batch}/update`, { updates: { [mine.id]: { data: { n: 3 } } } }))
    expectStatus(200, await ada.api.post(`${batch}/delete`, { document_ids: [mine.id] }))
  })

  once('contract 13.9 populate and filters through links tell only of documents that the caller may read', async () => {
    const { ada, bob, owner, theirs, his, collection } = await aBoard(wire)
    const links = await collection('links')
    const card = await create(wire, owner, cards, { n: 1, board: his.id })
    await links.create({ board: his.id, card: card.id })
    const found = async (api: Api, query: string) =>
      wire.page(expectStatus(200, await api.get(`${wire.listPath('links')}?populate=board,card&${query}`)))

    expect((await found(ada.api, '')).rows[0]?.fields).toEqual({ board: his.id, card: card.id })
    const { board, card: populated } = (await found(bob.api, '')).rows[0]?.fields ?? {}
    expect([board, populated]).toMatchObject([{ id: his.id }, { id: card.id }])
    for (const query of ['board.title=His', 'card.n=1']) {
      expect((await found(ada.api, query)).total).toBe(0)
      expect((await found(bob.api, query)).total).toBe(1)
    }
    expectStatus(200, await bob.api.patch(`${boards}/${theirs.id}`, {}))
  })

  once('contract 13.9 files of documents are listed to their members', async () => {
    const { ada, bob, owner, theirs } = await aBoard(wire)
    const withFile = (name: string, fields: Fields) =>
      sendForm(owner, 'POST', cards, [textOf('data', fields), fileOf('cover', 'x', name)])
    await withFile('theirs.png', { board: theirs.id })
    await withFile('none.png', {})
    const names = async (api: Api) => {
      const { files, total } = filePage(wire, expectStatus(200, await api.get('/storage/list')))
      return [files.map(({ name }) => name), total]
    }

    expect(await names(ada.api)).toEqual([['theirs.png'], 1])
    await owner.patch(`${boards}/${theirs.id}`, { members: [bob.id] })
    expect(await names(ada.api)).toEqual([[], 0])
  })

  once('contract 13.9 a link leads only to the project, and to the collection that the schema names', async () => {
    const { ada, owner, theirs, collection } = await aBoard(wire, { isTyped: true })
    await collection('forged')
    const forged = await create(wire, owner, '/collections/forged', { members: [ada.id] })
    const other = await aBoard(wire)
    const foreign = await create(wire, other.owner, boards, { members: [ada.id] })

    expectStatus(201, await ada.api.post(cards, { board: theirs.id }))
    for (const { id } of [forged, foreign]) {
      const refused = await ada.api.post(cards, { board: id })
      expect([403, 422]).toContain(refused.status)
    }
  })

  once('contract 13.9 a role of that name is no membership, and words combine with roles and owner', async () => {
    const { ada, bob, owner, theirs } = await aBoard(wire)
    await control.users.update({ user: bob.id, roles: ['member:members', 'member:board.members', 'admin'] })
    const { id } = await create(wire, owner, boards, { members: [] })
    await refuse(bob.api, `${boards}/${id}`)

    await owner.patch(boards, { permissions: { read: ['owner', 'member:members', 'admin'] } })
    const mine = await create(wire, ada.api, boards, { title: 'Mine' })
    expect(await titles(wire, ada.api, 'orderBy=title&order=asc')).toEqual(['Mine', 'Theirs'])
    expect((await titles(wire, bob.api, '')).length).toBe(4)
    expectStatus(200, await ada.api.get(`${boards}/${mine.id}`))
    expect(await titles(wire, ada.api, 'created_by=me')).toEqual(['Mine'])
    expectStatus(200, await ada.api.get(`${boards}/${theirs.id}`))
  })

  once('contract 13.9 invalid words are refused at their place', async () => {
    const { owner } = await aBoard(wire)
    const schema = {
      many: { type: 'link', to: 'boards', many: true },
      user: { type: 'link', to: 'users' },
      n: { type: 'number' },
    }
    const words = [
      'member:',
      'member:a.b.c',
      'member:.a',
      'member:a.',
      'member:id',
      'member:created_at',
      'member:$append',
    ]
    for (const word of [...words, 'member:many.members', 'member:user.friends', 'member:n.members']) {
      const answer = await owner.post('/collections', { name: 'x', schema, permissions: { read: ['editor', word] } })
      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(JSON.stringify(answer.body), word).toMatch(/"permissions".*"read".*1/)
    }
    const hidden = { hidden: { salary: ['member:members'] } }
    expectFailure(await owner.patch(boards, { permissions: hidden }), 422, 'VALIDATION_ERROR')
    const many = { read: Array.from({ length: 9 }, (_, at) => `member:f${at}`) }
    expectFailure(await owner.patch(boards, { permissions: many }), 422, 'VALIDATION_ERROR')
    expectStatus(200, await owner.patch(boards, { permissions: { ...ofMembers, create: ['member:members'] } }))
  })

  describe('on open streams', () => {
    async function openStreams({ ada, bob }: { ada: Account; bob: Account }, name: string) {
      const events = async (token: string, query: string) => {
        const authorization = { authorization: `Bearer ${token}`, 'svc-dialect': 'a' }
        const stream = await openEvents(service.url, `/realtime/sse/${name}${query}`, authorization)
        closing.push(stream.close)
        return stream
      }
      const socket = await openAuthenticated(service.url, bob.token, 'a')
      closing.push(socket.close)
      await socket.ask({ type: 'subscribe', collection: name, live: true })
      return { events, socket, hers: await events(ada.token, ''), live: await events(ada.token, '?live=true') }
    }

    test('contract 13.9 a document enters and leaves the view of its members, without data they may not see', async () => {
      const { ada, bob, owner } = await aBoard(wire)
      const { events, socket, hers, live } = await openStreams({ ada, bob }, 'boards')

      const { id } = await create(wire, owner, boards, { n: 1, members: [ada.id] })
      await owner.patch(`${boards}/${id}`, { n: 2 })
      await owner.patch(`${boards}/${id}`, { n: 3, members: [bob.id] })
      await owner.patch(`${boards}/${id}`, { n: 4 })
      await owner.patch(`${boards}/${id}`, { n: 5, members: [bob.id, ada.id] })
      await owner.delete(`${boards}/${id}`)

      const plain = [
        ['created', 1],
        ['updated', 2],
        ['updated', 5],
        ['deleted', 5],
      ]
      const viewed = [
        ['created', 1],
        ['updated', 2],
        ['deleted', 2],
        ['created', 5],
        ['deleted', 5],
      ]
      expect(seen(await hers.atLeast(4))).toEqual(plain)
      expect(seen(await live.atLeast(5))).toEqual(viewed)
      const replay = await events(ada.token, '?since=0&live=true')
      expect(seen(await replay.atLeast(6))).toEqual([['created', undefined], ...viewed])
      const his = (await socket.atLeast(6)).filter(({ type }) => type === 'event')
      expect(seen(his)).toEqual([
        ['created', 3],
        ['updated', 4],
        ['updated', 5],
        ['deleted', 5],
      ])
    })

    test.each([
      ['with', true],
      ['without', false],
    ])(
      'contract 13.9 changes reach the members of the linked document at that moment, %s a rule for the link',
      async (_, isTyped) => {
        const { ada, bob, owner, theirs, his } = await aBoard(wire, { isTyped })
        const { events, socket, hers, live } = await openStreams({ ada, bob }, 'cards')

        const { id } = await create(wire, owner, cards, { n: 1, board: theirs.id })
        await create(wire, owner, cards, { n: 2, board: his.id })
        await owner.patch(`${cards}/${id}`, { n: 3, board: his.id })
        await owner.patch(`${cards}/${id}`, { n: 4, board: theirs.id })
        const entered = [
          ['created', 1],
          ['deleted', 1],
          ['created', 4],
        ]
        expect(seen(await live.atLeast(3))).toEqual(entered)
        expect(seen(await hers.atLeast(2))).toEqual([
          ['created', 1],
          ['updated', 4],
        ])
        expect(seen(await (await events(ada.token, '?since=0&live=true')).atLeast(3))).toEqual(entered)
        const his4 = (await socket.atLeast(6)).filter(({ type }) => type === 'event')
        expect(seen(his4).map(([, n]) => n)).toEqual([1, 2, 3, 4])

        await owner.patch(`${boards}/${theirs.id}`, { members: [bob.id] })
        const told = await live.atLeast(4)
        expect(told[3]).toMatchObject({ type: 'error', code: 'RESYNC' })
        await owner.patch(`${cards}/${id}`, { n: 5 })
        await socket.atLeast(7)
        await owner.patch(`${boards}/${theirs.id}`, { members: [bob.id, ada.id] })
        expect((await live.atLeast(5))[4]).toMatchObject({ type: 'error', code: 'RESYNC' })
        await owner.patch(`${cards}/${id}`, { n: 6 })
        expect(seen((await live.atLeast(6)).slice(5))).toEqual([['updated', 6]])
        expect(seen(await hers.atLeast(3)).slice(2)).toEqual([['updated', 6]])
      },
    )
  })
})

async function aBoard(wire: Wire, { isTyped = false } = {}) {
  const town = await aTown(wire)
  const { id: to } = await town.collection('boards', { permissions: ofMembers })
  const schema = isTyped ? { board: { type: 'link', to } } : {}
  await town.collection('cards', { permissions: ofBoard, schema })
  const [ada, bob] = [await town.anAccount(), await town.anAccount()]
  const theirs = await create(wire, town.owner, boards, { title: 'Theirs', members: [ada.id, bob.id] })
  const his = await create(wire, town.owner, boards, { title: 'His', members: bob.id })
  return { ...town, ada, bob, theirs, his }
}

async function create(wire: Wire, api: Api, path: string, fields: Fields) {
  return wire.row(wire.record(expectStatus(201, await api.post(path, fields))))
}

async function refuse(api: Api, path: string) {
  for (const [method, body] of [['GET'], ['PATCH', {}], ['PUT', {}], ['DELETE']] as const) {
    expectFailure(await api.send(method, path, {}, body), 404, 'NOT_FOUND')
    expectFailure(await api.send(method, path, { 'if-match': '"99"' }, body), 404, 'NOT_FOUND')
  }
}

async function list(wire: Wire, api: Api, name: string, query = '') {
  const { rows, total } = wire.page(expectStatus(200, await api.get(`${wire.listPath(name)}?${query}`)))
  return [rows.map(({ fields }) => fields.n), total]
}

async function titles(wire: Wire, api: Api, query: string) {
  const { rows } = wire.page(expectStatus(200, await api.get(`${wire.listPath('boards')}?${query}`)))
  return rows.map(({ fields }) => fields.title)
}

async function countIn(wire: Wire, api: Api, name: string) {
  const { document_count: count } = wire.record(expectStatus(200, await api.get(`/api/collections/${name}`))) as Fields
  return count
}

function seen(messages: readonly Fields[]): unknown[][] {
  return messages.map(({ event, document }) => [event, (document as { data: Fields }).data.n])
}
