/** How a 500 can be investigated: contract 10.6. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
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

it('ERR-03 contract 10.6 a 500 says where the log is, which has why under its request id', async () => {
  let said = ''
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    said += String(line)
    return true
  })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('alter table svc.collections rename column name to other_name')

  const answer = await fetch(`${emulator.url}/collections`, { headers: { 'x-api-key': emulator.apiKey } })

  await client.query('alter table svc.collections rename column other_name to name')
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

it('contract 10.6 the log has why a WebSocket handshake failed under the request id of its answer', async () => {
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('alter table svc.projects rename column settings to kept')

  // Whether a project allows the origin is looked up before the connection is one.
  const socket = new WebSocket(`${emulator.wsUrl}/realtime`, { origin: 'https://app.example' })
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const body = JSON.parse(await text(answer))

  await client.query('alter table svc.projects rename column kept to settings')
  await client.end()
  writing.mockRestore()
  const id = answer.headers['x-request-id']
  expect([answer.statusCode, answer.headers['svc-error-code']]).toEqual([500, 'INTERNAL'])
  expect(body.error.message).toContain(`"${id}": standard error, and errors.log in the state folder.`)
  const lines = (await readFile(join(dir, 'errors.log'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).requestId)).toContain(id)
})
