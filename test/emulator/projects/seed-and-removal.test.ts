/** A seed whose collection is removed by another process while it is applied. Contract 11. */
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'

it('fails, rather than to tell of documents that it did not create', async () => {
  const server = await openDatabases()
  const emulator = await startEmulator({ memory: true, databaseUrl: server.url })
  const other = new pg.Client({ connectionString: server.url })
  await other.connect()
  const ask = (path: string, headers: Record<string, string>, body: string | FormData) =>
    fetch(emulator.url + path, { method: 'POST', headers, body })
  const json = { 'x-api-key': emulator.secretKey ?? '', 'content-type': 'application/json' }
  await ask('/collections', json, '{"name":"posts"}')
  await other.query('begin')
  await other.query(`with removed as (delete from svc.collections returning id)
    update svc.document_counts set is_removed = true where collection_id in (select id from removed)`)

  const form = new FormData()
  form.set('mode', 'fill')
  const steps = [
    { step: 'collection', name: 'posts' },
    { step: 'documents', documents: [{ data: { n: 1 } }] },
  ]
  form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
  const path = `/_svc/api/projects/${emulator.projectId}/seeds`
  const seeding = ask(path, { 'svc-control-token': emulator.controlToken }, form)
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await vi.waitUntil(async () => (await other.query(waiting)).rowCount === 1, patiently)
  await other.query('commit')

  const answer = await seeding
  expect([answer.status, answer.headers.get('svc-error-code')]).toEqual([404, 'NOT_FOUND'])
  await other.end()
  await emulator.close()
  await server.stop()
})
