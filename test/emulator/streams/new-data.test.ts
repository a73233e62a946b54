/** Numbers of changes in data that are made anew behind the same key. Contract 9.4 and 11. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Config, type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'

let dir: string
let emulator: Emulator | undefined
let asked = 0
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'svc-new-data-')), 'state')
})
afterEach(async () => {
  await emulator?.close()
  emulator = undefined
  await rm(join(dir, '..'), { recursive: true, force: true })
})

/** In the place of the one before, with so many documents in `posts`. */
async function startWith(documents: readonly string[], options: Partial<Config>) {
  await emulator?.close()
  emulator = await startEmulator({ dir, ...options })
  const { url, apiKey } = emulator
  const client = createClient<{ posts: { title: string } }>({ url, apiKey })
  const posts = client.collection('posts')
  const isNew = !(await client.collections.list()).some(({ name }) => name === 'posts')
  if (isNew) await client.collections.create({ name: 'posts' })
  await posts.createMany(documents.map((title) => ({ title })))
  /** Resumes at that number over both transports, and returns the messages and the new number. */
  async function told(since: number) {
    const socket = await openAuthenticated(url, apiKey, 'a')
    await socket.ask({ type: 'subscribe', collection: 'posts', since })
    const headers = { 'x-api-key': apiKey, 'last-event-id': String(since) }
    const stream = await openEvents(url, '/realtime/sse/posts?dialect=a', headers)
    const title = `last of ${++asked}`
    await posts.create({ title })
    const all = () => [socket, stream].map(({ heard }) => heard.filter(({ event, code }) => event || code))
    const titles = () => all().map((heard) => heard.map((one) => one.code ?? titleOf(one)))
    await expect.poll(() => titles().every((heard) => heard.includes(title))).toBe(true)
    const newest = Number(all()[0]?.at(-1)?.seq)
    socket.close()
    stream.close()
    expect(titles()[1]).toEqual(titles()[0])
    return { heard: titles()[0]?.map((one) => String(one).replace(/^last of .*/, 'last')), newest }
  }
  return { apiKey, told }
}

function titleOf({ document }: Record<string, unknown>): unknown {
  return (document as { data: { title: unknown } }).data.title
}

const documents = ['one', 'two', 'three']

it.each(['memory', 'fresh'] as const)(
  'contract 9.4 a number of former data is none of the next ones with --%s, and 0 is before all of these',
  async (option) => {
    const first = await startWith(documents, { [option]: true })
    const { newest } = await first.told(0)
    expect(newest).toBe(4)

    // As many changes, then more of them, then fewer.
    for (const titles of [documents, [...documents, 'four', 'five'], []]) {
      const next = await startWith(titles, { [option]: true })
      expect(next.apiKey).toBe(first.apiKey)
      expect((await next.told(newest)).heard).toEqual(['RESYNC', 'last'])
      const fromZero = await next.told(0)
      expect(fromZero.heard).toEqual([...titles, 'last', 'last'])
      expect((await next.told(fromZero.newest)).heard).toEqual(['last'])
      expect(fromZero.newest).toBeGreaterThan(newest)
    }
  },
)

it('contract 9.4 data that stay keep their numbers, whatever ran behind the same key meanwhile', async () => {
  const { newest } = await (await startWith(documents, {})).told(0)
  const { newest: other } = await (await startWith(documents, { memory: true })).told(0)

  const again = await startWith([], {})

  expect((await again.told(newest)).heard).toEqual(['last'])
  expect((await again.told(other)).heard).toEqual(['RESYNC', 'last'])
})

it('contract 9.4 another database behind the same key has numbers of its own', async () => {
  const server = await openDatabases()
  const { newest } = await (await startWith(documents, { databaseUrl: server.url })).told(0)

  const titles = [...documents, 'four', 'five']
  const other = await startWith(titles, { databaseUrl: await server.newDatabase() })

  expect((await other.told(newest)).heard).toEqual(['RESYNC', 'last'])
  const { heard, newest: reached } = await other.told(0)
  expect(heard).toEqual([...titles, 'last', 'last'])
  expect((await other.told(reached)).heard).toEqual(['last'])
  await emulator?.close()
  emulator = undefined
  await server.stop()
})
