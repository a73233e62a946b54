/** `kill -9` while files come in: no address without its bytes, and after the next start no orphaned bytes. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs } from '../../fixtures/dev.js'

const cycles = Number(process.env.SVC_CRASH_CYCLES ?? 3)
const writers = 6

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

interface Row {
  readonly id: string
  readonly data: { readonly cover?: string }
}

const startDev = () => devs.start('--data', join(devs.folder, 'state'))

it(`has each file whole, and no other, after each of ${cycles} kills`, {
  timeout: 600_000 + cycles * 30_000,
}, async () => {
  let acknowledged = 0

  for (let cycle = 0; cycle <= cycles; cycle++) {
    const { child, url, apiKey } = await startDev()
    const ask = async (method: string, path: string, body?: FormData | string) => {
      const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
      const answer = await fetch(url + path, { method, headers: { 'x-api-key': apiKey, ...type }, body })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
      return answer.json()
    }
    if (cycle === 0) await ask('POST', '/collections', '{"name":"posts"}')
    await check(url, ask)
    if (cycle === cycles) break

    let isOver = false
    const writing = Array.from({ length: writers }, async () => {
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

  expect(acknowledged).toBeGreaterThan(cycles * 5)
})

/** A file whose content names its length. */
function aForm(): FormData {
  const bytes = randomBytes(1_000 + Math.floor(Math.random() * 300_000))
  bytes.writeUInt32LE(bytes.length)
  const form = new FormData()
  form.append('cover', new File([bytes], 'a.bin'))
  return form
}

async function check(url: string, ask: (method: string, path: string) => Promise<unknown>): Promise<void> {
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
  const entries = await readdir(join(devs.folder, 'state', 'files'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return entries.flatMap((entry) => (entry.isFile() ? entry.name : [])).sort()
}
