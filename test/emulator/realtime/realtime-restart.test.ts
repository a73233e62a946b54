/** The service is killed while it writes and notifies; a subscriber that resumes receives each acknowledged write once. */
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Devs, openDevs } from '../../fixtures/dev.js'
import { aSubscriber, overEventStream, overWebSocket, type Subscriber } from '../../fixtures/realtime/subscriber.js'

const kills = 3

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

it(`contract 9.4 ${kills} kills of the service cost a subscriber no event`, async () => {
  const acknowledged = new Set<number>()
  let attempted = 0
  let subscribers: readonly Subscriber[] = []

  for (let start = 0; start <= kills; start++) {
    const { child, ...dev } = await devs.start('--data', join(devs.folder, 'state'))
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
