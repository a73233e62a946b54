import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Control, controlClient } from '../../client/control.js'
import { createClient } from '../../client/index.js'
import { contract } from '../../client/protocol/control/contract.js'
import type { Operation } from '../../client/protocol/control/operation.js'
import { operations } from '../../client/protocol/control/operations.js'
import type { GivenSettings } from '../../client/protocol/control/projects.js'
import { openSender } from '../../client/send.js'
import { type Emulator, startEmulator } from '../../emulator/dev.js'

// The clock is everybody's, so these tests have an emulator of their own.

let emulator: Emulator
let control: Control
const called = new Set<string>()
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
  control = checked('', controlClient(openSender({ url: emulator.url }).send, emulator.controlToken), contract)
})
afterAll(() => emulator.close())

type Call = (input?: object) => Promise<unknown>

/** The same calls, whose replies have to be what the contract says, to the last field. */
function checked<Calls extends object>(id: string, calls: Calls, shapes: object): Calls {
  const members = Object.entries(calls).map(([name, call]: [string, Call | object]) => {
    const shape: unknown = Object.entries(shapes).find(([other]) => other === name)?.[1]
    if (typeof call !== 'function') return [name, checked(`${id}${name}.`, call, Object(shape))]
    const { reply } = shape as Operation
    return [
      name,
      async (input?: object) => {
        called.add(`${id}${name}`)
        return reply.parse(await call(input))
      },
    ]
  })
  return Object.fromEntries(members)
}

function requestsIn(paths: object, shapes: object): { path: string; request: Operation['request'] }[] {
  return Object.entries(paths).flatMap(([name, path]) => {
    const shape: object = Object(Object.entries(shapes).find(([other]) => other === name)?.[1])
    return typeof path === 'string' ? [{ path, request: (shape as Operation).request }] : requestsIn(path, shape)
  })
}

function idsIn(tree: object, id = ''): string[] {
  return Object.entries(tree).flatMap(([name, member]) =>
    typeof member === 'string' ? [`${id}${name}`] : idsIn(member, `${id}${name}.`),
  )
}

it('contract 11 describes itself at /_svc/openapi.json, and is described with the rest at /openapi.json', async () => {
  const pathsAt = async (path: string) => Object.keys((await (await fetch(`${emulator.url}${path}`)).json()).paths)
  const own = requestsIn(operations, contract).map(({ path: place }) => {
    const [, path = ''] = place.split(' ')
    return `/_svc/api${path.replaceAll(/:(\w+)/g, '{$1}')}`
  })

  // Streams of a file are no calls of the typed client.
  const streams = ['snapshot-file', 'snapshots/{snapshot}/file'].map((path) => `/_svc/api/projects/{project}/${path}`)

  const described = await pathsAt('/_svc/openapi.json')

  const all = [...new Set([...own, ...streams])].sort()
  expect(described.filter((path) => path.startsWith('/_svc/api/')).sort()).toEqual(all)
  expect(await pathsAt('/openapi.json')).toEqual(expect.arrayContaining(described))
})

it('no name in a path is a name in the request, since a call takes both as one object', () => {
  const named = requestsIn(operations, contract).map(({ path, request }) => {
    const { properties = {}, anyOf = [] } = request
      ? z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' })
      : {}
    const names = [properties, ...anyOf.map((each) => each.properties ?? {})].flatMap(Object.keys)
    return [path, names.filter((name) => path.includes(`:${name}`))]
  })

  expect(named.filter(([, shared]) => shared?.length)).toEqual([])
})

