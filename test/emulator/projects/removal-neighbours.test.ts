/** A project that is deleted while others work, and one of which there is much. Contract 11; security 7. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'

const password = 'Correct4Horse'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

const open = (databaseUrl?: string) => openService({ ...defaultConfig, memory: true, databaseUrl })

async function aShop(service: Service) {
  const control = controlOf(service)
  const { id: project, apiKey } = await control.projects.create({ name: 'shop' })
  const svc = createClient({ url: service.url, apiKey })
  await svc.auth.signUp({ email: 'ada@example.com', password })
  await svc.collections.create({ name: 'posts' })
  const posts = svc.collection('posts')
  await posts.create({ n: 1, cover: new File(['cover'], 'cover.txt') })
  return { control, project, apiKey, svc, posts }
}

async function idsOf(service: Service): Promise<string[]> {
  const { projects } = await controlOf(service).projects.list()
  return projects.map(({ id }) => id)
}

describe.runIf(engines.includes('postgres'))('on PostgreSQL', () => {
  let service: Service
  let other: pg.Client
  beforeAll(async () => {
    service = await open(server.url)
    other = new pg.Client({ connectionString: server.url })
    await other.connect()
  })
  afterAll(async () => {
    await other.end()
    await service.close()
  })

  it('security 7 goes while an index is made, and while others write', async () => {
    const { control, project } = await aShop(service)
    const neighbour = await aShop(service)
    await other.query('begin')
    // As `create index concurrently` and `vacuum` lock it.
    await other.query('lock table svc.documents in share update exclusive mode')
    await other.query(`insert into svc.users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
      values (gen_random_uuid(), '${neighbour.project}', 'b@x.example', 'b@x.example', '{}', '[]', true, now(), now())`)

    const removal = control.projects.remove({ project })

    await expect
      .poll(() => idsOf(service))
      .not.toContain(project)
      .finally(() => other.query('rollback'))
    expect(await removal).toEqual({ id: project })
    expect(await neighbour.posts.create({ n: 2 })).toMatchObject({ data: { n: 2 } })
  })

  it('contract 11 what could not be deleted is closed, and goes when it is asked for again', async () => {
    const { control, project, apiKey, svc } = await aShop(service)
    const { items } = await svc.files.list()
    const { token } = await control.users.token({ user: (await svc.auth.me()).id })
    await other.query('begin')
    await other.query('select from svc.files where project_id = $1 for update', [project])

    const removal = control.projects.remove({ project })

    await expect(removal)
      .rejects.toMatchObject({ status: 503 })
      .finally(() => other.query('rollback'))
    expect(await idsOf(service)).toContain(project)
    const list = createClient({ url: service.url, apiKey }).collections.list()
    await expect(list).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    const me = await fetch(`${service.url}/auth-collections/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(me.status).toBe(401)
    await control.projects.remove({ project })
    expect(await idsOf(service)).not.toContain(project)
    expect((await fetch(new URL(items[0]?.url ?? '', service.url))).status).toBe(404)
  })

  it('contract 11 nobody reads its files any more, however long it takes to delete what it keeps', async () => {
    const { control, project, svc } = await aShop(service)
    const { url } = await svc.files.upload(new File(['letter'], 'letter.txt'))
    await control.snapshots.save({ project, name: 'held' })
    const [held] = (await other.query("select id from svc.snapshots where name = 'held'")).rows
    const address = new URL(url, service.url)
    const status = async () => (await fetch(address)).status
    expect(await status()).toBe(200)
    await other.query('begin')
    await other.query(`lock table svc.snap_${held.id.replaceAll('-', '')}_users in access share mode`)

    const removal = control.projects.remove({ project })

    await expect
      .poll(status)
      .toBe(404)
      .finally(() => other.query('rollback'))
    await removal
    expect(await status()).toBe(404)
  })

  it('contract 11 goes beside a reset that has begun to wait before its last step', async () => {
    const { control, project } = await aShop(service)
    const { files } = service.backend
    const { remove } = files
    let [isBegun, mayGoOn] = [false, false]
    // Its bytes are removed between its first step and its last.
    Object.assign(files, {
      async remove(ids: readonly string[]) {
        isBegun = true
        await vi.waitUntil(() => mayGoOn, patiently)
        await remove(ids)
      },
    })
    onTestFinished(() => void Object.assign(files, { remove }))
    const waiting = async () =>
      (await other.query("select from pg_locks where relation = 'svc.collections'::regclass and not granted")).rowCount
    const removal = control.projects.remove({ project })
    await expect.poll(() => isBegun).toBe(true)
    await other.query('begin')
    await other.query('lock table svc.collections in row exclusive mode')

    const reset = control.projects.reset({ project })
    await expect.poll(waiting).toBe(1)
    mayGoOn = true
    await expect
      .poll(waiting)
      .toBe(2)
      .finally(() => other.query('rollback'))

    expect(await Promise.all([removal, reset])).toMatchObject([{ id: project }, { collections: [] }])
    expect(await idsOf(service)).not.toContain(project)
  })

  it('contract 12 its snapshots go one by one, since the tables of one stay locked until its transaction ends', async () => {
    const { control, project } = await aShop(service)
    for (const name of ['oldest', 'newer', 'newest']) await control.snapshots.save({ project, name })
    const [oldest] = (await other.query("select id from svc.snapshots where name = 'oldest'")).rows
    const names = async () => (await other.query('select name from svc.snapshots')).rows.map(({ name }) => name)
    await other.query('begin')
    await other.query(`lock table svc.snap_${oldest.id.replaceAll('-', '')}_users in access share mode`)

    const removal = control.projects.remove({ project })

    await expect
      .poll(names)
      .toEqual(['oldest'])
      .finally(() => other.query('rollback'))
    await removal
    expect(await names()).toEqual([])
  })

  it('contract 12 tables that deleted snapshots have left go some at a time', async () => {
    const { control, project } = await aShop(service)
    const left = async () =>
      (await other.query("select from pg_class where relname like 'snap\\_%' and relkind = 'r'")).rowCount
    const remove = async () => {
      await control.snapshots.save({ project, name: 'full' })
      await control.snapshots.remove({ project, snapshot: 'full' })
    }
    for (let n = 0; n < 300; n++)
      await other.query(`create table svc.snap_${randomUUID().replaceAll('-', '')}_users (n int)`)

    await remove()
    expect(await left()).toBeGreaterThan(100)
    await remove()
    await remove()

    expect(await left()).toBe(0)
  })
})

describe.each(engines)('on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await open(engine === 'postgres' ? await server.newDatabase() : undefined)
  })
  afterAll(() => service.close())

  it('contract 11 goes with all of it where there is more than is deleted in one piece', async () => {
    const { control, project, svc, posts } = await aShop(service)
    const { db } = service.backend
    await posts.createMany(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    await posts.createMany(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    await posts.createMany(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    await db.query(sql`
      insert into users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
      select gen_random_uuid(), ${project}, n || '@x.example', n || '@x.example', '{}', '[]', true, now(), now()
      from generate_series(1, 500) as n`)
    await db.query(sql`
      insert into files (id, project_id, name, path, size, mime_type, stays, user_id, created_at)
      select gen_random_uuid(), ${project}, 'a.txt', 'a.txt', 1, 'text/plain', false, u.id, now()
      from users u, generate_series(1, 3) where u.project_id = ${project}`)
    await svc.files.upload(new File(['letter'], 'letter.txt'))

    await control.projects.remove({ project })

    const left = sql`
      select (select count(*)::int from users where project_id = ${project}) as users,
        (select count(*)::int from files where project_id = ${project}) as files,
        (select count(*)::int from changes where project_id = ${project}) as changes,
        (select count(*)::int from pending_changes where project_id = ${project}) as pending,
        (select count(*)::int from projects where id = ${project}) as projects`
    expect(await db.query(left)).toEqual([{ users: 0, files: 0, changes: 0, pending: 0, projects: 0 }])
    const bytes: string[] = []
    for await (const ids of service.backend.files.list()) bytes.push(...ids)
    expect(bytes).toEqual([])
  })
})
