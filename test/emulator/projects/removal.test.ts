/** A project that is deleted, beside one that stays. Contract 11. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf, follow } from '../../fixtures/events.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'

const password = 'Correct4Horse'

describe.each(engines)('projects on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await startOn(engine, (config) => openService({ ...defaultConfig, ...config }))
  })
  afterAll(() => service.close())

  /** A project with some of everything; `counts` is how much of it there is. */
  async function aShop() {
    const control = controlOf(service)
    const { url } = service
    const { id: project, apiKey, secretKey } = await control.projects.create({ name: 'shop' })
    const svc = createClient({ url, apiKey })
    await svc.auth.signUp({ email: 'ada@example.com', password })
    const { id: user } = await svc.auth.me()
    const { token } = await control.users.token({ user })
    await svc.collections.create({ name: 'posts' })
    const posts = svc.collection('posts')
    const { id: document } = await posts.create({ n: 1, cover: new File(['cover'], 'cover.txt') })
    await posts.create({ n: 2 })
    await svc.files.upload(new File(['letter'], 'letter.txt'))
    await control.snapshots.save({ project, name: 'full' })
    // Its file is the snapshot's alone from now on.
    await posts.delete(document)
    const { items } = await svc.files.list()
    const { db, files } = service.backend
    const counts = async () => {
      const [rows] = await db.query<{ documents: number }>(sql`
        select (select count(*)::int from collections) as collections, (select count(*)::int from users) as users,
          (select count(*)::int from changes) + (select count(*)::int from pending_changes) as changes, (select count(*)::int from mails) as mails,
          (select count(*)::int from documents) as documents, (select count(*)::int from snapshots) as snapshots,
          (select count(*)::int from pg_class where relname like 'snap\\_%' and relkind = 'r') as tables`)
      const bytes: string[] = []
      for await (const ids of files.list()) bytes.push(...ids)
      return { ...rows, bytes: bytes.length }
    }
    return { control, url, project, apiKey, secretKey, user, token, svc, posts, document, items, counts }
  }

  it('contract 11 are listed page by page', async () => {
    const { control, project } = await aShop()
    const { id: second } = await control.projects.create({ name: 'second' })

    const { projects, next } = await control.projects.list({ after: project, limit: 1 })
    const rest = await control.projects.list({ after: second })
    const all = await control.projects.list()

    expect(projects).toEqual([{ id: second, name: 'second', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) }])
    expect([next === null || next === second, rest.next]).toEqual([true, null])
    expect(all.projects.map(({ id }) => id)).toEqual(expect.arrayContaining([project, second, service.project.id]))
    expect((await control.projects.list({ limit: 1 })).next).toBe(all.projects[0]?.id)
  })

  it('contract 11 go with all that they keep, and leave their neighbours and the audit log', async () => {
    const neighbour = await aShop()
    const before = await neighbour.counts()
    const { control, url, project, apiKey, secretKey, token, counts } = await aShop()
    const socket = await openAuthenticated(url, apiKey)
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    const ofUser = await openAuthenticated(url, token)
    const events = await openEvents(url, '/realtime/sse/posts', { 'x-api-key': secretKey })
    const happening = await follow(service, { project, kinds: 'project' })
    expect(await counts()).not.toEqual(before)

    const removed = await control.projects.remove({ project })

    expect(removed).toEqual({ id: project })
    await Promise.all([socket.closed, ofUser.closed, events.closed])
    expect(await happening.next(1)).toMatchObject([{ kind: 'project.removed', projectId: project }])
    await happening.close()
    for (const key of [apiKey, secretKey]) {
      const list = createClient({ url, apiKey: key }).collections.list()
      await expect(list).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    }
    expect((await fetch(`${url}/auth-collections/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    )
    for (const call of [control.projects.get, control.projects.remove, control.projects.reset, control.keys.list]) {
      await expect(call({ project })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect((await control.projects.list()).projects.map(({ id }) => id)).not.toContain(project)
    const { entries } = await control.audit.list({ project })
    expect(entries[0]).toMatchObject({ operation: 'project.removed', subject: { names: ['shop'] } })
    expect(await control.audit.list({ project, operation: 'key.revoked' })).toMatchObject({ entries: [] })
    await expect.poll(counts).toEqual(before)
    expect((await neighbour.posts.list()).items).toMatchObject([{ data: { n: 2 } }])
    expect(await (await neighbour.svc.files.download(neighbour.items[0]?.url ?? '')).text()).toBe('letter')
    const loaded = await neighbour.control.snapshots.load({ project: neighbour.project, snapshot: 'full' })
    expect(loaded).toMatchObject({ documents: 2, files: 2, lacking: [] })
  })

  it('contract 11 the one that the service runs for stays', async () => {
    const control = controlOf(service)

    const removal = control.projects.remove({ project: service.project.id })

    await expect(removal).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('reset') })
    expect(await createClient(service).collections.list()).toEqual([])
  })

  it('contract 11 its clock and its faults go with it', async () => {
    const { control, project } = await aShop()
    await control.clock.ofProject.change({ project, now: '1970-01-02T00:00:00Z' })
    await control.faults.add({ project, kind: 'drop' })

    await control.projects.remove({ project })

    // By this, maintenance tells what is over for every project.
    expect(service.backend.clocks.earliest().getFullYear()).toBeGreaterThan(1970)
    expect((await control.faults.list({})).faults).toEqual([])
  })

  it('contract 11 those who write meanwhile are refused, and find no fault', async () => {
    const neighbour = await aShop()
    const { documents } = await neighbour.counts()
    const { control, url, project, apiKey, posts, counts } = await aShop()
    const codes = new Set<string>()
    const tolerate = ({ code }: { code: string }) => void codes.add(code)
    let isOver = false
    const writing = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const email = `ada.${writer}.${n}@example.com`
        if (writer === 0) await createClient({ url, apiKey }).auth.signUp({ email, password }).catch(tolerate)
        if (writer === 1) await posts.create({ n, cover: new File(['cover'], 'cover.txt') }).catch(tolerate)
        await posts.createMany([{ n }, { n }]).catch(tolerate)
      }
    })
    await expect.poll(() => posts.count()).toBeGreaterThan(20)

    await control.projects.remove({ project })
    await expect.poll(() => codes.size).toBeGreaterThan(0)
    isOver = true
    await Promise.all(writing)

    expect(['NOT_FOUND', 'UNAUTHORIZED', 'INVALID_TOKEN']).toEqual(expect.arrayContaining([...codes]))
    const left = await service.backend.db.query(sql`
      select project_id from changes where project_id = ${project}
      union all
      select project_id from pending_changes where project_id = ${project}`)
    expect(left).toEqual([])
    await expect.poll(async () => (await counts()).documents).toBe(documents)
  })
})

it('security: keys that the folder has kept of a deleted project open nothing, should it come again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-removal-'))
  const shop = await startEmulator({ dir, project: 'shop' })
  const { apiKey } = shop
  await shop.close()
  const other = await startEmulator({ dir, project: 'other' })
  await controlOf(other).projects.remove({ project: 'shop' })
  await other.close()

  const again = await startEmulator({ dir, project: 'shop' })

  expect(again.apiKey).not.toBe(apiKey)
  expect(again.secretKey).toMatch(/^svc_secret_/)
  const { keys } = await controlOf(again).projects.get({ project: 'shop' })
  expect(keys.map(({ secret }) => secret).sort()).toEqual([false, true])
  const list = createClient({ url: again.url, apiKey }).collections.list()
  await expect(list).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await createClient(again).collections.list()).toEqual([])
  await again.close()
  await rm(dir, { recursive: true })
})
