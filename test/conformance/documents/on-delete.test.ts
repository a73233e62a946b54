import { afterEach, expect, test } from 'vitest'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { filesOf, sendForm } from '../../fixtures/files.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { service } from '../../fixtures/service.js'
import {
  aWorld,
  expectFailure,
  expectStatus,
  type Fields,
  inDialects,
  type Row,
  type Shelf,
  type Wire,
} from '../../fixtures/wires.js'

const actions = ['keep', 'unset', 'delete', 'refuse'] as const
type Action = (typeof actions)[number]

inDialects('Deleting a linked record', (wire, { once }) => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  test.each([
    ['keep', [{ name: 'card', board: 'ID' }]],
    [undefined, [{ name: 'card', board: 'ID' }]],
    ['unset', [{ name: 'card' }]],
    ['delete', []],
  ] as const)('contract 13.3 onDelete %s leaves %j', async (onDelete, left) => {
    const { owner, board, cards } = await aBoard(wire, { onDelete })
    await cards.create({ name: 'card', board: board.id })

    expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

    const { rows, total } = await cards.list()
    const shown = rows.map(({ fields }) => ('board' in fields ? { ...fields, board: 'ID' } : fields))
    expect([shown, total]).toEqual([left, left.length])
  })

  once('contract 13.3 refuse answers 409 with the number of documents, and deletes when none is left', async () => {
    const { owner, board, cards, boards } = await aBoard(wire, { onDelete: 'refuse' })
    const [one, two] = await cards.fill([{ board: board.id }, { board: board.id }, {}])

    const refused = await owner.delete(`/collections/boards/${board.id}`)
    expectStatus(200, await owner.delete(`/collections/cards/${one?.id}`))
    const again = await owner.delete(`/collections/boards/${board.id}`)
    expectStatus(200, await owner.delete(`/collections/cards/${two?.id}`))
    expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

    for (const answer of [refused, again]) expectFailure(answer, 409, 'DOCUMENT_IN_USE')
    expect(refused.text).toContain('2 documents in \\"cards\\"')
    expect(again.text).toContain('1 document in \\"cards\\"')
    expect((await boards.list()).total).toBe(0)
  })

  once('contract 13.3 a refusal does not tell of collections and documents that the caller may not read', async () => {
    const { owner, api, ada, boards, collection } = await aStreet(wire)
    const link = { board: { type: 'link', to: boards.id, onDelete: 'refuse' } }
    const secrets = await collection('secrets', { schema: link, permissions: { read: ['none'] } })
    await collection('own', { schema: link, permissions: { read: ['owner', 'editor'] } })
    const { id } = await boards.create({})
    await secrets.create({ board: id })
    for (const api of [ada, owner]) expectStatus(201, await api.post('/collections/own', { board: id }))

    const [hers, ofKey, ofOwner] = [
      await ada.delete(`/collections/boards/${id}`),
      await api.delete(`/collections/boards/${id}`),
      await owner.delete(`/collections/boards/${id}`),
    ]

    for (const answer of [hers, ofKey, ofOwner]) expectFailure(answer, 409, 'DOCUMENT_IN_USE')
    expect(hers.text).toContain('1 document in \\"own\\"')
    for (const { text } of [hers, ofKey]) expect(text).not.toContain('secrets')
    expect(ofKey.text).not.toContain('own')
    expect(ofOwner.text).toContain('1 document in \\"secrets\\" and 2 documents in \\"own\\"')
  })

  once('contract 13.3 unset takes the id out of a list, a field out of an object, and keeps all else', async () => {
    const { owner, board, boards, collection } = await aBoard(wire, {})
    const link = { type: 'link', to: boards.id, onDelete: 'unset' }
    const nested = await collection('nested', {
      schema: {
        many: { ...link, many: true },
        list: { type: 'array', items: link },
        rows: { type: 'array', items: { type: 'object', fields: { board: link } } },
        inner: { type: 'object', fields: { board: link } },
      },
    })
    const other = await boards.create({})
    const { id } = await nested.create({
      many: [board.id, other.id, board.id],
      list: [other.id, board.id],
      rows: [{ n: 1, board: board.id }, { n: 2, board: other.id }, { n: 3 }],
      inner: { board: board.id, n: 4 },
      free: board.id,
    })

    expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

    expect((await nested.get(id)).fields).toEqual({
      many: [other.id],
      list: [other.id],
      rows: [{ n: 1 }, { n: 2, board: other.id }, { n: 3 }],
      inner: { n: 4 },
      free: board.id,
    })
  })

  once('contract 13.3 a deletion follows links through collections and circles, and takes files along', async () => {
    const { owner, board, boards, cards, collection } = await aBoard(wire, { onDelete: 'delete' })
    const next = { type: 'link', to: cards.id, onDelete: 'delete' }
    const comments = await collection('comments', { schema: { card: next } })
    expectStatus(200, await owner.patch('/collections/boards', { schema: { first: next } }))
    const parts = [textOf('data', { board: board.id }), fileOf('cover')]
    const card = wire.row(wire.record(expectStatus(201, await sendForm(owner, 'POST', '/collections/cards', parts))))
    await cards.create({ name: 'free' })
    expectStatus(200, await owner.patch(`/collections/boards/${board.id}`, { first: card.id }))
    const second = await boards.create({ first: card.id })
    const child = await cards.create({ board: second.id })
    await comments.fill([{ card: card.id }, { card: child.id }, {}])
    expect(await filesOf(wire, { owner })).toHaveLength(1)

    expectStatus(200, await owner.delete(`/collections/comments/${(await comments.create({ card: card.id })).id}`))
    expectStatus(200, await owner.delete(`/collections/cards/${card.id}`))

    expect((await boards.list()).rows).toEqual([])
    expect((await cards.list()).rows.map(({ fields }) => fields)).toEqual([{ name: 'free' }])
    expect((await comments.list()).rows.map(({ fields }) => fields)).toEqual([{}])
    expect(await filesOf(wire, { owner })).toEqual([])
  })

  once('contract 13.3 a batch counts as one deletion, with the links between its documents', async () => {
    const { owner, cards, boards, collection } = await aBoard(wire, {})
    const more = { parent: { type: 'link', to: boards.id, onDelete: 'refuse' } }
    expectStatus(200, await owner.patch('/collections/boards', { schema: more }))
    const watch = { type: 'link', to: boards.id, onDelete: 'unset', many: true }
    const watchers = await collection('watchers', { schema: { boards: watch } })
    const parent = await boards.create({})
    const child = await boards.create({ parent: parent.id })
    const { id } = await watchers.create({ boards: [child.id, parent.id] })
    const remove = (ids: string[]) => owner.post('/collections/boards/batch/documents/delete', { document_ids: ids })

    const refused = await remove([parent.id])
    expectStatus(200, await remove([parent.id, child.id]))

    expectFailure(refused, 409, 'DOCUMENT_IN_USE')
    expect((await watchers.get(id)).fields).toEqual({ boards: [] })
    expect((await cards.list()).total).toBe(0)
  })

  once('contract 13.3 a refusal further down undoes the whole deletion', async () => {
    const { owner, board, boards, cards, collection } = await aBoard(wire, { onDelete: 'delete' })
    const comments = await collection('comments', {
      schema: { card: { type: 'link', to: cards.id, onDelete: 'refuse' } },
    })
    const card = await cards.create({ board: board.id })
    await comments.create({ card: card.id })

    const answer = await owner.delete(`/collections/boards/${board.id}`)

    expectFailure(answer, 409, 'DOCUMENT_IN_USE')
    expect(answer.text).toContain('1 document in \\"comments\\"')
    expect([(await boards.list()).total, (await cards.list()).total]).toEqual([1, 1])
  })

  once('contract 13.3 dependants need no permission of their own', async () => {
    const { ada, boards, collection } = await aStreet(wire)
    const closed = { read: ['none'], update: ['none'], delete: ['none'] }
    const logs = await collection('logs', { schema: linkTo(boards, 'delete'), permissions: closed })
    const notes = await collection('notes', { schema: linkTo(boards, 'unset'), permissions: closed })
    const { id } = await boards.create({})
    await logs.create({ board: id })
    await notes.create({ board: id, n: 1 })

    expectStatus(200, await ada.delete(`/collections/boards/${id}`))

    expect((await logs.list()).rows).toEqual([])
    expect((await notes.list()).rows.map(({ fields }) => fields)).toEqual([{ n: 1 }])
  })

  once('contract 13.3 deleting a user obeys the links to users', async () => {
    const { project, owner, collection } = await aBoard(wire, {})
    const link = (onDelete: Action) => ({ schema: { user: { type: 'link', to: 'users', onDelete } } })
    const tasks = await collection('tasks', link('unset'))
    const drafts = await collection('drafts', link('delete'))
    const bills = await collection('bills', link('refuse'))
    const user = await control.users.create({ project: project.id, email: 'ada@example.com' })
    const other = await control.users.create({ project: project.id, email: 'bob@example.com' })
    await tasks.fill([{ user: user.id }, { user: other.id }])
    await drafts.fill([{ user: user.id }, { user: other.id }])
    const bill = await bills.create({ user: user.id })

    const refused = await control.users.remove({ user: user.id }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SvcError)
    expect(refused).toMatchObject({ code: 'DOCUMENT_IN_USE', status: 409 })
    expectStatus(200, await owner.delete(`/collections/bills/${bill.id}`))
    await control.users.remove({ user: user.id })

    expect((await tasks.list('orderBy=id')).rows.map(({ fields }) => fields)).toEqual([{}, { user: other.id }])
    expect((await drafts.list()).rows.map(({ fields }) => fields)).toEqual([{ user: other.id }])
  })

  test('contract 13.3 a collection that others link to with refuse is not deleted, and any other is', async () => {
    const { owner, board, boards, cards, collection } = await aBoard(wire, { onDelete: 'delete' })
    const nested = { rows: { type: 'array', items: { type: 'object', fields: linkTo(boards, 'refuse') } } }
    const bills = await collection('bills', { schema: nested })
    await cards.create({ board: board.id })
    const bill = await bills.create({ rows: [{}, { board: board.id }] })

    const refused = await owner.delete('/collections/boards')
    expectStatus(200, await owner.patch(`/collections/bills/${bill.id}`, { rows: [{}] }))
    expectStatus(wire.statuses.removedCollection, await owner.delete('/collections/boards'))

    expectFailure(refused, 409, 'DOCUMENT_IN_USE')
    expect(refused.text).toContain('1 document in \\"bills\\"')
    expect((await cards.list()).rows.map(({ fields }) => fields)).toEqual([{ board: board.id }])
  })

  test('contract 13.3 dependants produce their events, before the record that they link to', async () => {
    const { project, owner, board, boards, cards, collection } = await aBoard(wire, { onDelete: 'delete' })
    const comments = await collection('comments', {
      schema: { card: { type: 'link', to: cards.id, onDelete: 'delete' } },
    })
    const notes = await collection('notes', { schema: linkTo(boards, 'unset') })
    const card = await cards.create({ board: board.id })
    const comment = await comments.create({ card: card.id })
    const note = await notes.create({ board: board.id, n: 1 })
    const socket = await openAuthenticated(service.url, project.secretKey, wire.name)
    closing.push(socket.close)
    for (const { name } of [boards, cards, comments, notes]) await socket.ask({ type: 'subscribe', collection: name })

    expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

    const events = (await socket.atLeast(9)).slice(5)
    expect(events.map((event) => [String(event.event).slice(0, 6), (documentIn(event) as Row).id])).toEqual([
      ['update', note.id],
      ['delete', comment.id],
      ['delete', card.id],
      ['delete', board.id],
    ])
    expect((await notes.get(note.id)).fields).toEqual({ n: 1 })
    const { versions } = await control.history.get({ project: project.id, collection: 'notes', document: note.id })
    expect(versions.map(({ version }) => version)).toEqual([2, 1])
  })

  once('contract 13.3 if-match is obeyed before dependants are touched', async () => {
    const { owner, board, cards } = await aBoard(wire, { onDelete: 'delete' })
    await cards.create({ board: board.id })

    expectFailure(await owner.delete(`/collections/boards/${board.id}`, { 'if-match': '"9"' }), 412, 'CONFLICT')

    expect((await cards.list()).total).toBe(1)
  })
})

