import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf } from '../../fixtures/events.js'

// Contract 11: versions of a document, as far as its changes are kept.

describe.each(engines)('on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await startOn(engine, (config) => openService({ ...defaultConfig, ...config }))
  })
  afterAll(() => service.close())

  async function aDocument(fields: JsonObject = { title: 'Tea', views: 1 }) {
    const control = controlOf(service)
    const { id: project, secretKey: apiKey } = await control.projects.create()
    const client = createClient({ url: service.url, apiKey })
    await client.collections.create({ name: 'posts' })
    const posts = client.collection('posts')
    const { id } = await posts.create(fields)
    const place = { project, collection: 'posts', document: id }
    const history = (more: { limit?: number; before?: number } = {}) => control.history.get({ ...place, ...more })
    const compare = (more: { from?: number; to?: number } = {}) => control.history.compare({ ...place, ...more })
    return { project, control, client, posts, id, place, history, compare }
  }

  it('contract 11 a document has its whole life, the newest version first', async () => {
    const { posts, id, history } = await aDocument()
    await posts.update(id, { views: 2, tags: ['new'] })
    await posts.delete(id)

    const { versions, ...rest } = await history()

    expect(rest).toEqual({ collection: 'posts', id, isDeleted: true, next: null, isWhole: true })
    expect(versions).toMatchObject([
      { kind: 'deleted', version: 2, seq: 3, data: { views: 2 } },
      { kind: 'updated', version: 2, seq: 2, data: { title: 'Tea', views: 2 }, changed: ['views', 'tags'] },
      { kind: 'created', version: 1, seq: 1, data: { title: 'Tea', views: 1 } },
    ])
  })

  it('contract 11 a long history comes page by page, each version once', async () => {
    const { posts, id, history } = await aDocument({ n: 1 })
    for (let n = 2; n <= 7; n++) await posts.update(id, { n })

    const first = await history({ limit: 3 })
    const second = await history({ limit: 3, before: first.next ?? 0 })
    const third = await history({ limit: 3, before: second.next ?? 0 })

    const pages = [first, second, third].map(({ versions }) => versions.map(({ version }) => version))
    expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]])
    expect([first, second, third].map(({ isWhole }) => isWhole)).toEqual([false, false, true])
    expect(third.next).toBeNull()
  })

  it('contract 11 any two versions are compared, value by value', async () => {
    const { posts, id, compare } = await aDocument({ title: 'Tea', steps: [{ minutes: 3 }] })
    await posts.update(id, { steps: [{ minutes: 4 }] })
    await posts.replace(id, { steps: [{ minutes: 4 }], views: 1 })

    expect((await compare({ from: 1, to: 2 })).differences).toEqual([
      { path: ['steps', 0, 'minutes'], before: '3', after: '4' },
    ])
    expect(await compare()).toEqual({
      ...{ from: 2, to: 3 },
      differences: [
        { path: ['title'], before: '"Tea"', after: null },
        { path: ['views'], before: null, after: '1' },
      ],
    })
    await expect(compare({ from: 1, to: 9 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Version 9 of "${id}" is not recorded.`,
    })
  })

  it('contract 11 of changes that are kept no longer, the next one says what was before it', async () => {
    const { posts, id, history, compare } = await aDocument({ n: 1 })
    await posts.update(id, { n: 2 })
    await posts.update(id, { n: 3 })
    // All but the last change of the project are deleted.
    await deleteOldChanges(service.backend.db, { before: '2100-01-01T00:00:00Z', kept: 1, most: 1_000 })

    const { versions, isWhole } = await history()

    expect(isWhole).toBe(false)
    expect(versions).toMatchObject([
      { version: 3, kind: 'updated', data: { n: 3 }, changed: ['n'] },
      { version: 2, kind: 'kept', seq: null, data: { n: 2 }, changed: null },
    ])
    expect((await compare()).differences).toEqual([{ path: ['n'], before: '2', after: '3' }])
    await expect(compare({ from: 1, to: 3 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('contract 11 what a snapshot brought back is the newest version', async () => {
    const { control, posts, id, history, project } = await aDocument({ n: 1 })
    await control.snapshots.save({ project, name: 'before' })
    await posts.update(id, { n: 2 })
    await control.snapshots.load({ project, snapshot: 'before' })

    const { versions, isDeleted } = await history()

    expect(isDeleted).toBe(false)
    expect(versions[0]).toMatchObject({ kind: 'kept', seq: null, data: { n: 1 } })
  })

  it('contract 11 changes from before a snapshot was loaded are no versions, also while they are not deleted yet', async () => {
    const { control, posts, id, place, history, compare, project } = await aDocument({ n: 1 })
    await control.snapshots.save({ project, name: 'before' })
    await posts.update(id, { n: 2 })
    await control.snapshots.load({ project, snapshot: 'before' })
    await service.backend.db.query(sql`
      insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, recorded_at)
      select ${project}, 2, 'updated', c.id, ${id}::uuid, 2, '{"n":2}', now()
      from svc.collections c
      where c.project_id = ${project} and c.name = ${place.collection}
      on conflict do nothing`)

    expect((await history()).versions).toMatchObject([{ kind: 'kept', seq: null, data: { n: 1 } }])
    await expect(compare({ from: 1, to: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('contract 11 documents and collections that were never there are not found', async () => {
    const { control, place } = await aDocument()
    const other = '01999999-9999-7999-8999-999999999999'

    for (const wrong of [{ document: other }, { document: 'x' }, { collection: 'none' }, { project: 'none' }]) {
      await expect(control.history.get({ ...place, ...wrong })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(control.history.compare({ ...place, ...wrong })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })
})
