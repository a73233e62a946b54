/** Changes are not kept for ever: a subscriber that asks for deleted ones receives RESYNC. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openPglite } from '../../../emulator/database/pglite/pglite.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'

const folder = await mkdtemp(join(tmpdir(), 'svc-kept-'))
const dir = join(folder, 'state')
let emulator: Emulator

/** Ten documents were created, and only the changes of the last five are left. */
beforeAll(async () => {
  const first = await startEmulator({ dir })
  await createClient(first).collections.create({ name: 'posts' })
  const posts = createClient(first).collection('posts')
  for (let n = 1; n <= 10; n++) await posts.create({ n })
  await first.close()
  const db = await openPglite({ dataDir: join(dir, 'data') })
  const later = new Date(Date.now() + 60_000).toISOString()
  expect(await deleteOldChanges(db, { before: later, kept: 5, most: 1_000 })).toBe(5)
  await db.close()
  emulator = await startEmulator({ dir })
})
afterAll(async () => {
  await emulator.close()
  await rm(folder, { recursive: true, force: true })
})

/** Collects the changes after that number, and a new one, over a socket and a stream of server-sent events. */
async function heardSince(since: number, count: number) {
  const socket = await openAuthenticated(emulator.url, emulator.apiKey, 'a')
  socket.say({ type: 'subscribe', collection: 'posts', since })
  await socket.atLeast(2)
  const headers = { 'x-api-key': emulator.apiKey, 'last-event-id': String(since) }
  const stream = await openEvents(emulator.url, '/realtime/sse/posts', headers)
  await createClient(emulator).collection('posts').create({ n: 'new' })
  // The socket receives the end of the replay too.
  const received = (await socket.atLeast(count + 3)).slice(2).filter(({ type }) => type !== 'live')
  const messages = [received, await stream.atLeast(count)]
  socket.close()
  stream.close()
  return messages.map((heard) =>
    heard.map(({ code, document }) => code ?? (document as { data: { n: unknown } }).data.n),
  )
}

it('contract 9.4 a "since" whose changes are gone is RESYNC, and the stream goes on from now', async () => {
  expect(await heardSince(4, 2)).toEqual([
    ['RESYNC', 'new'],
    ['RESYNC', 'new'],
  ])
})

it('contract 9.4 a "since" just before the oldest change that is kept is whole', async () => {
  const expected = [6, 7, 8, 9, 10, 'new', 'new']
  expect(await heardSince(5, 7)).toEqual([expected, expected])
})

it('contract 9.4 what is kept has no gaps, whatever the clocks of the writers said', async () => {
  const dir = join(folder, 'clocks')
  for (const ahead of [120_000, 0]) {
    const writer = await startEmulator({ dir, now: () => new Date(Date.now() + ahead) })
    if (ahead > 0) await createClient(writer).collections.create({ name: 'posts' })
    for (let n = 1; n <= 5; n++) await createClient(writer).collection('posts').create({ n, ahead })
    await writer.close()
  }
  const db = await openPglite({ dataDir: join(dir, 'data') })
  const deleted = await deleteOldChanges(db, {
    before: new Date(Date.now() + 60_000).toISOString(),
    kept: 2,
    most: 1_000,
  })
  await db.close()
  const reader = await startEmulator({ dir })

  const socket = await openAuthenticated(reader.url, reader.apiKey, 'a')
  socket.say({ type: 'subscribe', collection: 'posts', since: 2 })
  await socket.atLeast(3)
  await socket.ask({ type: 'ping' })
  const numbers = socket.heard.flatMap(({ type, seq }) => (typeof seq === 'number' && type !== 'live' ? seq : []))

  // The first five are of later than the bound, so nothing behind them goes either.
  expect(deleted).toBe(0)
  expect(numbers).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
  socket.close()
  await reader.close()
})
