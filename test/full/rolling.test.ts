/**
 * Two hosts of `svc serve` on one PostgreSQL and one bucket, behind HAProxy, are replaced one after the other as the guide for operators
 * says, while clients write, read and subscribe: no request fails that its client does not repeat by itself, everything acknowledged is
 * there, and everybody receives each event once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { type Balancer, balancerMissing, startBalancer } from '../fixtures/balancer.js'
import { freePort } from '../fixtures/databases/postgres.js'
import { byNumber, counted, type Entry, emptyLedger, type Ledger, listen, upload } from '../fixtures/ledger.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

const rounds = 3
const writers = 6

type Owner = Client<{ entries: Entry }>

describe.skipIf(balancerMissing !== undefined)(balancerMissing ?? 'hosts that are replaced under load', () => {
  let world: ServeWorld
  let balancer: Balancer
  let starts: readonly (() => Promise<Serving>)[]
  let servings: Serving[]

  beforeAll(async () => {
    world = await openServeWorld()
    const [app, admin] = [
      [await freePort(), await freePort()],
      [await freePort(), await freePort()],
    ]
    // One host with two workers and one with a single process, and a delay that is longer than HAProxy takes to look.
    const start = (at: number, workers: string) => () => {
      const ports = ['--port', String(app[at]), '--admin-port', String(admin[at])]
      return world.start('--workers', workers, '--shutdown-delay', '3s', ...ports)
    }
    starts = [start(0, '2'), start(1, '1')]
    servings = await Promise.all(starts.map((one) => one()))
    balancer = await startBalancer({ app, admin })
  })
  afterAll(async () => {
    await balancer?.close()
    await world?.close()
  })

  /** Stops a process by SIGTERM, starts the one that follows it and waits until that is ready. */
  async function replace(at: number): Promise<void> {
    const stopped = await servings[at]?.stop()
    expect({ at, exit: stopped?.exit }).toEqual({ at, exit: 0 })
    const next = (await starts[at]?.()) as Serving
    servings[at] = next
    await expect.poll(() => fetch(`${next.adminUrl}/readyz`).then(({ status }) => status), patiently).toBe(200)
  }

  it(`restart ${rounds} times, one after the other`, { timeout: 900_000 }, async () => {
    const load = await openLoad(balancer.url, servings[0])
    await load.goesOn()
    for (let round = 0; round < rounds; round++) {
      for (const at of starts.keys()) {
        await replace(at)
        await load.goesOn()
      }
    }
    await load.expectExact()
  })
})

/** Clients with the settings that clients have by default, at a project of their own. */
async function openLoad(url: string, serving: Serving | undefined) {
  const { apiKey, secretKey } = (await serving?.newProject()) ?? { apiKey: '', secretKey: '' }
  let repeated = 0
  const onRequest = ({ attempt }: { attempt: number }) => {
    if (attempt > 1) repeated++
  }
  const owner: Owner = createClient({ url, apiKey: secretKey, onRequest })
  await owner.collections.create({ name: 'entries' })
  const subscribers = (['ws', 'sse'] as const).flatMap((transport) =>
    [1, 2].map(() => listen({ url, apiKey, transport })),
  )
  const ledger = emptyLedger()
  const work = [
    ...Array.from({ length: writers }, () => createAndUpdate(owner, ledger)),
    upload(createClient({ url, apiKey: secretKey, onRequest }), ledger),
  ]

  return {
    async goesOn(by = 150) {
      const least = ledger.acknowledged.size + by
      await expect.poll(() => ledger.acknowledged.size + ledger.failures.length, patiently).toBeGreaterThan(least)
    },
    async expectExact() {
      ledger.isOver = true
      await Promise.all(work)
      expect({ failures: counted(ledger.failures), refusedFiles: ledger.refusedFiles }).toEqual({
        failures: {},
        refusedFiles: 0,
      })
      const wanted = [...ledger.acknowledged].sort(byNumber)
      await expectDocuments(owner, wanted)
      for (const { changes, stop } of subscribers) {
        await expect.poll(() => changes.length, patiently).toBeGreaterThanOrEqual(2 * wanted.length)
        stop()
        const numbers = changes.map(({ seq }) => seq)
        expect(numbers).toEqual([...new Set(numbers)].sort(byNumber))
        for (const kind of ['created', 'updated'] as const) {
          const received = changes.filter((change) => change.kind === kind).map(({ document }) => document.data.n)
          expect(received.sort(byNumber)).toEqual(wanted)
        }
        expect(changes.length).toBe(2 * wanted.length)
      }
      for (const [url, text] of ledger.files) expect(await (await fetch(url)).text()).toBe(text)
      expect((await owner.files.info()).files).toBe(ledger.files.size)
      console.log(
        `${wanted.length} documents, each created and updated, and ${ledger.files.size} files; requests repeated by their clients: ${repeated}`,
      )
    },
  }
}

/** One document after the other. What was acknowledged is there for the next request, whichever process answers that. */
async function createAndUpdate(owner: Owner, ledger: Ledger): Promise<void> {
  const entries = owner.collection('entries')
  while (!ledger.isOver) {
    const n = ledger.tried++
    try {
      const { id } = await entries.create({ n })
      ledger.acknowledged.add(n)
      const { version } = await entries.update(id, { isUpdated: true })
      const found = await entries.get(id)
      if (version !== 2 || found.version !== 2) ledger.failures.push(`versions ${version} and ${found.version}`)
    } catch (error) {
      ledger.failures.push(String(error))
    }
  }
}

async function expectDocuments(owner: Owner, wanted: readonly number[]): Promise<void> {
  const entries = owner.collection('entries')
  const found: number[] = []
  for await (const { data } of entries.iterate()) {
    expect(data).toEqual({ n: data.n, isUpdated: true })
    found.push(data.n)
  }
  expect(found.sort(byNumber)).toEqual(wanted)
  expect(await entries.count()).toBe(wanted.length)
}
