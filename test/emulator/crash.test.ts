/** `kill -9` while it writes: whatever was acknowledged is intact afterwards. `SVC_CRASH_CYCLES` says how often. */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { type Devs, openDevs } from '../fixtures/dev.js'

const cycles = Number(process.env.SVC_CRASH_CYCLES ?? 3)
const writers = 8
const batchSize = 20

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

interface Entry {
  readonly mark: string
  readonly batch?: string
  readonly edit?: number
}

async function startDev() {
  const { child, url, apiKey } = await devs.start('--data', join(devs.folder, 'state'))
  const client = createClient<{ entries: Entry }>({ url, apiKey, retry: { attempts: 1 } })
  return { child, client, entries: client.collection('entries') }
}

it(`loses nothing it acknowledged in ${cycles} kills`, { timeout: 600_000 + cycles * 60_000 }, async () => {
  /** Marks by document id: what must exist, with the last acknowledged and the last attempted edit. */
  const acknowledged = new Map<string, { mark: string; edited: number; attempted: number }>()

  for (let cycle = 0; cycle <= cycles; cycle++) {
    const { child, client, entries } = await startDev()
    if (cycle === 0) await client.collections.create({ name: 'entries' })
    await check(entries)
    if (cycle === cycles) break

    let isOver = false
    const writing = Array.from({ length: writers }, async (_, writer) => {
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

  async function check(entries: Awaited<ReturnType<typeof startDev>>['entries']) {
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
