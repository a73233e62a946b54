/** Undo of destructive commands. Contract 11 and 12.6. */
import { expect, test } from 'vitest'
import { createClient, type SvcError } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'
import { aProject, service } from '../../fixtures/service.js'

const password = 'Correct4Horse'

/** A project with three posts, a note that has a file, and a user. */
async function aFullProject() {
  const { id: project, ...keys } = await aProject()
  const owner = createClient({ url: service.url, apiKey: keys.secretKey })
  await owner.collections.create({ name: 'posts' })
  await owner.collections.create({ name: 'notes' })
  const posts = owner.collection('posts')
  const [one, two, three] = (await posts.createMany([{ n: 1 }, { n: 2 }, { n: 3 }])).map(({ id }) => id)
  const note = await owner.collection('notes').create({ n: 4, cover: new File(['cover'], 'cover.txt') })
  await createClient({ url: service.url, apiKey: keys.apiKey }).auth.signUp({ email: 'ada@example.com', password })
  return { project, ...keys, owner, posts, note, ids: [one ?? '', two ?? '', three ?? ''] as const }
}

type FullProject = Awaited<ReturnType<typeof aFullProject>>

/** Does something as a command does that saves a snapshot first. */
async function command({ project }: FullProject, name: string, work: () => Promise<unknown>) {
  const { name: snapshot } = await control.snapshots.save({ project, automatic: true, command: name })
  await work()
  await control.snapshots.finish({ project, snapshot })
}

async function stateOf({ owner }: FullProject) {
  const collections = await owner.collections.list()
  return {
    collections: await Promise.all(collections.map(({ name }) => owner.collections.get(name))),
    documents: await Promise.all(
      collections.map(({ name }) =>
        owner
          .collection(name)
          .list()
          .then(({ items }) => items),
      ),
    ),
    users: await owner.users.list(),
    files: await owner.files.list(),
    usage: await owner.files.info(),
  }
}

const nothing = { restored: 0, removed: 0, kept: [], keptCount: 0 }
const codeOf = ({ code }: SvcError) => code

async function textAt(url: unknown) {
  const answer = await fetch(String(url))
  return answer.ok ? answer.text() : answer.status
}

test('contract 11 undo brings back a collection that was deleted, with its documents and their files', async () => {
  const world = await aFullProject()
  const { project, owner, note } = world
  const before = await stateOf(world)
  await command(world, 'collections delete', () => owner.collections.delete('notes'))

  const undone = await control.snapshots.undo({ project })

  expect(undone).toMatchObject({
    command: 'collections delete',
    collections: { ...nothing, restored: 1 },
    documents: { ...nothing, restored: 1 },
    files: { ...nothing, restored: 1 },
  })
  expect(await stateOf(world)).toEqual(before)
  expect(await (await fetch(String(note.data.cover))).text()).toBe('cover')
  expect((await control.snapshots.list({ project })).snapshots).toEqual([])
})

test('contract 11 undo of deleted and changed documents leaves what was written since, and lists it', async () => {
  const world = await aFullProject()
  const { project, posts, ids } = world
  await command(world, 'docs delete', async () => {
    await posts.delete(ids[0])
    await posts.update(ids[1], { n: 20 })
    await posts.update(ids[2], { n: 30 })
  })
  const late = await posts.create({ n: 5 })
  await posts.update(ids[2], { n: 31 })

  const undone = await control.snapshots.undo({ project })

  expect(undone.documents).toEqual({ restored: 2, removed: 0, kept: [{ id: ids[2], name: 'posts' }], keptCount: 1 })
  const { items } = await posts.list({ sort: 'n' })
  expect(items.map(({ id, data }) => [id, data.n])).toEqual([
    [ids[0], 1],
    [ids[1], 2],
    [late.id, 5],
    [ids[2], 31],
  ])
  expect(await posts.count()).toBe(4)
})

test('contract 11 undo of a bad seed removes what it has created, but for what others have changed or added', async () => {
  const world = await aFullProject()
  const { project, owner } = world
  let seeded: readonly { id: string }[] = []
  await command(world, 'seed', async () => {
    await owner.collections.create({ name: 'authors' })
    await owner.collections.create({ name: 'cities' })
    seeded = await owner.collection('authors').createMany([{ n: 1 }, { n: 2 }])
    await owner.collection('cities').create({ n: 1, map: new File(['map'], 'map.txt') })
  })
  await owner.collection('authors').update(seeded[0]?.id ?? '', { n: 10 })
  const own = await owner.collection('authors').create({ n: 11 })

  const undone = await control.snapshots.undo({ project })

  const names = (await owner.collections.list()).map(({ name }) => name)
  expect(names).toEqual(['posts', 'notes', 'authors'])
  expect(undone.collections).toMatchObject({ removed: 1, kept: [{ name: 'authors' }] })
  expect(undone.documents).toMatchObject({ removed: 2, kept: [{ id: seeded[0]?.id }] })
  expect(undone.files).toMatchObject({ removed: 1 })
  const { items } = await owner.collection('authors').list()
  expect(items.map(({ id }) => id).sort()).toEqual([seeded[0]?.id, own.id].sort())
})

