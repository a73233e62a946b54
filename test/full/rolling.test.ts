/**
 * Two hosts of `svc serve` on one PostgreSQL and one bucket, behind HAProxy, are replaced one after the other as the guide for operators
 * says, while clients write, read and subscribe: no request fails that its client does not retry by itself, everything acknowledged is
 * stored, and each subscriber receives each event once.
 */
import pg from 'pg'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { newestMigration } from '../../emulator/database/migrate.js'
import { bin } from '../cli/command-line.js'
import { balancerMissing, startBalancer } from '../fixtures/balancer.js'
import { freePort } from '../fixtures/databases/postgres.js'
import { byNumber, counted, type Entry, emptyLedger, type Ledger, listen, upload } from '../fixtures/ledger.js'
import { copyFormerBuild, copyNextBuild } from '../fixtures/packages/builds.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServedProject, type Serving } from '../fixtures/serve.js'

const rounds = 3
const writers = 6

type Owner = Client<{ entries: Entry }>

describe.skipIf(balancerMissing !== undefined)(balancerMissing ?? 'hosts that are replaced under load', () => {
  let hosts: Hosts
  afterEach(() => hosts?.close())

  it(`restart ${rounds} times, one after the other`, { timeout: 900_000 }, async () => {
    hosts = await openHosts(bin)
    const load = await openLoad(hosts)
    await load.goesOn()
    for (let round = 0; round < rounds; round++) {
      for (const at of [0, 1]) {
        await hosts.replace(at, bin)
        await load.goesOn()
      }
    }
    await load.expectExact()
  })

  it('are upgraded from the version before, and to one whose migration holds the tables', {
    timeout: 900_000,
  }, async () => {
    const [former, next] = await Promise.all([copyFormerBuild(), copyNextBuild()])
    onTestFinished(async () => {
      await Promise.all([former.remove(), next.remove()])
    })
    hosts = await openHosts(former.bin)
    const load = await openLoad(hosts)
    await load.goesOn()
    expect(await hosts.migration()).toBe(former.migration)
    expect(await hosts.check()).toContain(`from migration ${former.migration} to ${newestMigration}.`)
    for (const { bin: program, migration } of [{ bin, migration: newestMigration }, next]) {
      // The host that stays runs the version before, on a database of the version after.
      await hosts.replace(0, program)
      expect(await hosts.migration()).toBe(migration)
      await load.goesOn()
      await hosts.replace(1, program)
      await load.goesOn()
    }
    // Nor does one of an older version start on it.
    await expect(hosts.replace(1, bin)).rejects.toThrow('A newer svc has changed the database.')
    await load.goesOn()
    await load.expectExact()
  })
})

interface Hosts {
  /** The load balancer's address. */
  readonly url: string
  newProject(): Promise<ServedProject>
  /** The version that the database is at. */
  migration(): Promise<number>
  /** The output of `svc serve check` of the built version. */
  check(): Promise<string>
  /** Stops a host by SIGTERM, starts this program in its place and waits until it is ready. */
  replace(at: number, program: string): Promise<void>
  close(): Promise<void>
}

/** One host with two workers and one with a single process, and a delay longer than HAProxy's check interval. */
async function openHosts(program: string): Promise<Hosts> {
  const world = await openServeWorld()
  const app = [await freePort(), await freePort()]
  const admin = [await freePort(), await freePort()]
  const balancer = await startBalancer({ app, admin })
  const start = (at: number, program: string) => {
    const ports = ['--port', String(app[at]), '--admin-port', String(admin[at]), '--public-url', balancer.url]
    return world.startFrom(program, '--workers', at === 0 ? '2' : '1', '--shutdown-delay', '3s', ...ports)
  }
  const servings = [await start(0, program), await start(1, program)]
  return {
    url: balancer.url,
    newProject: () => (servings[0] as Serving).newProject(),
    async migration() {
      const client = new pg.Client({ connectionString: world.postgres.url })
      await client.connect()
      const { rows } = await client
        .query('select max(number) as newest from svc.migrations')
        .finally(() => client.end())
      return rows[0].newest
    },
    async check() {
      const { stdout, stderr } = await world.run(['check'])
      return stdout + stderr
    },
    async replace(at, program) {
      const stopped = await servings[at]?.stop()
      expect({ at, exit: stopped?.exit }).toEqual({ at, exit: 0 })
      const next = await start(at, program)
      servings[at] = next
      await expect.poll(() => fetch(`${next.adminUrl}/readyz`).then(({ status }) => status), patiently).toBe(200)
    },
    async close() {
      await balancer.close()
      await world.close()
    },
  }
}

/** Clients with the settings that clients have by default, at a project of their own. */
async function openLoad({ url, newProject }: Hosts) {
  const { apiKey, secretKey } = await newProject()
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
