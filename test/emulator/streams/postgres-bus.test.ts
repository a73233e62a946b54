/** Tests messages between processes over PostgreSQL, also after a connection broke. Contract 9.4. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import type { Bus, Message } from '../../../emulator/ports/bus/port.js'
import { openPostgresBus } from '../../../emulator/ports/bus/postgres-bus.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'

let server: Databases
let db: Database
beforeAll(async () => {
  server = await openDatabases()
  db = await openPostgres({ url: server.url })
})
afterAll(async () => {
  await db.close()
  await server.stop()
})

/** Runs a statement on its own connection. */
async function ask<Row>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

/** Collects messages of a bus from now on. */
function receivedBy(bus: Bus): Message[] {
  const received: Message[] = []
  const keep = (message: Message) => void received.push(message)
  bus.subscribe({ changes: keep, identity: keep, settings: keep })
  return received
}

const listening =
  "select pid from pg_stat_activity where application_name = 'svc realtime' and datname = current_database()"

it('contract 9.4 a bus whose connection broke receives again what others write', async () => {
  const open = () => openPostgresBus({ url: server.url, db, report: () => undefined })
  const [writer, reader] = [await open(), await open()]
  const received = receivedBy(reader)
  const before = await ask<{ pid: number }>(listening)

  await ask(`select pg_terminate_backend(pid) from (${listening}) as others`)
  await vi.waitFor(async () => {
    const now = await ask<{ pid: number }>(listening)
    expect(now.filter(({ pid }) => !before.some((other) => other.pid === pid))).toHaveLength(2)
  }, patiently)

  // Not by polling: then it would not know whose changes these are. Both may still be about to listen.
  await vi.waitFor(() => {
    writer.publish([{ kind: 'changes', project: 'project', seq: 1 }])
    expect(received).toContainEqual({ kind: 'changes', project: 'project', seq: 1 })
  }, patiently)
  await Promise.all([writer.close(), reader.close()])
})

