/** Pull, push and diff bring users without secrets, and files, where the service lists them. */
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { openDeployedService } from '../../fixtures/deployed/deployed-service.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

let world: World
let dev: SharedProject

beforeEach(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
})
afterEach(() => world.close())

const openHere = () => createClient({ url: dev.url, apiKey: dev.secretKey })
const usersHere = async () => (await openHere().users.list()).items.map(({ email }) => email.toLowerCase()).toSorted()
const password = 'Correct4Horse'

describe.each(Object.keys(dialects))('dialect %s', (dialect) => {
  let flags: string[]
  let service: SharedProject

  beforeEach(async () => {
    service = await newSharedProject('there')
    await controlOf(service).projects.update({ project: service.projectId, settings: { dialect } })
    flags = ['--url', service.url, '--key', service.secretKey, '--dialect', dialect]
  })

  const openThere = () => createClient({ url: service.url, apiKey: service.secretKey, dialect })

  test('a pull creates the users of the service without passwords, once, and links follow', async () => {
    const { users } = controlOf(service)
    const { projectId: project } = service
    const ada = await users.create({
      ...{ project, email: 'ada@people.example', password, data: { name: 'Ada' } },
      ...{ roles: ['editor'], emailVerified: true },
    })
    await users.create({ project, email: 'bob@people.example', password })
    await controlOf(dev).users.create({ project: dev.projectId, email: 'Bob@people.example', data: { name: 'Mine' } })
    await openThere().collections.create({ name: 'posts' })
    await openThere().collection('posts').create({ title: 'Tea', author: ada.id })

    const before = await world.svc(['diff', 'posts', '--users', ...flags])
    const pulled = await world.json(['pull', 'posts', '--users', ...flags, '--yes'])
    const again = await world.json(['pull', 'posts', '--users', ...flags, '--yes'])
    const plain = await world.json(['push', 'posts', ...flags, '--yes'])

    const [created] = (await openHere().users.list({ where: { email: 'ada@people.example' } })).items
    const [post] = (await openHere().collection('posts').list()).items
    const login = await openHere()
      .auth.logIn({ email: 'ada@people.example', password })
      .catch(({ code }) => code)
    expect(before).toMatchObject({ exit: 10, stdout: expect.stringMatching(/users +0 +0 +1 +1/) })
    expect(pulled).toMatchObject({
      others: [{ also: 'users', create: 1, leftAlone: 1 }],
      counts: [{ collection: 'posts', before: 0, after: 1 }],
    })
    expect(again).toMatchObject({ others: [{ also: 'users', create: 0, leftAlone: 2 }], created: 0, updated: 0 })
    expect(plain).toMatchObject({ created: 0, updated: 0 })
    expect(created).toMatchObject({ data: { name: 'Ada' }, roles: ['editor'], emailVerified: true })
    expect(post?.data.author).toBe(created?.id)
    expect(login).toBe('INVALID_CREDENTIALS')
    expect(await usersHere()).toEqual(['ada@people.example', 'bob@people.example'])
  })

  test('a pull and a push copy the files that the other side lacks, once, or say that none are listed', async () => {
    const pull = ['pull', 'posts', '--files', ...flags, '--yes']
    await openThere().collections.create({ name: 'posts' })
    await openHere().files.upload(new File(['mine'], 'mine.txt'), { path: 'notes' })
    if (dialect === 'd') {
      const ran = await world.svc(pull)
      expect(ran).toMatchObject({
        exit: 5,
        stderr: expect.stringContaining('does not list its files. Nothing was sent.'),
      })
      return
    }
    await openThere().files.upload(new File(['theirs'], 'theirs.txt', { type: 'text/plain' }), { path: 'letters' })

    const pulled = await world.json(pull)
    const again = await world.json(pull)
    const pushed = await world.json(['push', 'posts', '--files', ...flags, '--yes'])
    const same = await world.svc(['diff', 'posts', '--files', ...flags])

    expect(pulled).toMatchObject({ others: [{ also: 'files', create: 1, leftAlone: 0 }] })
    expect(again).toMatchObject({ others: [{ also: 'files', create: 0, leftAlone: 1 }] })
    expect(pushed).toMatchObject({ others: [{ also: 'files', create: 1, leftAlone: 1 }] })
    expect(same.exit).toBe(0)
    const { items } = await openHere().files.list({ path: 'letters' })
    const text = await (await openHere().files.download(items[0]?.url ?? '')).text()
    expect([items.length, text, items[0]?.mimeType]).toEqual([1, 'theirs', 'text/plain'])
    expect((await openThere().files.list({ path: 'notes' })).items).toHaveLength(1)
  })
})

