/** A database that has lost what was committed last, as a restored backup has. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../client/index.js'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { resyncSubscribers } from '../../../emulator/serving/serve.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

it('has those who know what is lost read anew, once svc serve resync was run', async () => {
  const [database, backup] = [await server.newDatabase(), await server.newDatabase()]
  const before = await startEmulator({ memory: true, databaseUrl: database })
  await createClient(before).collections.create({ name: 'posts' })
  await before.close()
  await copyDatabase(database, backup)
  const losing = await startEmulator({ memory: true, databaseUrl: database })
  const known = await newestNumber(postsOf(losing), 5)
  await losing.close()

  expect(await resyncSubscribers({ databaseUrl: backup, databaseListenUrl: undefined })).toBe(1)
  const restored = await startEmulator({ memory: true, databaseUrl: backup })
  onTestFinished(() => restored.close())
  const posts = postsOf(restored)
  const titles = Array.from({ length: 6 }, (_, n) => `new ${n}`)
  // Enough to bring the numbers beyond the one that the client knows.
  for (const title of titles) await posts.create({ title })
  const received: unknown[] = []
  const subscription = posts.subscribe({
    since: known,
    onChange: ({ document }) => void received.push(document.data.title),
    onResync: () => void received.push('RESYNC'),
  })
  onTestFinished(() => subscription.close())
  await subscription.ready
  await posts.create({ title: 'after' })
  await expect.poll(() => received, patiently).toContain('after')
  // Also subscribers that are connected at the time.
  await resyncSubscribers({ databaseUrl: backup, databaseListenUrl: undefined })
  await posts.create({ title: 'last' })
  await expect.poll(() => received, patiently).toContain('last')

  // Whether earlier changes are received again does not matter.
  expect(received.filter((title) => !titles.includes(String(title)))).toEqual(['RESYNC', 'after', 'RESYNC', 'last'])
  expect(received[0]).toBe('RESYNC')
})

function postsOf({ url, apiKey }: { url: string; apiKey: string }) {
  return createClient<{ posts: { title: string } }>({ url, apiKey, transport: 'sse' }).collection('posts')
}

type Posts = ReturnType<typeof postsOf>

/** The number of the last of so many changes, as a subscriber receives it. */
async function newestNumber(posts: Posts, changes: number): Promise<number> {
  const numbers: number[] = []
  const subscription = posts.subscribe({ onChange: ({ seq }) => void numbers.push(seq) })
  await subscription.ready
  for (let n = 0; n < changes; n++) await posts.create({ title: `lost ${n}` })
  await expect.poll(() => numbers.length, patiently).toBe(changes)
  subscription.close()
  return numbers.at(-1) ?? 0
}

/** Copies a database without connections over another one. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const nameOf = (url: string) => new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: from.replace(/[^/]*$/, 'postgres') })
  await admin.connect()
  try {
    await admin.query(`drop database ${nameOf(to)}`)
    await admin.query(`create database ${nameOf(to)} template ${nameOf(from)}`)
  } finally {
    await admin.end()
  }
}
