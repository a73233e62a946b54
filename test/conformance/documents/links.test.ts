import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { filesOf, sendForm } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { aWorld, expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Links', (wire, { once, inTurn }) => {
  once('contract 13.2 a link to a document or a user is stored, and one that leads nowhere is 422', async () => {
    const { api, cards, board, user } = await someCards(wire)

    const { id } = await cards.create({ board: board.id, assignee: user.id })
    const create = await api.post('/collections/cards', { board: unknownId })
    const update = await api.patch(`/collections/cards/${id}`, { assignee: unknownId })
    const replace = await api.put(`/collections/cards/${id}`, { board: unknownId })

    for (const answer of [create, update, replace]) expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(create.text).toContain('\\"board\\" links to')
    expect((await cards.list()).rows.map(({ fields }) => fields)).toEqual([{ board: board.id, assignee: user.id }])
  })

  test.each(
    inTurn([
      ['an id that is unknown', () => unknownId],
      ['text that is not an id', () => 'x'],
      ['an id in upper case', ({ board }: Targets) => board.id.toUpperCase()],
      ['a document of another collection', ({ other }: Targets) => other.id],
      ['a user instead of a document', ({ user }: Targets) => user.id],
      ['a document of another project', ({ foreign }: Targets) => foreign.id],
    ]),
  )('contract 13.2 %s is no record to link to', async (_, choose) => {
    const { api, ...targets } = await someCards(wire)
    const other = await (await targets.collection('others')).create({})
    const foreign = await (await (await aWorld(wire)).collection('boards')).create({})

    const answer = await api.post('/collections/cards', { board: choose({ ...targets, other, foreign }) })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
  })

  once(
    'contract 13.2 a record that the caller may not read is refused in the words of one that is not there',
    async () => {
      const { owner, collection, ada, bob, api } = await aStreet(wire)
      const posts = await collection('posts', { permissions: { read: ['owner', 'editor'] } })
      await collection('notes', { schema: { post: { type: 'link', to: posts.id } } })
      const { id } = wire.row(wire.record(expectStatus(201, await ada.post('/collections/posts', {}))))
      const words = ({ text }: Answer, id: string) => text.replaceAll(id, 'ID')

      const hidden = await bob.post('/collections/notes', { post: id })
      const missing = await bob.post('/collections/notes', { post: unknownId })

      expectFailure(hidden, 422, 'VALIDATION_ERROR')
      expect(words(hidden, id)).toBe(words(missing, unknownId))
      expectFailure(await api.post('/collections/notes', { post: id }), 422, 'VALIDATION_ERROR')
      expectStatus(201, await ada.post('/collections/notes', { post: id }))
      expectStatus(201, await owner.post('/collections/notes', { post: id }))
    },
  )

  once(
    'contract 13.2 links in arrays, objects and lists of objects are checked, and the issue names their place',
    async () => {
      const { collection, api, board } = await someCards(wire)
      const link = { type: 'link', to: board.collection }
      const rows = { type: 'array', items: { type: 'object', fields: { board: link } } }
      await collection('nested', {
        schema: {
          many: { ...link, many: true },
          list: { type: 'array', items: link },
          inner: { type: 'object', fields: { deep: { type: 'object', fields: { board: link } } } },
          rows,
        },
      })
      const post = (fields: Fields) => api.post('/collections/nested', fields)

      const whole = {
        many: [board.id, board.id],
        list: [board.id],
        inner: { deep: { board: board.id } },
        rows: [{ board: board.id }, {}],
      }
      expectStatus(201, await post(whole))
      expectStatus(201, await post({ many: [], list: [], inner: {}, rows: [] }))
      expectPlace(await post({ many: [board.id, unknownId] }), ['many', 1])
      expectPlace(await post({ list: [unknownId] }), ['list', 0])
      expectPlace(await post({ inner: { deep: { board: unknownId } } }), ['inner', 'deep', 'board'])
      expectPlace(await post({ rows: [{ board: board.id }, { board: unknownId }] }), ['rows', 1, 'board'])
    },
  )

  once('contract 13.2 a batch with one link that leads nowhere writes nothing, and names the item', async () => {
    const { api, cards, board } = await someCards(wire)
    const { id } = await cards.create({ board: board.id })
    const { id: second } = await cards.create({ board: board.id })

    const created = await api.post('/collections/cards/batch', {
      documents: [{ board: board.id }, { board: unknownId }],
    })
    const updates = { [id]: { data: { n: 1 } }, [second]: { data: { board: unknownId } } }
    const updated = await api.post('/collections/cards/batch/documents/update', { updates })

    expectPlace(created, [1, 'board'])
    expectFailure(updated, 422, 'VALIDATION_ERROR')
    expect((await cards.list()).rows.map(({ fields }) => fields)).toEqual([{ board: board.id }, { board: board.id }])
  })

  once('contract 13.2 an update of other fields, or of other items, is not stuck because a link dangles', async () => {
    const { api, cards, board, owner } = await someCards(wire)
    const { id } = await cards.create({ board: board.id, labels: [board.id] })
    expectStatus(200, await owner.delete(`/collections/boards/${board.id}`))
    const again = wire.row(wire.record(expectStatus(201, await owner.post('/collections/boards', {}))))

    expectStatus(200, await api.patch(`/collections/cards/${id}`, { title: 'New' }))
    expectStatus(200, await api.patch(`/collections/cards/${id}`, { $append: { labels: again.id } }))
    expectFailure(
      await api.patch(`/collections/cards/${id}`, { $append: { labels: unknownId } }),
      422,
      'VALIDATION_ERROR',
    )

    expect((await cards.get(id)).fields).toEqual({ board: board.id, labels: [board.id, again.id], title: 'New' })
  })

  once('contract 13.2 a form with files and a link that leads nowhere stores neither', async () => {
    const { owner, board } = await someCards(wire)
    const send = (board: string) => {
      const parts = [textOf('data', { board }), fileOf('cover', 'a.png')]
      return sendForm(owner, 'POST', '/collections/cards', parts)
    }

    expectFailure(await send(unknownId), 422, 'VALIDATION_ERROR')
    expect(await filesOf(wire, { owner })).toEqual([])
    expectStatus(201, await send(board.id))
  })

  once('contract 13.2 a default that leads nowhere refuses the create', async () => {
    const { collection, api, board } = await someCards(wire)
    await collection('tasks', { schema: { board: { type: 'link', to: board.collection, default: unknownId } } })

    expectFailure(await api.post('/collections/tasks', {}), 422, 'VALIDATION_ERROR')
    expectStatus(201, await api.post('/collections/tasks', { board: board.id }))
  })

  test('contract 13.2 nothing links to a collection that was deleted', async () => {
    const { owner, api, board } = await someCards(wire)
    expectStatus(wire.statuses.removedCollection, await owner.delete('/collections/boards'))

    expectFailure(await api.post('/collections/cards', { board: board.id }), 422, 'VALIDATION_ERROR')
    expectStatus(201, await api.post('/collections/cards', { title: 'Free' }))
  })

  once('contract 13.2 of creates that are written together, only those with a wrong link fail', async () => {
    const { api, cards, board } = await someCards(wire)

    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        api.post('/collections/cards', { board: n % 8 === 0 ? unknownId : board.id, n }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 8 === 0 ? 422 : 201)))
    expect((await cards.list()).total).toBe(56)
  })

  once('contract 13.2 creates that are written together are each checked for their own caller', async () => {
    const { collection, ada, bob } = await aStreet(wire)
    const posts = await collection('posts', { permissions: { read: ['owner'] } })
    await collection('notes', { schema: { post: { type: 'link', to: posts.id } } })
    const { id } = wire.row(wire.record(expectStatus(201, await ada.post('/collections/posts', {}))))

    // Each of the two comes first once, and last once.
    for (const first of [0, 1]) {
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, n) => (n % 2 === first ? ada : bob).post('/collections/notes', { post: id })),
      )

      expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 === first ? 201 : 422)))
    }
  })

  test('contract 13.1 populate resolves a link only in its collection, or in the users', async () => {
    const { owner, boards, board, user, collection } = await someCards(wire)
    const notes = await collection('notes')
    const other = await notes.create({})
    const link = { type: 'link', to: boards.id }
    const ids = [board.id, other.id, user.id]
    const fields = { many: ids, free: ids, user: board.id, rows: [{ board: other.id }, { board: board.id }] }
    const { id } = await notes.create(fields)
    const rows = { type: 'array', items: { type: 'object', fields: { board: link } } }
    const schema = { many: { ...link, many: true }, user: { type: 'link', to: 'users' }, rows }
    expectStatus(200, await owner.patch('/collections/notes', { schema }))

    const populated = await notes.get(id, 'populate=many,free,user,rows.board')
    const upper = await notes.create({ notes: [id], user: user.id })
    const deep = await notes.get(upper.id, 'populate=notes.user,user')

    const kinds = (values: unknown) => (values as unknown[]).map((value) => typeof value)
    expect(kinds(populated.fields.many)).toEqual(['object', 'string', 'string'])
    expect(kinds(populated.fields.free)).toEqual(['object', 'object', 'object'])
    expect(populated.fields.user).toBe(board.id)
    expect(kinds((populated.fields.rows as Fields[]).map(({ board }) => board))).toEqual(['string', 'object'])
    expect(deep.fields.user).toMatchObject({ id: user.id })
    expect(wire.link((deep.fields.notes as unknown[])[0]).fields.user).toBe(board.id)
  })

  once('contract 13.2 a record that many items link to is checked once, and each wrong item is named', async () => {
    const { api, board, cards } = await someCards(wire)
    const often = (id: string, length: number) => ({ labels: Array(length).fill(id) })
    const send = (...documents: Fields[]) => api.post('/collections/cards/batch', { documents })

    expectStatus(201, await send(often(board.id, 20_000), often(board.id, 20_000)))
    const few = await send(often(unknownId, 1), often(board.id, 1), often(unknownId, 1))
    const many = await send(often(unknownId, 20_000), often(unknownId, 20_000))

    for (const answer of [few, many]) expectFailure(answer, 422, 'VALIDATION_ERROR')
    const places = (text: string) => text.match(/"loc":\["body",[^\]]*\]/g)
    expect(places(few.text)).toEqual([0, 2].map((at) => expect.stringContaining(`${at},"labels",0]`)))
    expect(places(many.text)).toHaveLength(1_000)
    expect((await cards.list('limit=0')).total).toBe(2)
  })

  once('contract 13.2 a write can link to at most 10,000 different records', async () => {
    const { api } = await someCards(wire)
    const labels = Array.from({ length: 10_001 }, (_, n) => unknownId.slice(0, -5) + String(n).padStart(5, '0'))

    const answer = await api.post('/collections/cards', { labels })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(answer.text).toContain('10,000')
  })
})

