/** `kill -9` of an emulator at work: what it acknowledged is there after the next start, whole and once. `npm run full` kills more often. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { type Devs, killed, openDevs } from '../fixtures/dev.js'
import { contendingClient, createContended, nothingWrong, openContention } from '../fixtures/kills/contended-writes.js'
import { killAgainAndAgain } from '../fixtures/kills/under-writes.js'
import { aSubscriber, overEventStream, overWebSocket, type Subscriber } from '../fixtures/realtime/subscriber.js'
import { askerOf } from '../fixtures/requests/ask.js'
import { isFull } from '../fixtures/scope.js'

/** With one kill, whatever is lost at each of them is lost already. */
const kills = isFull ? 3 : 1
const timeout = 600_000 + kills * 120_000

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

it('loses no update and no deletion, and numbers and counts are exact', {
  timeout: 600_000 + 20 * 120_000,
}, async () => {
  const { acknowledged, deleted, wrong, different, gaps, counts } = await killAgainAndAgain(devs, isFull ? 20 : 1)

  expect({ wrong, different, gaps }).toEqual({ wrong: [], different: [], gaps: [] })
  expect(counts).toEqual({ found: counts.found, total: counts.found, counted: counts.found })
  expect(Math.min(counts.found, deleted, acknowledged - deleted)).toBeGreaterThan(0)
})

/** What the writers have to run into, so that the checks mean something. */
const refusals = ['DUPLICATE_VALUE', 'DOCUMENT_IN_USE']

it('contract 13.2, 13.3 lets no two documents have a value, and no link dangle', { timeout }, async () => {
  const contention = openContention()
  for (let cycle = 0; cycle <= kills; cycle++) {
    const { child, ...dev } = await devs.start('--data', join(devs.folder, 'contended'))
    const client = contendingClient(dev)
    if (cycle === 0) await createContended(client)
    else expect(await contention.find(client)).toEqual(nothingWrong)
    if (cycle === kills) break

    const stop = contention.start(() => [client])
    const { deleteBoard = 0 } = contention.acknowledged
    await expect.poll(() => contention.acknowledged.deleteBoard ?? 0).toBeGreaterThan(deleteBoard + 15)
    await expect.poll(() => Object.keys(contention.refused)).toEqual(expect.arrayContaining(refusals))
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await Promise.all([died, stop()])
  }
})

const batchSize = 20

interface Entry {
  readonly mark: string
  readonly batch?: string
  readonly edit?: number
}

async function startWithEntries() {
  const { child, url, apiKey } = await devs.start('--data', join(devs.folder, 'batches'))
  const client = createClient<{ entries: Entry }>({ url, apiKey, retry: { attempts: 1 } })
  return { child, client, entries: client.collection('entries') }
}

it('has each batch whole or not at all', { timeout }, async () => {
  /** Marks by document id: what must exist, with the last acknowledged and the last attempted edit. */
  const acknowledged = new Map<string, { mark: string; edited: number; attempted: number }>()

  for (let cycle = 0; cycle <= kills; cycle++) {
    const { child, client, entries } = await startWithEntries()
    if (cycle === 0) await client.collections.create({ name: 'entries' })
    await check(entries)
    if (cycle === kills) break

    let isOver = false
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; !isOver; turn++) {
        const mark = `${cycle}-${writer}-${turn}`
        try {
          const created = await entries.create({ mark })
          const kept = { mark, edited: 0, attempted: 1 }
          acknowledged.set(created.id, kept)
          await entries.update(created.id, { edit: 1 })
          kept.edited = 1
          if (turn % 5 > 0) continue
          const batch = Array.from({ length: batchSize }, (_, at) => ({ mark: `${mark}-${at}`, batch: mark }))
          for (const { id, data } of await entries.createMany(batch)) {
            acknowledged.set(id, { mark: data.mark, edited: 0, attempted: 0 })
          }
        } catch (error) {
          if (!isOver) throw error
        }
      }
    })
    await pause(300 + Math.random() * 1_200)
    // A machine that is busy with other things has written little by then.
    await expect.poll(() => acknowledged.size).toBeGreaterThan((cycle + 1) * 20)
    isOver = true
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await died
    await Promise.all(writing)
  }

  async function check(entries: Awaited<ReturnType<typeof startWithEntries>>['entries']) {
    const found = new Map<string, Entry>()
    for await (const { id, data } of entries.iterate()) found.set(id, data)
    const missing = [...acknowledged].filter(([id, { mark }]) => found.get(id)?.mark !== mark)
    expect(missing).toEqual([])
    const stale = [...acknowledged].filter(([id, { edited, attempted }]) => {
      const edit = found.get(id)?.edit ?? 0
      return edit < edited || edit > attempted
    })
    expect(stale).toEqual([])
    const sizes = new Map<string, number>()
    for (const { batch } of found.values()) if (batch) sizes.set(batch, (sizes.get(batch) ?? 0) + 1)
    expect([...sizes.values()].filter((size) => size !== batchSize)).toEqual([])
    expect(await entries.count()).toBe(found.size)
  }
})

interface Row {
  readonly id: string
  readonly data: { readonly cover?: string }
}

