/** A project's state, saved under a name and brought back. Contract 11. */
import { expect, test } from 'vitest'
import { createClient, type SvcError } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'
import { aProject, type Settings, service } from '../../fixtures/service.js'

const email = 'ada@example.com'
const password = 'Correct4Horse'

/** A project with some of each kind of data. */
async function aFullProject(settings: Settings = {}) {
  const project = await aProject(settings)
  const owner = createClient({ url: service.url, apiKey: project.secretKey })
  const app = createClient({ url: service.url, apiKey: project.apiKey })
  await owner.collections.create({
    name: 'posts',
    schema: { n: { type: 'integer' } },
    permissions: { create: ['admin'] },
  })
  await owner.collections.create({ name: 'notes' })
  const posts = await owner.collection('posts').createMany([{ n: 1 }, { n: 2 }, { n: 3 }])
  const note = await owner.collection('notes').create({ n: 4, cover: new File(['cover'], 'cover.txt') })
  await app.auth.signUp({ email, password })
  const letter = await owner.files.upload(new File(['Hello'], 'letter.txt'))
  return { project: project.id, ...project, owner, app, posts, note, letter }
}

type FullProject = Awaited<ReturnType<typeof aFullProject>>

/** Everything of a project that a client can see. */
async function stateOf({ owner }: FullProject) {
  const collections = await owner.collections.list()
  return {
    collections,
    documents: await Promise.all(
      collections.map(({ name }) =>
        owner
          .collection(name)
          .list()
          .then(({ items }) => items),
      ),
    ),
    counts: await Promise.all(collections.map(({ name }) => owner.collections.get(name))),
    users: await owner.users.list(),
    files: await owner.files.list(),
    usage: await owner.files.info(),
  }
}

const codeOf = ({ code }: SvcError) => code
const bytesAt = async (url: unknown) => {
  const answer = await fetch(String(url))
  return answer.ok ? answer.text() : answer.status
}

test('contract 11 a snapshot brings back documents, collections, users, sessions, files and settings', async () => {
  const world = await aFullProject({ tier: 'standard' })
  const { project, owner, app, posts, note, letter } = world
  const before = await stateOf(world)

  const saved = await control.snapshots.save({ project, name: 'full', branch: 'main', commit: 'a1b2c3' })
  await owner.collection('posts').update(posts[0]?.id ?? '', { n: 10 })
  await owner.collection('posts').delete(posts[1]?.id ?? '')
  await owner.collection('posts').create({ n: 11 })
  await owner.collections.delete('notes')
  await owner.collections.create({ name: 'notes' })
  await owner.collections.create({ name: 'drafts' })
  await owner.files.delete(letter.id)
  const late = await owner.files.upload(new File(['late'], 'late.txt'))
  await app.auth.changePassword({ oldPassword: password, newPassword: 'Other4Horses' })
  await createClient({ url: service.url, apiKey: world.apiKey }).auth.signUp({ email: 'bob@example.com', password })
  await control.projects.update({ project, settings: { tier: 'free' } })
  const loaded = await control.snapshots.load({ project, snapshot: 'full' })

  expect(saved).toMatchObject({ collections: 2, documents: 4, users: 1, files: 2, branch: 'main', commit: 'a1b2c3' })
  expect(loaded).toEqual({ ...saved, lacking: [] })
  expect(await stateOf(world)).toEqual(before)
  expect((await control.projects.get({ project })).settings.tier).toBe('standard')
  await createClient({ url: service.url, apiKey: world.apiKey }).auth.logIn({ email, password })
  expect(await bytesAt(note.data.cover)).toBe('cover')
  expect(await bytesAt(letter.url)).toBe('Hello')
  expect(await bytesAt(late.url)).toBe(404)
})

test('contract 11 a session of the moment of a snapshot is good again once it is loaded, a later one is not', async () => {
  const { project, apiKey, app } = await aFullProject()
  const { id: user } = await app.auth.me()
  const { token } = await control.users.token({ user })
  await control.snapshots.save({ project, name: 'signed-in' })
  await control.users.logOut({ user })
  const later = createClient({ url: service.url, apiKey })
  await later.auth.logIn({ email, password })
  expect(await app.auth.me().catch(codeOf)).toBe('INVALID_TOKEN')

  await control.snapshots.load({ project, snapshot: 'signed-in' })

  const former = createClient({ url: service.url, apiKey })
  expect((await former.auth.use(token)).user.id).toBe(user)
  expect(await later.auth.me().catch(codeOf)).toBe('INVALID_TOKEN')
})

