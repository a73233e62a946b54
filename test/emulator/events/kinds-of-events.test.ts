import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { controlOf, follow } from '../../fixtures/events.js'

// Each kind of event that the stream sends. Contract 11.

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

/** A project whose events are followed, without its documents and requests. */
async function aFollowedProject() {
  const control = controlOf(emulator)
  const { id, apiKey, secretKey } = await control.projects.create()
  const kinds = 'collection,user,login,file,mail,fault,clock,snapshot,project'
  const stream = await follow(emulator, { project: id, kinds })
  return {
    id,
    control,
    stream,
    app: createClient({ url: emulator.url, apiKey }),
    owner: createClient({ url: emulator.url, apiKey: secretKey }),
  }
}

const email = 'ada@example.com'
const password = 'Correct4Horse'

it('contract 11 users, their logins and their mail are events', async () => {
  const { control, app, stream, id: project } = await aFollowedProject()

  await app.auth.signUp({ email, password, data: { username: 'ada' } })
  const { id: user } = (await stream.next(2)).flatMap((event) => ('user' in event ? [event.user] : []))[0] ?? { id: '' }
  await app.auth.requestVerification()
  const mail = await control.mail.wait({ to: email, project, timeout: 10 })
  await app.auth.logOut()
  await app.auth.logIn({ email, password: 'Wrong4Horse' }).catch(() => undefined)
  await app.auth.logIn({ email: 'nobody@example.com', password }).catch(() => undefined)
  await control.users.update({ user, roles: ['admin'] })
  await control.users.remove({ user })
  const found = await stream.next(6)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'mail.sent', projectId: project, mail: { id: mail.id, to: email, why: null } },
    { kind: 'login.ended', login: { user } },
    { kind: 'login.failed', login: { user, email, why: 'wrong password' } },
    { kind: 'login.failed', login: { user: null, email: 'nobody@example.com', why: 'unknown email' } },
    { kind: 'user.changed', user: { id: user, email, what: ['roles'] } },
    { kind: 'user.removed', user: { id: user } },
  ])
})

it('contract 11 requests that went well come where they are asked for, and nowhere else', async () => {
  const control = controlOf(emulator)
  const { id: project, apiKey } = await control.projects.create()
  const [all, whole, asked] = await Promise.all([
    follow(emulator, { project }),
    follow(emulator, { project, kinds: 'request' }),
    follow(emulator, { project, kinds: 'request.answered,request.refused' }),
  ])
  const app = createClient({ url: emulator.url, apiKey })

  await app.collections.list()
  await app.collections.get('none').catch(() => undefined)

  const refused = { kind: 'request.refused', request: { status: 404, path: '/api/collections/none' } }
  expect(await asked.next(2)).toMatchObject([
    { kind: 'request.answered', request: { status: 200, code: null } },
    refused,
  ])
  expect(await whole.next(1)).toMatchObject([refused])
  expect(await all.next(1)).toMatchObject([refused])
  await Promise.all([all.close(), whole.close(), asked.close()])
})

it('contract 11 signing up is a user who was created, and a login', async () => {
  const { app, stream } = await aFollowedProject()

  await app.auth.signUp({ email, password })
  const found = await stream.next(2)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'user.created', user: { email, what: [] } },
    { kind: 'login.succeeded', login: { email, why: null } },
  ])
})

it('contract 11 a code that is wrong, or that no login waits for, is a login that failed', async () => {
  const { control, app, stream, id: project } = await aFollowedProject()
  await app.auth.signUp({ email, password })
  await control.projects.update({ project, settings: { require2fa: true } })
  await app.auth.logIn({ email, password }).catch(() => undefined)
  await stream.next(4)
  const finish = (email: string) => app.auth.verifyCode({ email, code: 'wrong' }).catch(() => undefined)

  await finish(email)
  await finish('nobody@example.com')
  const found = await stream.next(2)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'login.failed', login: { user: expect.any(String), email, why: 'wrong code' } },
    { kind: 'login.failed', login: { user: null, email: 'nobody@example.com', why: 'no login waits for a code' } },
  ])
})