it('has each file whole, and no other', { timeout }, async () => {
  let acknowledged = 0

  for (let cycle = 0; cycle <= kills; cycle++) {
    const { child, url, apiKey } = await devs.start('--data', join(devs.folder, 'with-files'))
    const ask = async (method: string, path: string, body?: FormData | string) => {
      const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
      const answer = await fetch(url + path, { method, headers: { 'x-api-key': apiKey, ...type }, body })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
      return answer.json()
    }
    if (cycle === 0) await ask('POST', '/collections', '{"name":"posts"}')
    await checkFiles(url, ask)
    if (cycle === kills) break

    let isOver = false
    const writing = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        try {
          const { id } = (await ask('POST', '/collections/posts', aForm())) as Row
          acknowledged++
          await ask('PATCH', `/collections/posts/${id}`, aForm())
          if (Math.random() < 0.3) await ask('DELETE', `/collections/posts/${id}`)
        } catch (error) {
          if (!isOver) throw error
        }
      }
    })
    const enough = acknowledged + 6
    await expect.poll(() => acknowledged).toBeGreaterThanOrEqual(enough)
    await pause(Math.random() * 1_000)
    isOver = true
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await died
    await Promise.all(writing)
  }

  expect(acknowledged).toBeGreaterThan(kills * 5)
})

/** A file whose content names its length. */
function aForm(): FormData {
  const bytes = randomBytes(1_000 + Math.floor(Math.random() * 300_000))
  bytes.writeUInt32LE(bytes.length)
  const form = new FormData()
  form.append('cover', new File([bytes], 'a.bin'))
  return form
}

async function checkFiles(url: string, ask: (method: string, path: string) => Promise<unknown>): Promise<void> {
  const addresses: string[] = []
  for (let offset = 0; ; offset += 100) {
    const { documents } = (await ask('GET', `/collections/posts?limit=100&offset=${offset}`)) as { documents: Row[] }
    addresses.push(...documents.flatMap(({ data }) => data.cover ?? []))
    if (documents.length < 100) break
  }
  const broken: string[] = []
  for (const address of addresses) {
    const answer = await fetch(url + new URL(address).pathname)
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200 || bytes.readUInt32LE() !== bytes.length) broken.push(`${answer.status} ${address}`)
  }
  expect(broken).toEqual([])
  const wanted = addresses.map((address) => new URL(address).pathname.split('/')[2]).sort()
  while ((await filesOnDisk()).length > wanted.length) await pause(25)
  expect(await filesOnDisk()).toEqual(wanted)
  expect(await ask('GET', '/storage/info')).toMatchObject({ files: wanted.length })
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(devs.folder, 'with-files', 'files'), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])
  return entries.flatMap((entry) => (entry.isFile() ? entry.name : [])).sort()
}

it('contract 6.8 no mail that an answer promised is lost with the process', async () => {
  const [email, password] = ['ada@example.com', 'Correct4Horse']
  const data = join(devs.folder, 'with-mails')
  const startDev = async () => {
    const { child } = await devs.start('--data', data)
    const { projectId, ...info } = JSON.parse(await readFile(join(data, 'emulator.json'), 'utf8'))
    return { child, projectId, ask: askerOf(info) }
  }
  const { child, ask, projectId } = await startDev()
  const token = String((await ask('POST', '/auth-collections/signup', { email, password })).body.token)
  await ask('PATCH', `/_svc/api/projects/${projectId}`, { settings: { require2fa: true } })

  const promised = await Promise.all([
    ask('POST', '/auth/request-password-reset', { email }),
    ask('POST', '/auth/request-verification', {}, token),
    ask('POST', '/auth-collections/login', { email, password }),
  ])
  await killed(child)

  const { body } = await (await startDev()).ask('GET', '/_svc/api/mail')
  const found = (body.mails as { subject: string }[]).map(({ subject }) => subject)
  expect(promised.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(found).toHaveLength(3)
  for (const subject of ['Reset', 'Verify', 'login']) expect(found.join()).toContain(subject)
})

it('contract 9.4 costs a subscriber no event', { timeout }, async () => {
  const acknowledged = new Set<number>()
  let attempted = 0
  let subscribers: readonly Subscriber[] = []

  for (let start = 0; start <= kills; start++) {
    const { child, ...dev } = await devs.start('--data', join(devs.folder, 'with-subscribers'))
    const target = { ...dev, collection: 'posts' }
    const client = createClient<{ posts: { n: number } }>({ ...dev, retry: { attempts: 1 } })
    if (start === 0) {
      await client.collections.create({ name: 'posts' })
      subscribers = await Promise.all([aSubscriber(overWebSocket, target), aSubscriber(overEventStream, target)])
    } else {
      await Promise.all(subscribers.map(({ reconnect }) => reconnect(target)))
    }
    if (start === kills) {
      const { total } = await client.collection('posts').list({ limit: 1 })
      await Promise.all(subscribers.map(({ untilHeard }) => untilHeard(Number(total))))
      break
    }

    const writing = Promise.all(Array.from({ length: 8 }, () => writeUntilItDies(client)))
    const [first] = subscribers
    await first?.untilHeard(first.heard.length + 200)
    const died = once(child, 'exit')
    child.kill('SIGKILL')
    await Promise.all([died, writing, ...subscribers.map(({ connection }) => connection.closed)])
  }

  for (const { heard } of subscribers) {
    const written = heard.map(({ document }) => Number(document.data.n))
    expect(new Set(written).size).toBe(written.length)
    expect([...acknowledged].filter((n) => !written.includes(n))).toEqual([])
    const numbers = heard.map(({ seq }) => seq)
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
  }
  await Promise.all(subscribers.map(({ stop }) => stop()))

  async function writeUntilItDies(client: ReturnType<typeof createClient<{ posts: { n: number } }>>) {
    for (;;) {
      const n = attempted++
      try {
        await client.collection('posts').create({ n })
        acknowledged.add(n)
      } catch {
        return
      }
    }
  }
})