test('contract 3.9 a load forgets the answers to idempotency keys, as what they tell of is gone', async () => {
  const { project, apiKey, owner } = await aFullProject()
  const create = () =>
    fetch(`${service.url}/collections/notes/documents`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"n":5}',
    })
  await control.snapshots.save({ project, name: 'before' })
  const first = (await (await create()).json()) as { id: string }
  const repeated = (await (await create()).json()) as { id: string }

  await control.snapshots.load({ project, snapshot: 'before' })
  const next = (await (await create()).json()) as { id: string }

  expect(repeated.id).toBe(first.id)
  expect(next.id).not.toBe(first.id)
  expect(await owner.collection('notes').get(next.id)).toMatchObject({ data: { n: 5 } })
  expect(await owner.collection('notes').count()).toBe(2)
})

test('contract 11 a load touches no other project', async () => {
  const [one, other] = [await aFullProject(), await aFullProject()]
  const before = await stateOf(other)
  await control.snapshots.save({ project: one.project, name: 'one' })
  await one.owner.collections.delete('posts')

  await control.snapshots.load({ project: one.project, snapshot: 'one' })

  expect(await stateOf(other)).toEqual(before)
  expect(await control.snapshots.load({ project: other.project, snapshot: 'one' }).catch(codeOf)).toBe('NOT_FOUND')
})

test('contract 11 a snapshot can be loaded again, and over another one', async () => {
  const world = await aFullProject()
  const { project, owner } = world
  const first = await stateOf(world)
  await control.snapshots.save({ project, name: 'first' })
  await owner.collections.update('posts', { name: 'notes2' })
  await owner.collections.update('notes', { name: 'posts' })
  const second = await stateOf(world)
  await control.snapshots.save({ project, name: 'second' })

  for (const [snapshot, state] of [
    ['first', first],
    ['second', second],
    ['first', first],
    ['first', first],
  ] as const) {
    await control.snapshots.load({ project, snapshot })
    expect(await stateOf(world)).toEqual(state)
  }
})

test('contract 11 subscribers to what is loaded get RESYNC, and go on from now', async () => {
  const { project, secretKey, owner } = await aFullProject()
  await control.snapshots.save({ project, name: 'before' })
  await owner.collections.create({ name: 'drafts' })
  const socket = await openAuthenticated(service.url, secretKey, 'a')
  await socket.ask({ type: 'subscribe', collection: 'notes' })
  await socket.ask({ type: 'subscribe', collection: 'drafts' })

  await control.snapshots.load({ project, snapshot: 'before' })
  await owner.collection('notes').create({ n: 5 })

  const heard = (await socket.atLeast(7)).slice(3)
  expect(heard.filter(({ collection }) => collection === 'drafts').map(({ code }) => code)).toEqual([
    'RESYNC',
    'INVALID_COLLECTION',
  ])
  expect(heard.filter(({ collection }) => collection === 'notes')).toEqual([
    expect.objectContaining({ type: 'error', code: 'RESYNC' }),
    expect.objectContaining({ type: 'event', document: expect.objectContaining({ data: { n: 5 } }) }),
  ])
  socket.close()
})

test('contract 11 a name is taken once, unless it is to be replaced', async () => {
  const { project, owner } = await aFullProject()
  await control.snapshots.save({ project, name: 'demo' })
  await owner.collection('notes').create({ n: 5 })

  const taken = await control.snapshots.save({ project, name: 'demo' }).catch((error) => error)
  const replaced = await control.snapshots.save({ project, name: 'demo', replace: true })
  const unnamed = await control.snapshots.save({ project })
  const { snapshots } = await control.snapshots.list({ project })

  expect(taken).toMatchObject({ code: 'SNAPSHOT_EXISTS', message: 'Snapshot "demo" already exists.' })
  expect(replaced.documents).toBe(5)
  expect(snapshots).toEqual([unnamed, replaced])
})

test.each(['../demo', 'a/b', 'a\\b', '.hidden', '..', 'a..b', '', 'x'.repeat(64), 'auto-1', 'C:demo'])(
  'contract 11 %j is no name of a snapshot',
  async (name) => {
    const { id: project } = await aProject()

    expect(await control.snapshots.save({ project, name }).catch(codeOf)).toBe('VALIDATION_ERROR')
    expect((await control.snapshots.list({ project })).snapshots).toEqual([])
  },
)