describe('contract 11 every operation of the control API replies as its contract says', () => {
  it('projects, with their settings', async () => {
    const settings: GivenSettings = {
      dialect: 'b',
      allowedOrigins: ['https://app.example'],
      rateLimit: ['minute'],
      tier: 'standard',
      appUrl: 'https://app.example',
      idp: { IDP_CLIENT_SECRET: 'confidential' },
    }

    const { id: project } = await control.projects.create({ name: 'shop', settings })
    const { id: key } = await control.projects.createKey({ project, secret: true })
    const shown = await control.projects.get({ project })
    const updated = await control.projects.update({ project, settings: { rateLimit: { minute: 5 }, appUrl: null } })
    await control.projects.removeKey({ project, key })
    const report = await control.projects.reset({ project, users: true, mail: true })

    expect(shown).toMatchObject({ name: 'shop', settings: { ...settings, idp: ['IDP_CLIENT_SECRET'] } })
    expect(shown.keys).toHaveLength(3)
    expect(report).toEqual({ collections: [], users: 0, files: 0, mails: 0 })
    expect(updated.settings).toMatchObject({ rateLimit: { minute: 5 }, appUrl: null, tier: 'standard' })
  })

  it('users', async () => {
    const svc = createClient(emulator)
    await svc.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse', data: { bio: 'Hi' } })
    await svc.auth.twoFactor.enable()
    const { id: user } = await svc.auth.me()

    const { code } = await control.users.code({ user })
    const updated = await control.users.update({ user, roles: ['admin'], emailVerified: true })
    const { token } = await control.users.token({ user })
    const signedIn = await svc.auth.use(token)
    await control.users.logOut({ user })
    const removed = await control.users.remove({ user })

    expect(code).toMatch(/^\d{6}$/)
    expect(updated).toMatchObject({ roles: ['admin'], data: { bio: 'Hi' }, email_verified: true })
    expect(signedIn.user).toMatchObject({ id: user, roles: ['admin'] })
    expect(removed).toEqual({ id: user })
  })

  it('snapshots', async () => {
    const { id: project } = await control.projects.create({})

    const saved = await control.snapshots.save({ project, name: 'empty', branch: 'main' })
    const shown = await control.snapshots.get({ project, snapshot: 'empty' })
    const { snapshots } = await control.snapshots.list({ project })
    const { isSame } = await control.snapshots.diff({ project, snapshot: 'empty' })
    const loaded = await control.snapshots.load({ project, snapshot: 'empty' })
    const removed = await control.snapshots.remove({ project, snapshot: 'empty' })
    const { name } = await control.snapshots.save({ project, automatic: true, command: 'seed' })
    await control.snapshots.finish({ project, snapshot: name })
    const undone = await control.snapshots.undo({ project })

    expect([shown, ...snapshots, removed]).toEqual([saved, saved, saved])
    expect(loaded).toEqual({ ...saved, lacking: [] })
    expect(isSame).toBe(true)
    expect(undone).toMatchObject({ command: 'seed', snapshot: name })
  })

  it('seeds, which come as a form', async () => {
    const { id: project } = await control.projects.create()
    const steps = [
      { step: 'file', name: 'cover', part: 'file cover', path: '' },
      { step: 'user', name: 'ada', email: 'ada@example.com', data: { cover: `\${files.cover.url}` } },
      { step: 'collection', name: 'posts', isAnswered: true },
      { step: 'documents', documents: [{ name: 'hello', data: { by: `\${users.ada.id}` }, hasReferences: true }] },
    ]
    const form = new FormData()
    form.set('mode', 'upsert')
    form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
    form.set('file cover', new Blob(['a cover']), 'cover.txt')

    const seeded = await control.seeds.apply({ project, form })
    const held = await control.seeds.get({ project })

    const created = { created: 1, updated: 0, kept: 0 }
    const ids = [['hello', expect.any(String)]]
    expect(seeded).toEqual({ users: created, files: created, collections: [{ name: 'posts', ...created, ids }] })
    expect(held).toMatchObject({
      users: [{ email: 'ada@example.com', passwordHash: null }],
      files: [{ name: 'cover.txt' }],
    })
  })

  it('mail', async () => {
    const to = 'bob@example.com'
    const { auth } = createClient(emulator)
    await auth.signUp({ email: to, password: 'Correct4Horse' })
    await auth.requestVerification()

    const { id } = await control.mail.wait({ to, timeout: 10 })
    const { mails } = await control.mail.list({ to, limit: 1, project: emulator.projectId })
    const mail = await control.mail.get({ id })
    await control.mail.remove({ id })
    const { count } = await control.mail.clear({ to })

    expect(mails.map((each) => each.id)).toEqual([id])
    expect(mail.links).toHaveLength(1)
    expect(count).toBe(0)
  })

  it('requests, in short and in full, with the plan of what they asked the database', async () => {
    const { projectId: project, url } = emulator
    const client = createClient(emulator)
    await client.collections.create({ name: 'logged' })
    await client.collection('logged').list({ where: { title: 'Hello' } })

    const { isOn, requests } = await control.requests.list({ project, path: '/collections/logged', status: '2xx,404' })
    const [id = ''] = requests.map((each) => each.id)
    const record = await control.requests.get({ id })
    const statement = record.statements.findIndex(({ text }) => text.includes('documents'))
    const { plan } = await control.requests.plan({ id, statement })
    const { before, after } = await control.requests.replay({ id })
    const { count } = await control.requests.clear({ project })

    expect([isOn, requests.length]).toEqual([true, 1])
    expect(record).toMatchObject({ route: 'documents.list', status: 200, caller: { kind: 'key' }, reason: null })
    expect(record.request.headers).toMatchObject({ host: new URL(url).host, 'x-api-key': '[masked]' })
    expect(before).toEqual(record)
    expect(after).toMatchObject({ replayOf: id, caller: record.caller, answer: { body: record.answer.body } })
    expect(plan.join('\n')).toContain('documents')
    expect(count).toBeGreaterThan(1)
    expect((await control.requests.list({ project })).requests).toEqual([])
  })

  it('indexes, with what they are for and why they were made', async () => {
    const { projectId: project, apiKey, url } = emulator
    const client = createClient({ url, apiKey })
    await client.collections.create({ name: 'many' })
    for (let first = 0; first < 2_000; first += 1_000) {
      const documents = Array.from({ length: 1_000 }, (_, n) => ({ kind: n % 10, title: `Post ${n}` }))
      await client.collection('many').createMany(documents)
    }
    const ask = () => client.collection('many').list({ where: { kind: 3 }, sort: 'title', limit: 5 })
    await expect
      .poll(async () => {
        await ask()
        return (await control.indexes.list({ project, collection: 'many' })).indexes.map(({ isReady }) => isReady)
      })
      .toEqual([true])

    const { indexes } = await control.indexes.list({ project })

    expect(indexes).toMatchObject([{ collection: 'many', equal: ['kind'], field: 'title', kind: 'asc' }])
    expect(indexes[0]?.reason).toMatch(/^\d+ lists asked for it among 2,000 documents$/)
    expect(indexes[0]?.bytes).toBeGreaterThan(8_192)
    await expect(control.indexes.list({ project, collection: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('the clock', async () => {
    const { now } = await control.clock.change({ now: '2040-02-29T12:00:00+01:00' })
    const { offset } = await control.clock.change({ advance: 60_000 })
    const shown = await control.clock.get()
    await control.clock.reset()

    expect(now).toMatch(/^2040-02-29T11:00:/)
    expect(shown.offset).toBe(offset)
  })

  it('the clock of a project', async () => {
    const { project } = await control.info.get()
    const moved = await control.clock.ofProject.change({ project: project.id, now: '2040-02-29T12:00:00+01:00' })
    const shown = await control.clock.ofProject.get({ project: project.id })
    const { offset } = await control.clock.ofProject.reset({ project: project.id })

    expect([moved.offset, offset]).toEqual([shown.offset, 0])
    await expect(control.clock.ofProject.get({ project: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('the built-in identity provider', async () => {
    const account = 'mary'
    await control.idp.accounts.add({ id: account, claims: { locale: 'en' } })
    const changed = await control.idp.accounts.change({ account, email: null })
    const { accounts } = await control.idp.accounts.list()
    await control.idp.accounts.remove({ account })
    await control.idp.faults.set({ fault: 'slow', times: null })
    const { faults } = await control.idp.faults.set({ fault: 'down', client: 'shop' })
    await control.idp.faults.list()
    const cleared = await control.idp.faults.clear({ client: 'shop' })
    const completeUrl = 'http://127.0.0.1:1/done'
    const { url } = await control.idp.logins.start({ project: emulator.projectId, completeUrl })

    expect(changed).toMatchObject({ name: account, email: null, claims: { locale: 'en' } })
    expect(accounts).toContainEqual(changed)
    expect(faults).toHaveLength(2)
    expect(cleared.faults).toEqual([{ fault: 'slow', times: null }])
    expect(url).toContain('/_svc/idp/authorize?')
  })

  it('what answers, on what, and with how much of it in use', async () => {
    const svc = createClient({ url: emulator.url, apiKey: emulator.apiKey, transport: 'sse' })
    await svc.collections.create({ name: 'watched' })
    const watched = ['open', 'closed'].map((state) => svc.collection('watched').subscribe({ where: { state } }))
    await expect.poll(() => watched.map(({ status }) => status)).toEqual(['open', 'open'])
    const open = await control.info.get()
    for (const { close } of watched) close()

    expect(open).toMatchObject({
      project: { id: emulator.projectId },
      addresses: { url: emulator.url, dashboardUrl: emulator.dashboardUrl },
      database: { dataDir: null, isDurable: false, version: expect.stringMatching(/^\d+\.\d+/) },
      disk: null,
      streams: { connections: 2, subscriptions: 2 },
      dialect: 'a',
      limits: { tier: 'pro', rateLimit: 'off', page: { default: 20, most: 100 } },
      hashing: { library: await emulator.hashLibrary() },
    })
    expect(open.database.bytes).toBeGreaterThan(1_000_000)
    await expect.poll(async () => (await control.info.get()).streams).toEqual({ connections: 0, subscriptions: 0 })
  })

  it('and no operation is left out here', async () => {
    await control.health.get()
    await control.process.get()

    expect([...called].sort()).toEqual(idsIn(operations).sort())
  })
})
