/** Requests that read, change or answer much wait for one another, and small ones pass them. Contract 10.10, decision 69. */
import { OutgoingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Sql, sql } from '../../../emulator/database/port.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { holdDatabase } from '../../fixtures/requests/incoming.js'
import { type Limited, startLimited } from '../../fixtures/requests/limited-service.js'

const large = 'x'.repeat(900_000)

/** A service with a large and a small document, and the most statements like this that were under way at once. */
async function aCountingService(isCounted: (statement: Sql) => boolean) {
  const service = await startLimited({})
  await service.send('POST', '/collections', { name: 'posts' })
  const [big, small] = await Promise.all([create(service, { text: large }), create(service, { text: 'small' })])
  const { db } = service.backend
  let atOnce = 0
  let most = 0
  const query: typeof db.query = async (statement) => {
    if (!isCounted(statement)) return db.query(statement)
    most = Math.max(most, ++atOnce)
    return db.query<never>(statement).finally(() => atOnce--)
  }
  Object.assign(service.backend, { db: { ...db, query } })
  return { service, big, small, most: () => most }
}

async function create({ send }: Limited, body: object): Promise<string> {
  const answer = await send('POST', '/collections/posts', body)
  return `/collections/posts/${((await answer.json()) as { id: string }).id}`
}

const isUpdate = ({ text }: Sql) => text.includes('update documents')
const isWholeRead = ({ text }: Sql) => text.includes('select d.id, d.data') && text.includes('from documents d where')
const isInsert = ({ text }: Sql) => text.includes('insert into documents')
const isPage = ({ text }: Sql) => text.includes('as counted')

it.each<[string, (statement: Sql) => boolean, (service: Limited, path: string) => Promise<Response>]>([
  ['changes of a large document', isUpdate, ({ send }, path) => send('PATCH', path, { n: 1 })],
  ['reads of a large document', isWholeRead, ({ send }, path) => send('GET', path)],
  ['large bodies', isInsert, ({ send }) => send('POST', '/collections/posts/batch', { documents: [{ text: large }] })],
  ['lists', isPage, ({ send }) => send('GET', '/collections/posts')],
])('contract 10.10 one of many %s is at work on the embedded database', async (_, isCounted, ask) => {
  const { service, big, most } = await aCountingService(isCounted)

  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(service, big)))

  expect(answers.map(({ ok }) => ok)).toEqual(Array(12).fill(true))
  expect(most()).toBe(1)
})

it('contract 10.10 a small document passes the large ones that wait for a place', async () => {
  const { service, big, small } = await aCountingService(() => false)
  const { longReads } = service.backend
  const place = await longReads.enter(['another project'])
  const waiting = service.send('GET', big)
  await expect.poll(() => longReads.waiting()).toBe(1)

  const answer = await service.send('PATCH', small, { n: 1 })

  expect([answer.status, longReads.waiting()]).toEqual([200, 1])
  place.leave()
  expect((await waiting).status).toBe(200)
})

