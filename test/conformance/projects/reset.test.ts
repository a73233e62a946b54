/** A project, or a part of it, reset to empty. Contract 9.4 and 11. */
import { expect, test } from 'vitest'
import { createClient, type SvcError } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
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
  await owner.collection('posts').createMany([{ n: 1 }, { n: 2 }])
  await owner.collection('notes').create({ n: 3, cover: new File(['cover'], 'cover.txt') })
  await app.auth.signUp({ email, password })
  await app.auth.requestVerification()
  await control.mail.wait({ project: project.id, timeout: 10 })
  await owner.files.upload(new File(['Hello'], 'note.txt'))
  return { project: project.id, ...project, owner, app }
}

const failure = (code: string) => expect.objectContaining({ code })
const codeOf = ({ code }: SvcError) => code

test('contract 11 a reset leaves nothing of a project but its keys and settings', async () => {
  const { project, owner, app, apiKey, secretKey } = await aFullProject({ tier: 'standard' })

  const report = await control.projects.reset({ project })

  expect(report).toEqual({
    collections: [
      { name: 'posts', documents: 2 },
      { name: 'notes', documents: 1 },
    ],
    users: 1,
    files: 2,
    mails: 1,
  })
  expect(await owner.collections.list()).toEqual([])
  expect((await owner.users.list()).items).toEqual([])
  expect(await owner.files.info()).toMatchObject({ files: 0, bytes: 0 })
  expect((await control.mail.list({ project })).mails).toEqual([])
  await expect(app.auth.me()).rejects.toEqual(failure('INVALID_TOKEN'))
  const { settings, keys } = await control.projects.get({ project })
  expect(settings.tier).toBe('standard')
  expect(keys).toHaveLength(2)
  await createClient({ url: service.url, apiKey: secretKey }).collections.create({ name: 'posts' })
  await createClient({ url: service.url, apiKey }).auth.signUp({ email, password })
})

test('contract 11 a reset touches no other project', async () => {
  const [one, other] = [await aFullProject(), await aFullProject()]

  await control.projects.reset({ project: one.project })

  expect(await other.owner.collection('posts').count()).toBe(2)
  expect((await other.owner.users.list()).items).toHaveLength(1)
  expect(await other.owner.files.info()).toMatchObject({ files: 2 })
  expect((await control.mail.list({ project: other.project })).mails).toHaveLength(1)
  expect((await other.app.auth.me()).email).toBe(email)
})

test('contract 11 collections that are chosen lose their documents, and all else stays', async () => {
  const { project, owner, app } = await aFullProject()
  const before = await owner.collections.get('notes')

  const report = await control.projects.reset({ project, collections: ['notes', 'notes'] })

  expect(report).toEqual({ collections: [{ name: 'notes', documents: 1 }], users: 0, files: 0, mails: 0 })
  expect(await owner.collections.get('notes')).toEqual({ ...before, documentCount: 0 })
  expect((await owner.collection('notes').list()).items).toEqual([])
  expect(await owner.collection('posts').count()).toBe(2)
  expect(await owner.files.info()).toMatchObject({ files: 1 })
  expect((await app.auth.me()).email).toBe(email)
  await owner.collection('notes').create({ n: 4 })
  expect(await owner.collection('notes').count()).toBe(1)
})

test('contract 11 users, files and mail can be chosen each', async () => {
  const { project, owner, app } = await aFullProject()
  const nothing = { collections: [], users: 0, files: 0, mails: 0 }

  const files = await control.projects.reset({ project, files: true })
  const users = await control.projects.reset({ project, users: true })
  const mails = await control.projects.reset({ project, mail: true })

  expect([files, users, mails]).toEqual([
    { ...nothing, files: 1 },
    { ...nothing, users: 1 },
    { ...nothing, mails: 1 },
  ])
  expect(await owner.collection('posts').count()).toBe(2)
  expect(await owner.files.info()).toMatchObject({ files: 1 })
  await expect(app.auth.me()).rejects.toEqual(failure('INVALID_TOKEN'))
  expect((await owner.users.list()).total).toBe(0)
})

