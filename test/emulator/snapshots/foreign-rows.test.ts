/** Snapshots whose tables are not as this version fills them: rows that another project has. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { openIds } from '../../../emulator/core/ids.js'
import { sql } from '../../../emulator/database/port.js'
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