it('contract 11 collections and files are events', async () => {
  const { owner, stream } = await aFollowedProject()

  const { id } = await owner.collections.create({ name: 'posts' })
  await owner.collections.update('posts', { name: 'articles' })
  await owner.collections.delete('articles')
  const file = await owner.files.upload(new File(['Hello'], 'hello.txt'))
  await owner.files.delete(file.id)
  const found = await stream.next(5)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'collection.created', collection: { id, name: 'posts' } },
    { kind: 'collection.changed', collection: { id, name: 'articles' } },
    { kind: 'collection.removed', collection: { id, name: 'articles' } },
    { kind: 'file.uploaded', file: { id: file.id, name: 'hello.txt', size: 5 } },
    { kind: 'file.removed', file: { id: file.id } },
  ])
})

it('contract 11 a file that is seeded is an event, as one that is uploaded', async () => {
  const { control, stream, id: project } = await aFollowedProject()
  const form = new FormData()
  form.set('mode', 'fill')
  form.set('steps', new Blob([JSON.stringify({ step: 'file', name: 'logo', part: 'logo', path: '' })]), 'steps.ndjson')
  form.set('logo', new Blob(['a logo']), 'logo.txt')

  await control.seeds.apply({ project, form })
  const found = await stream.next(2)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'file.uploaded', projectId: project, file: { name: 'logo.txt', size: 6 } },
    { kind: 'project.seeded', projectId: project },
  ])
})

it('contract 11 a mail that the rate limit refuses is an event', async () => {
  const { control, app, stream, id: project } = await aFollowedProject()
  await control.projects.update({ project, settings: { rateLimit: ['minute'] } })
  await app.auth.signUp({ email, password })
  await stream.next(3)

  for (let asked = 0; asked < 2; asked++) await app.auth.requestPasswordReset(email)
  const found = await stream.next(2)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'mail.sent', mail: { to: email, why: null } },
    { kind: 'mail.refused', projectId: project, mail: { to: email, why: expect.stringContaining('one a minute') } },
  ])
})

it('contract 11 trouble on purpose is an event', async () => {
  const { control, stream, id: project } = await aFollowedProject()

  const { id } = await control.faults.add({ kind: 'latency', milliseconds: 10, path: '/collections/*', project })
  await control.faults.remove({ fault: id })
  await control.faults.addPreset({ preset: 'database-down', project })
  await control.faults.clear({ project })
  const found = await stream.next(4)
  await stream.close()

  const fault = { id, kind: 'latency', method: null, path: '/collections/*' }
  expect(found.slice(0, 2)).toMatchObject([
    { kind: 'fault.added', projectId: project, fault },
    { kind: 'fault.removed', projectId: project, fault },
  ])
  expect(found.slice(2).map(({ kind }) => kind)).toEqual(['fault.added', 'fault.removed'])
})

it('contract 11 snapshots, settings, resets and the clock are events', async () => {
  const { control, stream, id: project } = await aFollowedProject()

  await control.projects.update({ project, settings: { requestLog: false } })
  await control.snapshots.save({ project, name: 'empty' })
  await control.snapshots.load({ project, snapshot: 'empty' })
  await control.snapshots.remove({ project, snapshot: 'empty' })
  await control.projects.reset({ project, users: true, mail: true })
  await control.projects.reset({ project })
  await control.clock.ofProject.change({ project, advance: 60_000 })
  await control.clock.ofProject.reset({ project })
  await control.projects.remove({ project })
  const found = await stream.next(9)
  await stream.close()

  expect(found).toMatchObject([
    { kind: 'project.changed', project: { what: ['requestLog'] } },
    { kind: 'snapshot.saved', snapshot: { name: 'empty' } },
    { kind: 'snapshot.loaded', snapshot: { name: 'empty' } },
    { kind: 'snapshot.removed', snapshot: { name: 'empty' } },
    { kind: 'project.reset', project: { what: ['users', 'mail'] } },
    { kind: 'project.reset', project: { what: ['everything'] } },
    { kind: 'clock.moved', projectId: project },
    { kind: 'clock.reset', projectId: project },
    { kind: 'project.removed', projectId: project, project: { what: [] } },
  ])
})
