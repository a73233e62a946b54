/**
 * Two hosts of `svc serve` on one PostgreSQL and one bucket, behind HAProxy, are replaced one after the other as the guide for operators
 * says, while clients write, read and subscribe: no request fails that its client does not retry by itself, everything acknowledged is
 * stored, and each subscriber receives each event once.
 */
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../client/index.js'
import { newestMigration } from '../../emulator/database/migrate.js'
import { bin } from '../cli/command-line.js'
import { balancerMissing } from '../fixtures/balancer.js'
import { byNumber, counted, createAndUpdate, emptyLedger, listen, type Owner, upload } from '../fixtures/ledger.js'
import { copyNextBuild } from '../fixtures/packages/builds.js'
import { patiently } from '../fixtures/patience.js'
import { type Hosts, openHosts } from '../fixtures/rolling/hosts.js'

const rounds = 3
const writers = 6

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

  it('are upgraded to a version whose migration holds the tables', { timeout: 900_000 }, async () => {
    const next = await copyNextBuild()
    onTestFinished(() => next.remove())
    hosts = await openHosts(bin)
    const load = await openLoad(hosts)
    await load.goesOn()
    expect(await hosts.migration()).toBe(newestMigration)
    // The host that stays runs the version before, on a database of the version after.
    await hosts.replace(0, next.bin)
    expect(await hosts.migration()).toBe(next.migration)
    await load.goesOn()
    await hosts.replace(1, next.bin)
    await load.goesOn()
    // Nor does one of an older version start on it.
    await expect(hosts.replace(1, bin)).rejects.toThrow('A newer svc has changed the database.')
    await load.goesOn()
    await load.expectExact()
  })
})

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