it('contract 10.10 an address has its share of memory for work, and another has room at once', async () => {
  const { send, backend } = await startLimited({ memoryLimits: { maxWorkBytesPerAddress: 1 } })
  await send('POST', '/collections', { name: 'posts' })
  const { longReads } = backend
  const place = await longReads.enter(['another project'])
  const list = (address: string) => send('GET', '/collections/posts', undefined, { 'x-forwarded-for': address })
  const own = [list('192.0.2.1'), list('192.0.2.1'), list('192.0.2.1')]
  await expect.poll(() => longReads.waiting()).toBe(1)

  const other = list('192.0.2.2')
  // The first of each address waits for the place, the others for memory.
  await expect.poll(() => longReads.waiting()).toBe(2)

  place.leave()
  expect((await Promise.all([...own, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

it('contract 10.10 reserves memory for a page by the size of earlier pages', async () => {
  const { send, backend } = await startLimited({})
  for (const name of ['large', 'small']) await send('POST', '/collections', { name })
  for (let n = 0; n < 4; n++) await send('POST', '/collections/large', { text: large })
  await send('POST', '/collections/small', { text: 'small' })
  const list = (name: string, address: string) =>
    send('GET', `/collections/${name}`, undefined, { 'x-forwarded-for': address })
  for (const name of ['large', 'small']) await list(name, '192.0.2.1')
  const { longReads } = backend
  const place = await longReads.enter(['another project'])

  const pages = Array.from({ length: 4 }, () => list('large', '192.0.2.1'))
  await expect.poll(() => longReads.waiting()).toBe(1)
  pages.push(...Array.from({ length: 4 }, () => list('small', '192.0.2.2')))
  // One large page of its address, and all small ones of the other.
  await expect.poll(() => longReads.waiting()).toBe(5)

  place.leave()
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(Array(8).fill(200))
})

it('contract 10.10 reserves memory for a page by its populated records', async () => {
  const { send, backend } = await startLimited({})
  for (const name of ['large', 'linking']) await send('POST', '/collections', { name })
  const whole = ((await (await send('POST', '/collections/large', { text: large })).json()) as { id: string }).id
  const documents = Array.from({ length: 10 }, () => ({ whole }))
  await send('POST', '/collections/linking/batch', { documents })
  const list = () => send('GET', '/collections/linking?populate=whole')
  expect((await list()).status).toBe(200)
  const { longReads } = backend
  const place = await longReads.enter(['another project'])

  const pages = [list(), list(), list(), list()]

  await expect.poll(() => longReads.waiting()).toBe(1)
  // The others wait for memory. Small ones of the same address would be here by now.
  expect((await send('GET', '/collections')).status).toBe(200)
  expect(longReads.waiting()).toBe(1)
  place.leave()
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(Array(4).fill(200))
})

it('section 9 export: documents of which a page would be too large are exported, each once', async () => {
  const { send, backend } = await startLimited({})
  await send('POST', '/collections', { name: 'posts' })
  await send('POST', '/collections/posts', { text: large })
  // Small ones first, so that a page of many is read next.
  await backend.db.query(sql`
    insert into documents (id, collection_id, data, created_at, updated_at)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, collection_id,
      case when n <= 40 then '{"text": "small"}' else data end, created_at, updated_at
    from documents, generate_series(1, 99) as n`)
  const stored = await backend.db.query<{ id: string; length: number }>(
    sql`select id, length(data ->> 'text') as length from documents order by id`,
  )

  const answer = await send('GET', '/collections/posts/export')

  expect(answer.status).toBe(200)
  const rows = (await answer.json()) as { id: string; text: string }[]
  expect(rows.map(({ id, text }) => ({ id, length: text.length }))).toEqual(stored)
})

it('contract 10.10 counts the bytes of a large answer once while it is written, and once when it is sent', async () => {
  const { service, big } = await aCountingService(() => false)
  const byteLength = vi.spyOn(Buffer, 'byteLength')
  onTestFinished(() => byteLength.mockRestore())

  await (await service.send('GET', big)).text()

  const counted = byteLength.mock.calls.filter(([text]) => String(text).length > 100_000)
  expect(counted.length).toBeLessThanOrEqual(2)
})

it('contract 10.10 writes a large change to a few streams per turn', async () => {
  const { service, big } = await aCountingService(() => false)
  const streams = await Promise.all(
    Array.from({ length: 12 }, () => openEvents(service.url, '/realtime/sse/posts', { 'x-api-key': service.apiKey })),
  )
  let inOneTurn = 0
  let most = 0
  const { write } = OutgoingMessage.prototype
  const spy = vi.spyOn(OutgoingMessage.prototype, 'write').mockImplementation(function (this: OutgoingMessage, chunk) {
    if (chunk.length > 500_000) most = Math.max(most, ++inOneTurn)
    return write.call(this, chunk, 'utf8')
  })
  onTestFinished(() => spy.mockRestore())
  let isOver = false
  const turns = (async () => {
    while (!isOver) {
      inOneTurn = 0
      await nextTurn()
    }
  })()

  await (await service.send('PATCH', big, { n: 1 })).text()
  for (const stream of streams) await stream.atLeast(1)
  isOver = true
  await turns

  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(6)
  for (const stream of streams) stream.close()
})

it('contract 10.10 a caller passes the queue of another for transactions', async () => {
  const service = await startLimited({})
  await service.send('POST', '/collections', { name: 'posts' })
  const path = await create(service, { text: 'small' })
  const { backend } = service
  const { db } = backend
  let committed = 0
  const transaction: typeof db.transaction = (work) => db.transaction(work).finally(() => committed++)
  Object.assign(backend, { db: { ...db, transaction } })
  const arrived: string[] = []
  let committedBefore = 0
  service.server.prependListener('request', ({ method = '' }) => {
    arrived.push(method)
    if (method === 'GET') committedBefore = committed
  })
  const letGo = await holdDatabase(service)
  const many = Array.from({ length: 200 }, (_, n) =>
    service.send('POST', '/collections/posts', { n }, { 'idempotency-key': String(n), 'x-forwarded-for': '192.0.2.1' }),
  )
  await expect.poll(() => arrived.length).toBe(200)

  const other = service.send('GET', path, undefined, { 'x-forwarded-for': '192.0.2.2' })
  await expect.poll(() => arrived).toContain('GET')
  letGo()

  expect((await other).status).toBe(200)
  expect(committed - committedBefore).toBeLessThan(20)
  expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([201]))
})