interface Targets {
  readonly board: { readonly id: string }
  readonly user: { readonly id: string }
  readonly other: { readonly id: string }
  readonly foreign: { readonly id: string }
}

/** Cards that link to boards and users. */
async function someCards(wire: Wire) {
  const world = await aWorld(wire)
  const boards = await world.collection('boards')
  const link = { type: 'link', to: boards.id }
  const schema = { board: link, labels: { ...link, many: true }, assignee: { type: 'link', to: 'users' } }
  const cards = await world.collection('cards', { schema })
  const user = await control.users.create({ project: world.project.id, email: 'ada@example.com' })
  const board = { ...(await boards.create({ name: 'Board' })), collection: boards.id }
  return { ...world, boards, cards, board, user }
}

async function aStreet(wire: Wire) {
  const town = await aTown(wire)
  const [ada, bob] = [await town.anAccount(), await town.anAccount()]
  return { ...town, ada: ada.api, bob: bob.api }
}

/** Expects an issue at that place of a document. Dialects show it in the envelope or in the detail. */
function expectPlace(answer: Answer, place: readonly (string | number)[]): void {
  expectFailure(answer, 422, 'VALIDATION_ERROR')
  const { error, detail } = answer.body as { error?: { issues: Issue[] }; detail?: Issue[] }
  const [issue] = detail ?? error?.issues ?? []
  expect(issue?.loc.slice(-place.length)).toEqual(place)
}

interface Issue {
  readonly loc: readonly (string | number)[]
}