test('contract 11 a reset of something that is not there, or of an empty choice, deletes nothing', async () => {
  const { project, owner } = await aFullProject()

  const unknown = await control.projects.reset({ project, collections: ['notes', 'missing'] }).catch(codeOf)
  const empty = await control.projects.reset({ project, collections: [] }).catch(codeOf)
  const nowhere = await control.projects.reset({ project: 'missing' }).catch(codeOf)

  expect([unknown, empty, nowhere]).toEqual(['NOT_FOUND', 'VALIDATION_ERROR', 'NOT_FOUND'])
  expect(await owner.collection('notes').count()).toBe(1)
})

test('contract 3.9 a key of before a reset answers anew', async () => {
  const { project, owner } = await aFullProject()
  const create = () => owner.collection('notes').create({ n: 1 }, { idempotencyKey: 'order-1' })
  const { id } = await create()

  await control.projects.reset({ project, collections: ['notes'] })

  expect((await create()).id).not.toBe(id)
  expect(await owner.collection('notes').count()).toBe(1)
})

test('contract 11 a subscriber to a collection that is emptied gets RESYNC, and goes on from now', async () => {
  const { project, secretKey, owner } = await aFullProject()
  const socket = await openAuthenticated(service.url, secretKey, 'a')
  await socket.ask({ type: 'subscribe', collection: 'notes' })
  await socket.ask({ type: 'subscribe', collection: 'posts' })
  const events = await openEvents(service.url, '/realtime/sse/notes?dialect=a', { 'x-api-key': secretKey })

  await control.projects.reset({ project, collections: ['notes'] })
  await owner.collection('notes').create({ n: 4 })

  const [, , , resync, event] = await socket.atLeast(5)
  expect(resync).toMatchObject({ type: 'error', code: 'RESYNC', collection: 'notes' })
  expect(event).toMatchObject({ type: 'event', event: 'created', document: { data: { n: 4 } } })
  const [first, second] = await events.atLeast(2)
  expect(first).toMatchObject({ code: 'RESYNC' })
  expect(second).toMatchObject({ document: { data: { n: 4 } } })
  socket.close()
  events.close()
})

test('contract 11 a subscriber to a collection that a reset has taken gets RESYNC, then INVALID_COLLECTION', async () => {
  const { project, secretKey, owner } = await aFullProject()
  const socket = await openAuthenticated(service.url, secretKey, 'a')
  await socket.ask({ type: 'subscribe', collection: 'notes' })
  const events = await openEvents(service.url, '/realtime/sse/notes?dialect=a', { 'x-api-key': secretKey })

  await control.projects.reset({ project })

  const [, , resync, invalid] = await socket.atLeast(4)
  expect([resync, invalid]).toEqual([
    expect.objectContaining({ type: 'error', code: 'RESYNC', collection: 'notes' }),
    expect.objectContaining({ type: 'error', code: 'INVALID_COLLECTION', collection: 'notes' }),
  ])
  expect((await events.atLeast(2)).map(({ code }) => code)).toEqual(['RESYNC', 'INVALID_COLLECTION'])
  await owner.collections.create({ name: 'notes' })
  expect(await socket.ask({ type: 'subscribe', collection: 'notes' })).toMatchObject({ type: 'subscribed' })
  socket.close()
  events.close()
})

test('contract 9.4 a number from before a reset is answered with RESYNC, the last one too', async () => {
  const { project, secretKey, owner } = await aFullProject()
  const subscribe = async (since: number, messages: number) => {
    const socket = await openAuthenticated(service.url, secretKey, 'a')
    socket.say({ type: 'subscribe', collection: 'notes', since })
    const heard = await socket.atLeast(messages)
    socket.close()
    return heard.at(-1)
  }
  const newest = Number((await subscribe(0, 3))?.seq)

  await control.projects.reset({ project })
  await owner.collections.create({ name: 'notes' })
  await owner.collection('notes').create({ n: 1 })

  const resync = expect.objectContaining({ type: 'error', code: 'RESYNC' })
  for (const since of [1, newest - 1, newest]) expect(await subscribe(since, 3)).toEqual(resync)
  // A subscriber without earlier data misses nothing that was created since.
  expect(await subscribe(0, 3)).toMatchObject({ type: 'event', document: { data: { n: 1 } } })
  const event = await subscribe(newest + 3, 3)
  expect(event).toMatchObject({ type: 'event', seq: newest + 4, document: { data: { n: 1 } } })
})
