/** Snapshots whose tables are not as this version fills them: marks of an older one, and rows that another project has. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/config.js'
import { openIds } from '../../../emulator/core/ids.js'
import { sql } from '../../../emulator/database/port.js'
import { openService, type Service } from '../../../emulator/open-service.js'
import { effectsOf } from '../../../emulator/store/snapshots/effects.js'
import { keptIn } from '../../../emulator/store/snapshots/parts.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

let service: Service
let client: Client
beforeEach(async () => {
  service = await openService({ ...defaultConfig, memory: true })
  client = createClient(service)
  await client.collections.create({ name: 'posts' })
})
afterEach(() => service.close())

async function idOf(snapshot: string): Promise<string> {
  const [found] = await service.backend.db.query<{ id: string }>(sql`select id from snapshots where name = ${snapshot}`)
  return found?.id ?? ''
}

it('contract 12.6 takes back what a command did whose end an older version has noted, but for what was written since', async () => {
  const { snapshots } = controlOf(service)
  const project = service.project.id
  const posts = client.collection('posts')
  const [changed, both] = [await posts.create({ title: 'First' }), await posts.create({ title: 'Second' })]
  const { name } = await snapshots.save({ project, automatic: true, command: 'docs update' })
  for (const { id } of [changed, both]) await posts.update(id, { title: 'Changed' })
  const made = await posts.create({ title: 'Made' })
  await client.collections.create({ name: 'drafts' })
  await client.collection('drafts').create({ title: 'Made' })
  await snapshots.finish({ project, snapshot: name })
  const id = await idOf(name)
  for (const part of ['documents', 'collections'] as const) {
    const table = part === 'documents' ? sql`documents` : sql`collections`
    await service.backend.db.query(
      sql`update ${effectsOf(id, part)} e set mark = md5(t::text) from ${table} t where t.id = e.key`,
    )
  }
  await posts.update(both.id, { title: 'Since' })

  const undone = await snapshots.undo({ project })

  expect(undone.documents).toMatchObject({ restored: 1, removed: 2, kept: [{ id: both.id }] })
  expect(undone.collections).toMatchObject({ removed: 1, keptCount: 0 })
  expect((await posts.get(changed.id)).data).toEqual({ title: 'First' })
  expect((await posts.get(both.id)).data).toEqual({ title: 'Since' })
  await expect(posts.get(made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('contract 11 documents that another project has are not loaded beside it, whatever their collection is called', async () => {
  const { snapshots, projects } = controlOf(service)
  await client.collection('posts').create({ title: 'First' })
  await snapshots.save({ project: service.project.id, name: 'demo' })
  const { id: project } = await projects.create({ name: 'other' })
  const { db } = service.backend
  const id = await idOf('demo')
  const collection = openIds()(new Date())
  await db.batch([
    sql`update snapshots set project_id = ${project} where id = ${id}`,
    sql`update ${keptIn(id, 'collections')} set id = ${collection}, project_id = ${project}`,
    sql`update ${keptIn(id, 'documents')} set collection_id = ${collection}`,
    sql`update ${keptIn(id, 'projects')} set id = ${project}`,
  ])

  await expect(snapshots.load({ project, snapshot: 'demo' })).rejects.toMatchObject({ code: 'FORBIDDEN' })

  expect(await client.collection('posts').count()).toBe(1)
})