it('contract 9.4 a bus whose server says nothing while it begins to listen connects anew', async () => {
  const to = new URL(server.url)
  let silences = 0
  const links = new Set<Socket>()
  const proxy = createServer((link) => {
    const onward = connect(Number(to.port), to.hostname)
    links.add(link)
    link.on('data', (bytes) => {
      if (silences === 0 || !bytes.includes('listen ')) return void onward.write(bytes)
      silences--
      link.removeAllListeners('data').resume()
    })
    onward.on('data', (bytes) => link.write(bytes))
    for (const end of [link, onward])
      end.on('error', () => undefined).on('close', () => [link, onward].map((each) => each.destroy()))
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const url = Object.assign(new URL(server.url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }).href
  const reader = await openPostgresBus({ url, db, report: () => undefined })
  const received = receivedBy(reader)
  silences = 1

  for (const link of links) link.destroy()

  await vi.waitFor(() => expect(silences).toBe(0), patiently)
  const writer = await openPostgresBus({ url: server.url, db, report: () => undefined })
  await vi.waitFor(() => {
    writer.publish([{ kind: 'changes', project: 'project', seq: 1 }])
    expect(received).toContainEqual({ kind: 'changes', project: 'project', seq: 1 })
  }, patiently)
  await Promise.all([writer.close(), reader.close()])
  proxy.close()
})

it('a bus whose server turns out to be a standby connects again', async () => {
  const bus = await openPostgresBus({ url: server.url, db, report: (error) => expect.fail(String(error)) })
  onTestFinished(() => bus.close())
  const [before] = await ask<{ pid: number }>(listening)

  // For this connection alone, in a database of this test.
  await ask(`create or replace function pg_catalog.pg_is_in_recovery() returns boolean
    language sql as 'select pg_backend_pid() = ${before?.pid}'`)

  await expect
    .poll(async () => (await ask<{ pid: number }>(listening)).map(({ pid }) => pid === before?.pid), patiently)
    .toEqual([false])
})

it('each connection asks an idle server after seconds whether it is there, also those that wait for long', async () => {
  const delays: unknown[] = []
  const spy = vi.spyOn(Socket.prototype, 'setKeepAlive').mockImplementation(function (this: Socket, isOn, delay) {
    delays.push([isOn, delay])
    return this
  })

  const bus = await openPostgresBus({ url: server.url, db, report: () => undefined })
  await db.query({ text: 'select 1', values: [], patient: true })

  spy.mockRestore()
  await bus.close()
  expect(delays.length).toBeGreaterThan(1)
  expect(new Set(delays.map(String))).toEqual(new Set(['true,10000']))
})

it('a message that is too long for a notification reaches the others as one of any project', async () => {
  const failures: unknown[] = []
  const open = () => openPostgresBus({ url: server.url, db, report: (error) => failures.push(error) })
  const [writer, reader] = [await open(), await open()]
  const received = receivedBy(reader)

  writer.publish([{ kind: 'changes', project: 'ü'.repeat(4_000), seq: 7 }, { kind: 'identity' }])

  await vi.waitFor(() => expect(received).toContainEqual({ kind: 'identity' }), patiently)
  expect(received).toContainEqual({ kind: 'changes', project: null, seq: null })
  expect(failures).toEqual([])
  await Promise.all([writer.close(), reader.close()])
})

it('a bus that cannot be opened does not go on trying', async () => {
  let count = 0
  const refusing = createServer((socket) => {
    count++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  onTestFinished(() => void refusing.close())
  const { port } = refusing.address() as AddressInfo
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())

  await expect(openPostgresBus({ url: `postgres://127.0.0.1:${port}/none`, db, report: () => {} })).rejects.toThrow()
  await vi.advanceTimersByTimeAsync(1_000)

  // Connections arrive in order.
  await once(connect(port, '127.0.0.1'), 'close')
  expect(count).toBe(2)
})

it('of a message that a bus does not know, anything may be true', async () => {
  const bus = await openPostgresBus({ url: server.url, db, report: () => undefined })
  const received = receivedBy(bus)

  await ask(`select pg_notify('svc_messages', 'other {"kind":"of tomorrow"}')`)

  await vi.waitFor(() => expect(received).toContainEqual({ kind: 'settings' }), patiently)
  expect(received).toContainEqual({ kind: 'identity' })
  await bus.close()
})

it('contract 9.4 a bus that lost its connection says that anything may have been written meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const bus = await openPostgresBus({ url: server.url, db, report: () => undefined })
  vi.useRealTimers()
  const received = receivedBy(bus)

  await ask(`select pg_terminate_backend(pid) from (${listening}) as others`)

  await vi.waitFor(
    () => expect(received.map(({ kind }) => kind)).toEqual(['settings', 'identity', 'changes']),
    patiently,
  )
  await bus.close()
})

it('a change of settings or identities is published once every other process has received it', async () => {
  const open = () => openPostgresBus({ url: server.url, db, report: (error) => expect.fail(String(error)) })
  const buses = [await open(), await open(), await open()]
  onTestFinished(() => Promise.all(buses.map((bus) => bus.close())).then(() => undefined))
  const received = buses.slice(1).map(receivedBy)
  // It waits for no longer than 250 ms, which a busy machine may take.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())

  for (let round = 1; round <= 20; round++) {
    await buses[0]?.publish([
      { kind: 'settings' },
      { kind: 'changes', project: 'project', seq: round },
      { kind: 'identity' },
    ])

    for (const messages of received) {
      expect(messages.filter(({ kind }) => kind === 'settings')).toHaveLength(round)
      expect(messages.filter(({ kind }) => kind === 'identity')).toHaveLength(round)
    }
  }
})

it('a process that listens and does not answer holds nothing up for long', async () => {
  const bus = await openPostgresBus({ url: server.url, db, report: () => undefined })
  const silent = new pg.Client({ connectionString: server.url, application_name: 'svc realtime' })
  await silent.connect()
  onTestFinished(() => silent.end())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const isWaiting = () => waits.mock.calls.some(([, milliseconds]) => milliseconds === 250)
  let isPublished = false

  const publishing = bus.publish([{ kind: 'settings' }]).then(() => (isPublished = true))
  // Polling of vitest would move the clock.
  for (let tries = 0; tries < 100 && !isWaiting(); tries++) await ask('select')
  expect(isWaiting()).toBe(true)
  vi.advanceTimersByTime(249)
  await ask('select')
  expect(isPublished).toBe(false)
  vi.advanceTimersByTime(1)
  await publishing

  await bus.close()
})