test('contract 11 a document that is kept keeps the file that the command gave it, and its former one does not return', async () => {
  const world = await aFullProject()
  const { project, owner, note } = world
  const notes = owner.collection('notes')
  let created = note
  let changed = note
  await command(world, 'docs import', async () => {
    created = await notes.create({ n: 5, cover: new File(['new'], 'new.txt') })
    changed = await notes.update(note.id, { cover: new File(['other'], 'other.txt') })
  })
  await notes.update(created.id, { n: 50 })
  await notes.update(note.id, { n: 40 })

  const undone = await control.snapshots.undo({ project })

  expect(undone.documents.kept.map(({ id }) => id).sort()).toEqual([created.id, note.id].sort())
  expect(await textAt(created.data.cover)).toBe('new')
  expect(await textAt(changed.data.cover)).toBe('other')
  expect(await textAt(note.data.cover)).toBe(404)
  expect(await owner.files.info()).toMatchObject({ files: 2, bytes: 'newother'.length })
})

test('contract 11 a user who is kept logs in as before, and keeps her file', async () => {
  const world = await aFullProject()
  const { project, apiKey } = world
  const bob = createClient({ url: service.url, apiKey })
  const login = { email: 'bob@example.com', password: 'Other4Horses' }
  let avatar: unknown
  await command(world, 'seed', async () => {
    await bob.auth.signUp(login)
    avatar = (await bob.auth.update({ data: { avatar: new File(['face'], 'face.png') } })).data.avatar
  })
  await bob.auth.update({ data: { city: 'Paris' } })

  const undone = await control.snapshots.undo({ project })

  expect(undone.users).toMatchObject({ removed: 0, kept: [{ name: login.email }] })
  expect((await bob.auth.me()).data.city).toBe('Paris')
  await createClient({ url: service.url, apiKey }).auth.logIn(login)
  expect(await textAt(avatar)).toBe('face')
})

test('contract 11 undo of a reset brings everything back, but for what has taken its place', async () => {
  const world = await aFullProject()
  const { project, owner, apiKey } = world
  await command(world, 'reset', () => control.projects.reset({ project }))
  const bob = createClient({ url: service.url, apiKey })
  await owner.collections.create({ name: 'notes' })
  await bob.auth.signUp({ email: 'ada@example.com', password: 'Other4Horses' })

  const undone = await control.snapshots.undo({ project })

  expect(undone.collections).toMatchObject({ restored: 1, kept: [{ name: 'notes' }] })
  expect(undone.documents).toMatchObject({ restored: 3, keptCount: 1 })
  expect(undone.users).toMatchObject({ restored: 0, kept: [{ name: 'ada@example.com' }] })
  expect(await owner.collection('posts').count()).toBe(3)
  expect(await owner.collection('notes').count()).toBe(0)
  expect((await bob.auth.me()).email).toBe('ada@example.com')
})

test('contract 11 undo of a command that never said it ended brings back what is gone, and touches nothing else', async () => {
  const world = await aFullProject()
  const { project, posts, ids } = world
  await control.snapshots.save({ project, automatic: true, command: 'docs delete' })
  await posts.delete(ids[0])
  await posts.update(ids[1], { n: 20 })

  const undone = await control.snapshots.undo({ project })

  expect(undone.documents).toEqual({ restored: 1, removed: 0, kept: [{ id: ids[1], name: 'posts' }], keptCount: 1 })
  const { items } = await posts.list({ sort: 'n' })
  expect(items.map(({ data }) => data.n)).toEqual([1, 3, 20])
})

test('contract 11 one command after the other is undone, the last one first', async () => {
  const world = await aFullProject()
  const { project, posts, ids } = world
  const before = await stateOf(world)
  await command(world, 'first', () => posts.delete(ids[0]))
  await command(world, 'second', () => posts.delete(ids[1]))

  expect((await control.snapshots.undo({ project })).command).toBe('second')
  expect((await control.snapshots.undo({ project })).command).toBe('first')
  expect(await control.snapshots.undo({ project }).catch(codeOf)).toBe('NOT_FOUND')

  expect(await stateOf(world)).toEqual(before)
})

test('contract 11 a command that has changed nothing is no command to undo: the one before it is', async () => {
  const world = await aFullProject()
  const { project, apiKey, posts, ids } = world
  await command(world, 'docs delete', () => posts.delete(ids[0]))
  const { name: snapshot } = await control.snapshots.save({ project, automatic: true, command: 'docs batch' })
  await createClient({ url: service.url, apiKey }).auth.logIn({ email: 'ada@example.com', password })

  const { isKept } = await control.snapshots.finish({ project, snapshot })
  const undone = await control.snapshots.undo({ project })

  expect(isKept).toBe(false)
  expect(undone).toMatchObject({ command: 'docs delete', documents: { restored: 1 } })
})

test('contract 11 subscribers get RESYNC when something is brought back', async () => {
  const world = await aFullProject()
  const { project, secretKey, posts, ids } = world
  const socket = await openAuthenticated(service.url, secretKey, 'a')
  await socket.ask({ type: 'subscribe', collection: 'posts' })
  await command(world, 'docs delete', () => posts.delete(ids[0]))

  await control.snapshots.undo({ project })

  expect((await socket.atLeast(4)).slice(2).map(({ code, event }) => code ?? event)).toEqual(['deleted', 'RESYNC'])
  socket.close()
})

test('contract 11 undo leaves the accounts of the built-in provider alone, which other projects use too', async () => {
  const world = await aFullProject()
  const { project, owner, posts } = world
  const id = `undo-${project.slice(0, 8)}`
  await command(world, 'docs delete', async () => {
    await posts.delete(world.ids[0])
    await control.idp.accounts.add({ id })
  })

  await control.snapshots.undo({ project })

  const { accounts } = await control.idp.accounts.list()
  expect(accounts.map((account) => account.id)).toContain(id)
  expect(await owner.collection('posts').count()).toBe(3)
  await control.idp.accounts.remove({ account: id })
})