inDialects(
  'Deleting a linked record while others write',
  (wire) => {
    test.each(['unset', 'delete', 'refuse'] as const)(
      'contract 13.3 64 parallel writers and onDelete %s leave no link that leads nowhere',
      async (onDelete) => {
        const { owner, boards, cards } = await aBoard(wire, { onDelete })
        const many = await boards.fill(Array.from({ length: 8 }, (_, n) => ({ n })))
        const free = await cards.fill(Array.from({ length: 8 }, () => ({})))

        // Deletes a board while most of its batches are on their way.
        const writes = many.flatMap(({ id: board }, at) => {
          const batches = Array.from({ length: 6 }, () =>
            owner.post('/collections/cards/batch', { documents: Array(100).fill({ board }) }),
          )
          const begun = Promise.race(batches)
          return [
            ...batches,
            begun.then(() => owner.delete(`/collections/boards/${board}`)),
            begun.then(() => owner.patch(`/collections/cards/${free[at]?.id}`, { board })),
          ]
        })
        const answers = await Promise.all(writes)

        for (const { status, text } of answers) expect([200, 201, 404, 409, 422], text).toContain(status)
        const left = new Set((await boards.list('limit=100')).rows.map(({ id }) => id))
        for (const { id } of many.filter(({ id }) => !left.has(id))) {
          expect((await cards.list(`board=${id}&limit=0`)).total).toBe(0)
        }
        const refused = answers.filter((answer) => answer.headers['svc-error-code'] === 'DOCUMENT_IN_USE')
        // The fixture's own board stays too.
        expect(left.size).toBe(refused.length + 1)
      },
    )
  },
  ['a'],
)

