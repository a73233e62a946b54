/** A transfer of a document while another process writes it, on PostgreSQL. Decision 71. */
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { transferDocument } from '../../../emulator/core/documents/door.js'
import { sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { selectChanges } from '../../../emulator/store/realtime/changes.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'

it('decision 71 a transfer that waits for a write records what that has written as what was before', async () => {
  const server = await openDatabases()
  const service = await openService({ ...defaultConfig, memory: true, databaseUrl: server.url })
  const other = await openPostgres({ url: server.url })
  onTestFinished(async () => {
    await other.close()
    await service.close()
    await server.stop()
  })
  const { backend, project } = service
  const client = createClient<{ posts: { n: number } }>(service)
  await client.collections.create({ name: 'posts' })
  const { id } = await client.collection('posts').create({ n: 1 })
  const waiting = async () =>
    (
      await other.query<{ n: number }>(sql`
        select count(*)::int as n from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`)
    )[0]?.n

  let transferring: Promise<unknown> = Promise.resolve()
  await other.transaction(async (tx) => {
    await tx.query(sql`update documents set data = '{"n": 2}', version = version + 1 where id = ${id} returning id`)
    transferring = transferDocument(backend, { project: project.id, collection: 'posts', document: id }, null)
    await expect.poll(waiting).toBe(1)
  })
  await transferring

  const { changes } = await selectChanges(backend.db, { project: project.id, after: 0 })
  const [last] = changes.slice(-1)
  expect(last).toMatchObject({ kind: 'updated', document: { id, version: 3 } })
  expect(last && 'before' in last && JSON.parse(last.before?.data.text ?? '')).toEqual({ n: 2 })
})