test('a deployed service brings its users, and one whom a killed pull created without noting it is not created twice', async () => {
  const service = await openDeployedService()
  const flags = ['--url', service.url, '--key', service.key, '--dialect', 'd']
  const there = createClient({ url: service.url, apiKey: service.key, dialect: 'd' })
  for (const name of ['ada', 'bob', 'cy'])
    await there.auth.signUp({ email: `${name}@people.example`, password, data: { name } })
  await there.collection('posts').create({ title: 'Tea' })
  await controlOf(dev).users.create({ project: dev.projectId, email: 'ada@people.example', data: { name: 'ada' } })

  const pulled = await world.json(['pull', 'posts', '--users', ...flags, '--yes'])
  const same = await world.svc(['diff', 'posts', '--users', ...flags])

  expect(pulled).toMatchObject({ others: [{ also: 'users', create: 2, leftAlone: 1 }] })
  expect(same).toMatchObject({ exit: 0, stdout: expect.stringMatching(/users +3 +0 +0 +0/) })
  expect(await usersHere()).toEqual(['ada@people.example', 'bob@people.example', 'cy@people.example'])
  service.close()
})

describe('a push of eight files', () => {
  let service: SharedProject
  let push: string[]
  const names = Array.from({ length: 8 }, (_, at) => `${at}.txt`)

  beforeEach(async () => {
    service = await newSharedProject('there')
    push = ['push', 'posts', '--files', '--url', service.url, '--key', service.secretKey, '--yes', '--json']
    for (const client of [openHere(), openThere()]) await client.collections.create({ name: 'posts' })
    for (const name of names) await openHere().files.upload(new File([name], name), { path: 'notes' })
  })

  const openThere = () => createClient({ url: service.url, apiKey: service.secretKey })
  const filesThere = async () =>
    (await openThere().files.list({ path: 'notes' })).items.map(({ name }) => name).toSorted()

  test('over a line that loses requests and answers copies each once', async () => {
    const { faults } = controlOf(service)
    const of = { project: service.projectId, path: '/storage/**' }
    for (const when of ['before', 'after'] as const) await faults.add({ kind: 'drop', when, rate: 0.3, seed: 3, ...of })

    const pushed = await vi.waitUntil(async () => {
      const { exit, stdout } = await world.svc(push)
      return exit === 0 ? JSON.parse(stdout) : undefined
    }, patiently)

    await faults.clear({ project: service.projectId })
    const { requests } = await controlOf(service).requests.list({ project: service.projectId, limit: 1_000 })
    const uploads = requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/storage'))
    expect(uploads.length).toBeGreaterThan(names.length)
    expect(pushed).toMatchObject({ refused: [] })
    expect(await filesThere()).toEqual(names)
  })

  test('that is killed copies the rest the next time', async () => {
    const { faults } = controlOf(service)
    await faults.add({ kind: 'latency', milliseconds: 200, project: service.projectId, path: '/storage/upload' })
    const child = execa(process.execPath, [bin, ...push], {
      ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    })
    await vi.waitUntil(async () => (await filesThere()).length > 1, patiently)
    child.kill('SIGKILL')
    await child
    await faults.clear({ project: service.projectId })

    const { others } = (await world.json(push.slice(0, -1))) as { others: { create: number; leftAlone: number }[] }

    const [{ create, leftAlone } = { create: 0, leftAlone: 0 }] = others
    expect(create).toBeGreaterThan(0)
    expect(leftAlone).toBeGreaterThan(1)
    expect(await filesThere()).toEqual(names)
  })
})