inDialects(
  'Deleting a linked record with many dependants',
  (wire) => {
    test('contract 13.3 at most 10,000 documents go with a record, else nothing is deleted', async () => {
      const { owner, board, boards, cards } = await aBoard(wire, { onDelete: 'delete' })
      const thousand = Array.from({ length: 1_000 }, () => ({ board: board.id }))
      for (let n = 0; n < 10; n++) await cards.fill(thousand)
      const { id } = await cards.create({ board: board.id })

      const refused = await owner.delete(`/collections/boards/${board.id}`)
      const total = (await cards.list('limit=0')).total
      expectStatus(200, await owner.delete(`/collections/cards/${id}`))
      expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

      expectFailure(refused, 422, 'RESULT_TOO_LARGE')
      expect(total).toBe(10_001)
      expect([(await boards.list()).total, (await cards.list()).total]).toEqual([0, 0])
    })

    test('contract 13.3 a chain of links is followed for 1,000 documents, else nothing is deleted', async () => {
      const { owner, cards } = await aBoard(wire, { onDelete: 'keep' })
      const schema = { parent: { type: 'link', to: cards.id, onDelete: 'delete' } }
      expectStatus(200, await owner.patch('/api/collections/cards', { schema }))
      const ids = [...(await cards.fill(Array(600).fill({}))), ...(await cards.fill(Array(402).fill({})))].map(
        ({ id }) => id,
      )
      const updates = ids.flatMap((id, at) => (at === 0 ? [] : [[id, { data: { parent: ids[at - 1] } }] as const]))
      for (const some of [updates.slice(0, 600), updates.slice(600)]) {
        const body = { updates: Object.fromEntries(some) }
        expectStatus(200, await owner.post('/collections/cards/batch/documents/update', body))
      }

      const refused = await owner.delete(`/collections/cards/${ids[0]}`)
      const total = (await cards.list('limit=0')).total
      expectStatus(200, await owner.delete(`/collections/cards/${ids[3]}`))

      expectFailure(refused, 422, 'RESULT_TOO_LARGE')
      expect([total, (await cards.list('limit=0')).total]).toEqual([1_002, 3])
    })

    test('contract 13.3 at most 32 MB of data go with a record, however well they compress', async () => {
      const { owner, board, cards } = await aBoard(wire, { onDelete: 'unset' })
      const big = { board: board.id, text: 'x'.repeat(1_000_000) }
      const ids: string[] = []
      for (let n = 0; n < 4; n++) ids.push(...(await cards.fill(Array(9).fill(big))).map(({ id }) => id))

      const refused = await owner.delete(`/collections/boards/${board.id}`)
      for (const id of ids.slice(0, 4)) expectStatus(200, await owner.patch(`/collections/cards/${id}`, { text: '' }))
      expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))

      expectFailure(refused, 422, 'RESULT_TOO_LARGE')
      expect((await cards.list('limit=0&board__isnull=true')).total).toBe(36)
    })
  },
  ['a'],
)

interface Link {
  readonly onDelete?: Action | undefined
}

/** A board, and cards that link to boards. */
async function aBoard(wire: Wire, { onDelete }: Link) {
  const world = await aWorld(wire)
  const boards = await world.collection('boards')
  const cards = await world.collection('cards', { schema: linkTo(boards, onDelete) })
  return { ...world, boards, cards, board: await boards.create({ name: 'Board' }) }
}

function linkTo({ id }: Pick<Shelf, 'id'>, onDelete: Action | undefined): Fields {
  return { board: { type: 'link', to: id, ...(onDelete === undefined ? {} : { onDelete }) } }
}

async function aStreet(wire: Wire) {
  const town = await aTown(wire)
  const boards = await town.collection('boards')
  const { api: ada } = await town.anAccount()
  return { ...town, boards, ada }
}

function documentIn(event: Fields): unknown {
  return event.document ?? event.data
}
