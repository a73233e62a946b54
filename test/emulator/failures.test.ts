/** How a 500 can be investigated: contract 10.6. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/dev.js'
import { type Databases, openDatabases } from '../fixtures/databases/shared-server.js'

let dir: string
let server: Databases
let emulator: Emulator

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-failures-'))
  server = await openDatabases()
  emulator = await startEmulator({ dir, databaseUrl: server.url })
})
afterAll(async () => {
  await emulator.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

it('contract 10.6 a 500 says where the log is, which has why under its request id', async () => {
  let said = ''
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('alter table svc.collections rename column name to title')

  const answer = await fetch(`${emulator.url}/collections`, { headers: { 'x-api-key': emulator.apiKey } })

  await client.query('alter table svc.collections rename column title to name')
  await client.end()
  writing.mockRestore()
  const id = answer.headers.get('x-request-id')
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  expect([answer.status, error.code]).toEqual([500, 'INTERNAL'])
  expect(error.message).toContain(`"${id}": standard error, and errors.log in the state folder.`)
  expect(error.message).not.toContain(dir)
  const lines = (await readFile(join(dir, 'errors.log'), 'utf8')).trim().split('\n')
  const entry = lines.map((line) => JSON.parse(line)).find(({ requestId }) => requestId === id)
  expect(entry).toMatchObject({ name: 'DatabaseError', code: '42703' })
  expect(said).toContain(`svc: failed (${id}): DatabaseError 42703`)
})
