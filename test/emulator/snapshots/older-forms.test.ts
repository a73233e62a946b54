/** Snapshots whose tables are not as this version fills them. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/config.js'
import { sql } from '../../../emulator/database/port.js'
import { openService, type Service } from '../../../emulator/open-service.js'
import { effectsOf } from '../../../emulator/store/snapshots/effects.js'
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
