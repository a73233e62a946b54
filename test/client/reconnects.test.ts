/** Connections that break while others write: subscribers receive each change once and in order. `SVC_CUTS` says how many. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { patiently } from '../fixtures/patience.js'
import { cuttingProxy } from '../fixtures/proxies/cutting-proxy.js'

const cuts = Number(process.env.SVC_CUTS ?? 30)
const writesBetween = 20

type Schema = { counts: { n: number }; others: { n: number } }

const folder = await mkdtemp(join(tmpdir(), 'svc-reconnects-'))
let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ dir: folder })
  for (const name of ['counts', 'others']) await createClient(emulator).collections.create({ name })
})
afterAll(async () => {
  await emulator.close()
  await rm(folder, { recursive: true, force: true })
})

/** A client behind a proxy, and what its subscription has received so far. */
async function aListener(transport: 'ws' | 'sse') {
  const proxy = await cuttingProxy(emulator.url)
  const { apiKey } = emulator
  const client = createClient<Schema>({ url: proxy.url, apiKey, transport, WebSocket, retry: { delay: 5 } })
  const received: number[] = []
  const gaps: unknown[] = []
  const subscription = client.collection('counts').subscribe({
    onChange: ({ document }) => received.push(document.data.n),
    onResync: () => gaps.push('resync'),
    onError: (error) => gaps.push(error),
  })
  await subscription.ready
  return {
    proxy,
    received,
    gaps,
    subscription,
    async close() {
      subscription.close()
      await proxy.close()
    },
  }
}

it.each(['ws', 'sse'] as const)(
  'tells each change once and in order while its %s breaks and breaks',
  async (transport) => {
    const listener = await aListener(transport)
    const counts = createClient<Schema>(emulator).collection('counts')
    const writes = cuts * writesBetween

    for (let n = 0; n < writes; n++) {
      await counts.create({ n })
      if (n % writesBetween === 7) listener.proxy.cut()
    }
    await vi.waitUntil(() => listener.received.length >= writes || listener.gaps.length > 0, patiently)
    await listener.close()

    expect(listener.gaps).toEqual([])
    expect(listener.received).toEqual(Array.from({ length: writes }, (_, n) => n))
  },
)

it('goes on where it was when the service is started anew', async () => {
  const listeners = await Promise.all([aListener('ws'), aListener('sse')])
  await createClient<Schema>(emulator).collection('counts').create({ n: 1 })

  await emulator.close()
  emulator = await startEmulator({ dir: folder })
  await createClient<Schema>(emulator).collection('counts').create({ n: 2 })
  for (const { proxy } of listeners) proxy.lead(emulator.url)
  for (const { received } of listeners) await vi.waitUntil(() => received.length >= 2, patiently)

  for (const listener of listeners) {
    expect(listener.received).toEqual([1, 2])
    expect(listener.gaps).toEqual([])
    await listener.close()
  }
})
