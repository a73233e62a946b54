/** Bytes of an upload and the commit that adopts them: whatever fails in between, no row is left without its bytes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'
import { type CuttingProxy, cuttingProxy } from '../../fixtures/proxies/cutting-proxy.js'

let dir: string
let server: Databases
let line: CuttingProxy
let direct: pg.Client
let emulator: Emulator

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-outcome-'))
  server = await openDatabases()
  line = await cuttingProxy(server.url)
  const databaseUrl = server.url.replace(/:\d+\//, `:${new URL(line.url).port}/`)
  emulator = await startEmulator({ dir, databaseUrl })
  direct = new pg.Client({ connectionString: server.url })
  await direct.connect()
  await direct.query('set search_path = svc, public')
  await post('/collections', JSON.stringify({ name: 'posts' }), { 'content-type': 'application/json' })
})
afterEach(async () => {
  await emulator.close()
  await direct.end()
  await line.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

function post(path: string, body: string | FormData, headers: Record<string, string> = {}) {
  return fetch(emulator.url + path, { method: 'POST', headers: { 'x-api-key': emulator.apiKey, ...headers }, body })
}

function aForm(): FormData {
  const form = new FormData()
  form.set('data', '{"title": "with a picture"}')
  form.set('picture', new Blob(['bytes that must stay']), 'picture.png')
  return form
}

/** The commit of a transaction that inserts a file waits for a lock, as one over a slow network is late. */
async function holdUpCommits(): Promise<void> {
  await direct.query(`
    create function held() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(4711); return null; end $$`)
  await direct.query(`
    create constraint trigger held after insert on files deferrable initially deferred
    for each row execute function held()`)
  await direct.query('select pg_advisory_lock(4711)')
}

async function waiting(): Promise<number> {
  const { rows } = await direct.query(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return rows[0].n
}

it('contract 3.4 a commit whose connection broke, and which goes through after that, keeps the bytes of its file', async () => {
  await holdUpCommits()
  const posting = post('/collections/posts', aForm())
  await vi.waitUntil(async () => (await waiting()) === 1, patiently)

  line.cut()
  let answered = false
  const status = posting.then((answer) => {
    answered = true
    return answer.status
  })
  // A query for the rows sent too early finds none: it has to wait for the open commit.
  await vi.waitUntil(async () => answered || (await waiting()) === 2, patiently)
  await direct.query('select pg_advisory_unlock(4711)')

  expect(await status).toBe(503)
  const list = await fetch(`${emulator.url}/collections/posts`, { headers: { 'x-api-key': emulator.apiKey } })
  const { documents } = (await list.json()) as { documents: { data: { picture: string } }[] }
  expect(documents).toHaveLength(1)
  const file = await fetch(documents[0]?.data.picture ?? '')
  expect([file.status, await file.text()]).toEqual([200, 'bytes that must stay'])
})
