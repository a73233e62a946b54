/** Resets concurrent with writers, with one another, and with other processes. Contract 9.4 and 11. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { resetProject } from '../../../emulator/core/projects/reset.js'
import type { Database } from '../../../emulator/database/port.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

const open = (databaseUrl: string | undefined) => openService({ ...defaultConfig, memory: true, databaseUrl })
const reset = ({ backend, project }: Service, choice = {}) => resetProject(backend, project.id, choice)

/** The same database, whose n-th statement fails. */
function failingAt(db: Database, number: number): Database {
  let statements = 0
  const counting = (inner: Database): Database => ({
    ...inner,
    query(statement) {
      statements++
      return statements === number ? Promise.reject(new Error('failed')) : inner.query(statement)
    },
    transaction: (work) => inner.transaction((tx) => work(counting(tx))),
  })
  return counting(db)
}

describe.each(engines)('on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await open(engine === 'postgres' ? await server.newDatabase() : undefined)
  })
  afterAll(() => service.close())

  it('contract 11 those who write during a reset are refused or kept, and counts stay right', async () => {
    const svc = createClient(service)
    await svc.collections.create({ name: 'posts' })
    const posts = svc.collection('posts')
    const failures = new Set<string>()
    const tolerate = ({ code }: { code: string }) => {
      failures.add(code)
      return []
    }
    let isOver = false
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const email = `ada.${writer}.${n}@example.com`
        if (writer === 0) await createClient(service).auth.signUp({ email, password: 'Correct4Horse' }).catch(tolerate)
        if (writer === 1) await posts.create({ n, cover: new File(['cover'], 'cover.txt') }).catch(tolerate)
        const [one, two] = await posts.createMany([{ n }, { n }]).catch(tolerate)
        if (one) await posts.update(one.id, { n: -1 }).catch(tolerate)
        if (one && two) await posts.deleteMany([two.id, one.id].slice(n % 2)).catch(tolerate)
      }
    })

    for (let round = 0; round < 10; round++) {
      if (round % 2 === 0) await reset(service, { collections: ['posts'], users: true })
      else await Promise.all([reset(service), reset(service)]).then(() => svc.collections.create({ name: 'posts' }))
    }
    isOver = true
    await Promise.all(writing)

    const listed = []
    for await (const { id } of posts.iterate()) listed.push(id)
    expect(await posts.count()).toBe(listed.length)
    const { items, total } = await svc.users.list({ limit: 100 })
    expect(total).toBe(items.length)
    // Errors about a collection, or a user at login, that a reset has deleted.
    expect([...failures].filter((code) => !['NOT_FOUND', 'INVALID_CREDENTIALS'].includes(code))).toEqual([])
  })

  it('contract 11 two resets at once wait for each other, and the second finds nothing', async () => {
    const svc = createClient(service)
    await reset(service)
    await svc.collections.create({ name: 'posts' })
    await svc.collection('posts').createMany([{ n: 1 }, { n: 2 }])

    const reports = await Promise.all([reset(service), reset(service)])

    const documents = reports.map(({ collections }) => collections.map(({ documents }) => documents))
    expect(documents.sort()).toEqual([[], [2]])
  })

  it('contract 11 a reset that fails at any of its statements has deleted nothing', async () => {
    const svc = createClient(service)
    await reset(service)
    await svc.collections.create({ name: 'posts' })
    await svc.collection('posts').create({ cover: new File(['cover'], 'cover.txt') })
    await createClient(service).auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
    await svc.files.upload(new File(['Hello'], 'note.txt'))
    const state = async () => ({
      posts: await svc.collection('posts').count(),
      users: (await svc.users.list()).total,
      files: (await svc.files.info()).files,
    })

    let failures = 0
    for (let at = 1; ; at++) {
      const failing = { ...service, backend: { ...service.backend, db: failingAt(service.backend.db, at) } }
      const choice = { collections: ['posts'], users: true, files: true, mail: true } as const
      if (await reset(failing, choice).catch(() => undefined)) break
      failures++
      expect(await state(), `after a failure at statement ${at}`).toEqual({ posts: 1, users: 1, files: 2 })
    }

    expect(failures).toBeGreaterThan(10)
    expect(await state()).toEqual({ posts: 0, users: 0, files: 0 })
  })

  it('contract 10.7 what a reset has left is swept, and other projects keep theirs', async () => {
    const svc = createClient(service)
    await reset(service)
    for (const name of ['posts', 'notes']) await svc.collections.create({ name })
    await svc.collection('posts').create({ cover: new File(['cover'], 'cover.txt') })
    const { url } = (await svc.files.list()).items[0] ?? {}

    await reset(service)

    await expect.poll(async () => (await fetch(String(url))).status).toBe(404)
    const left = () =>
      service.backend.db.query({ text: 'select 1 from documents union all select 1 from files', values: [] })
    await expect.poll(left).toEqual([])
    const changes = () => service.backend.db.query({ text: 'select distinct kind from changes', values: [] })
    await expect.poll(changes).toEqual([{ kind: 'reset' }])
  })
})

it('contract 11 a subscriber at another process gets RESYNC, and what is cached there is gone', async () => {
  const databaseUrl = await server.newDatabase()
  const here = await open(databaseUrl)
  const there = await open(databaseUrl)
  const svc = createClient(there)
  await createClient(here).collections.create({ name: 'posts' })
  await svc.collection('posts').create({ n: 1 })
  const socket = await openAuthenticated(there.url, there.apiKey, 'a')
  await socket.ask({ type: 'subscribe', collection: 'posts' })

  await reset(here, { collections: ['posts'] })
  await svc.collection('posts').create({ n: 2 })
  await socket.atLeast(4)
  await reset(here)

  const heard = await socket.atLeast(6)
  expect(heard.slice(2).map(({ code, event }) => code ?? event)).toEqual([
    'RESYNC',
    'created',
    'RESYNC',
    'INVALID_COLLECTION',
  ])
  await expect(svc.collection('posts').create({ n: 3 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  socket.close()
  await there.close()
  await here.close()
})
