/** `svc dev` under a steady load, for as long as `SVC_RELIABILITY_MINUTES` says: its memory and its descriptors do not grow. */
import { readdir, readFile } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Devs, openDevs } from '../../fixtures/dev.js'
import { aSubscriber, overEventStream, overWebSocket, type Subscriber } from '../../fixtures/realtime/subscriber.js'
import { record } from '../ledger.js'

const minutes = Number(process.env.SVC_RELIABILITY_MINUTES ?? 30)
const sampleSeconds = Math.min(10, minutes * 2)
const writers = 4
const listening = 10

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

interface Sample {
  readonly at: number
  readonly megabytes: number
  readonly descriptors: number
}

async function sample(pid: number, at: number): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const megabytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
  return { at, megabytes, descriptors: (await readdir(`/proc/${pid}/fd`)).length }
}

// Memory and descriptors are read from Linux's `/proc`.
it.skipIf(platform() !== 'linux')(`memory and descriptors are flat over ${minutes} minutes`, async () => {
  const { child, url, apiKey } = await devs.start('--data', join(devs.folder, 'state'))
  const svc = createClient<{ entries: { n: number } }>({ url, apiKey })
  await svc.collections.create({ name: 'entries' })
  const entries = svc.collection('entries')
  const state = { isOver: false, requests: 0, reconnects: 0 }

  async function write(writer: number) {
    for (let turn = 0; !state.isOver; turn++) {
      const { id } = await entries.create({ n: turn })
      await entries.update(id, { n: turn + 1 })
      await entries.list({ where: { n: { gte: turn } }, limit: 10 })
      const file = await svc.files.upload(new File(['x'.repeat(10_000)], `${writer}.txt`))
      await svc.files.delete(file.id)
      await entries.delete(id)
      state.requests += 6
      await pause(20)
    }
  }

  async function listen(at: number) {
    const connect = at % 2 === 0 ? overWebSocket : overEventStream
    while (!state.isOver) {
      const subscriber: Subscriber = await aSubscriber(connect, { url, apiKey, collection: 'entries' })
      for (let turn = 0; turn < 20 && !state.isOver; turn++) await pause(100)
      await subscriber.stop()
      state.reconnects++
    }
  }

  const working = [
    ...Array.from({ length: writers }, (_, at) => write(at)),
    ...Array.from({ length: listening }, (_, at) => listen(at)),
  ]
  const samples: Sample[] = []
  const from = performance.now()
  const seconds = () => (performance.now() - from) / 1_000
  while (seconds() < minutes * 60) {
    await pause(sampleSeconds * 1_000)
    samples.push(await sample(child.pid ?? 0, Math.round(seconds())))
  }
  state.isOver = true
  await Promise.all(working)

  const third = Math.floor(samples.length / 3)
  const growthOf = (what: 'megabytes' | 'descriptors') =>
    median(samples.slice(-third).map((one) => one[what])) /
    median(samples.slice(third, 2 * third).map((one) => one[what]))
  const [memory, descriptors] = [growthOf('megabytes'), growthOf('descriptors')]
  const last = samples.at(-1)
  record({
    part: 'soak',
    what: `${minutes} minutes, ${state.reconnects} connections; at the end ${last?.megabytes.toFixed()} MB, ${last?.descriptors} descriptors`,
    engine: 'pglite',
    count: state.requests,
    unit: 'requests',
    found: {
      '% more memory': Math.round((memory - 1) * 100),
      '% more descriptors': Math.round((descriptors - 1) * 100),
    },
  })
  // From the middle third to the last: caches are filled by then.
  expect(memory).toBeLessThan(1.2)
  expect(descriptors).toBeLessThan(1.2)
})

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
