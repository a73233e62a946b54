/** PostgreSQL that is killed and restarted beneath the service, and connections that are cut, during writes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type PostgresServer, startPostgres } from '../../fixtures/databases/postgres.js'
import { clientOf } from '../../fixtures/kills/under-writes.js'
import { patiently } from '../../fixtures/patience.js'
import { type CuttingProxy, cuttingProxy } from '../../fixtures/proxies/cutting-proxy.js'
import { aSubscriber, overEventStream, overWebSocket, type Subscriber } from '../../fixtures/realtime/subscriber.js'
import { record } from '../../reliability/ledger.js'
import { scaled } from '../../reliability/scale.js'
import { openLoad } from './load.js'

const leastPerCycle = 40

let server: PostgresServer
let line: CuttingProxy
let emulator: Emulator
let subscribers: Subscriber[]

beforeAll(async () => {
  server = await startPostgres()
  line = await cuttingProxy(server.url)
  const databaseUrl = server.url.replace(/:\d+\//, `:${new URL(line.url).port}/`)
  emulator = await startEmulator({ memory: true, databaseUrl })
  await clientOf(emulator).collections.create({ name: 'entries' })
  const target = { ...emulator, collection: 'entries' }
  subscribers = await Promise.all([overWebSocket, overEventStream].map((connect) => aSubscriber(connect, target)))
})
afterAll(async () => {
  for (const subscriber of subscribers) await subscriber.stop()
  await emulator.close()
  await line.close()
  await server.stop()
})

const faults = [
  ['its connections are cut', async () => line.cut()],
  [
    'PostgreSQL is killed and started again',
    async () => {
      await server.kill()
      server = await server.again()
      line.lead(server.url)
    },
  ],
] as const

it('nothing acknowledged is lost and no event is lost or doubled, whatever is cut and killed meanwhile', async () => {
  const cycles = scaled(2, 60)
  const client = clientOf(emulator)
  const load = openLoad(() => client)
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (const [, fail] of faults) {
      const before = load.acknowledged()
      await expect.poll(load.acknowledged, patiently).toBeGreaterThan(before + leastPerCycle)
      await fail()
    }
  }
  const before = load.acknowledged()
  await expect.poll(load.acknowledged, patiently).toBeGreaterThan(before + leastPerCycle)
  await load.stop()

  const findings = await load.findings()
  const numbers = await Promise.all(subscribers.map(numbersOf))

  const found = Object.fromEntries(Object.entries(findings).map(([kind, all]) => [kind, all.length]))
  const what = `${faults.map(([what]) => what).join('; ')}: ${cycles} times, ${load.refused()} writes refused`
  record({ part: 'crashes', what, engine: 'postgres', count: load.acknowledged(), unit: 'writes', found })
  expect(findings).toEqual({ lost: [], different: [], gaps: [], miscounted: [], unexpected: [] })
  expect(load.refused()).toBeGreaterThan(0)
  const [first = []] = numbers
  expect(first).toEqual(Array.from({ length: first.length }, (_, at) => at + 1))
  expect(numbers[1]).toEqual(first)
})

/** The numbers of all it received, once it has the last change, which ends the findings. */
async function numbersOf({ heard }: Subscriber): Promise<number[]> {
  await expect.poll(() => heard.at(-1)?.document.data.n, patiently).toBe(-1)
  return heard.map(({ seq }) => seq)
}