test('contract 11 a snapshot that is removed takes nothing with it that others hold', async () => {
  const world = await aFullProject()
  const { project, owner, letter, note } = world
  await control.snapshots.save({ project, name: 'one' })
  await control.snapshots.save({ project, name: 'two' })
  await owner.files.delete(letter.id)

  await control.snapshots.remove({ project, snapshot: 'one' })
  await control.snapshots.load({ project, snapshot: 'two' })
  await control.snapshots.remove({ project, snapshot: 'two' })

  expect(await bytesAt(letter.url)).toBe('Hello')
  expect(await bytesAt(note.data.cover)).toBe('cover')
  expect((await control.snapshots.list({ project })).snapshots).toEqual([])
  expect(await control.snapshots.remove({ project, snapshot: 'two' }).catch(codeOf)).toBe('NOT_FOUND')
})

test('contract 11 a diff says what is different, by collection and document, of two snapshots or of one and now', async () => {
  const world = await aFullProject()
  const { project, owner, posts, note, letter } = world
  const [one = '', two = ''] = posts.map(({ id }) => id)
  await control.snapshots.save({ project, name: 'first' })
  const none = await control.snapshots.diff({ project, snapshot: 'first' })

  await owner.collection('posts').update(one, { n: 10, title: 'new' })
  await owner.collection('posts').update(one, { n: 1 })
  await owner.collection('posts').delete(two)
  await owner.collections.delete('notes')
  await owner.collections.create({ name: 'drafts' })
  const draft = await owner.collection('drafts').create({ n: 1 })
  await owner.files.delete(letter.id)
  await control.projects.update({ project, settings: { tier: 'standard', require2fa: true } })
  const now = await control.snapshots.diff({ project, snapshot: 'first' })
  await control.snapshots.save({ project, name: 'second' })
  const back = await control.snapshots.diff({ project, snapshot: 'second', to: 'first' })

  // Accounts of the built-in provider belong to all projects, those of the tests beside this one as well.
  const nothing = { added: 0, removed: 0, changed: 0, records: [] }
  const { accounts: _, isSame: __, ...own } = none
  expect(own).toEqual({
    ...{ from: 'first', to: null, documents: [], settings: [] },
    ...{ collections: nothing, users: nothing, files: nothing },
  })
  const record = (kind: string, id: string, fields: string[] = []) => ({ id, name: null, kind, fields })
  expect(now).toMatchObject({
    isSame: false,
    documents: [
      { collection: 'drafts', added: 1, removed: 0, changed: 0, records: [record('added', draft.id)] },
      { collection: 'notes', added: 0, removed: 1, changed: 0, records: [record('removed', note.id)] },
      {
        ...{ collection: 'posts', added: 0, removed: 1, changed: 1 },
        records: [record('changed', one, ['title']), record('removed', two)],
      },
    ],
    collections: { added: 1, removed: 1, changed: 0 },
    users: { added: 0, removed: 0, changed: 0, records: [] },
    files: { added: 0, removed: 2, changed: 0 },
    settings: ['require2fa', 'tier'],
  })
  expect(
    back.documents.map(({ collection, added, removed, changed }) => [collection, added, removed, changed]),
  ).toEqual([
    ['drafts', 0, 1, 0],
    ['notes', 1, 0, 0],
    ['posts', 1, 0, 1],
  ])
  expect(await control.snapshots.diff({ project, snapshot: 'first', to: 'missing' }).catch(codeOf)).toBe('NOT_FOUND')
})

test('contract 11 a diff names a user whose password is another', async () => {
  const { project, app } = await aFullProject()
  await control.snapshots.save({ project, name: 'first' })

  await app.auth.changePassword({ oldPassword: password, newPassword: 'Other4Horses' })
  const { isSame, users } = await control.snapshots.diff({ project, snapshot: 'first' })

  expect(isSame).toBe(false)
  expect(users).toMatchObject({ changed: 1, records: [{ name: email, kind: 'changed', fields: ['password'] }] })
})

test('contract 11 saves and loads that come at once wait for each other', async () => {
  const world = await aFullProject()
  const { project } = world
  const before = await stateOf(world)

  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map((name) => control.snapshots.save({ project, name })))
  await Promise.all(names.map((snapshot) => control.snapshots.load({ project, snapshot })))

  expect(await stateOf(world)).toEqual(before)
})
