/** The page of the guide to realtime, with an EventSource as browsers have it, over a network that cuts connections. */
import { readFile } from 'node:fs/promises'
import { EventSource } from 'eventsource'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../client/index.js'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { cuttingProxy } from '../../fixtures/proxies/cutting-proxy.js'

const guide = await readFile(new URL('../../../docs/guides/realtime.md', import.meta.url), 'utf8')

it('contract 9.5 an EventSource with a ticket goes on after an interruption as the guide has it, and misses nothing', async () => {
  const emulator = await startEmulator({ memory: true })
  onTestFinished(() => emulator.close())
  const svc = createClient(emulator)
  await svc.collections.create({ name: 'posts' })
  const posts = svc.collection('posts')
  const proxy = await cuttingProxy(emulator.url)
  onTestFinished(() => proxy.close())
  const [, page = ''] = /^```js\n(let since.*?)^```$/ms.exec(guide) ?? []
  const opened: EventSource[] = []
  class Opened extends EventSource {
    constructor(address: string) {
      super(address)
      opened.push(this)
    }
  }
  onTestFinished(() => {
    for (const source of opened) source.close()
  })
  const shown: string[] = []
  const warned: string[] = []
  const show = ({ document }: { document: { data: { title: string } } }) => shown.push(document.data.title)
  let readings = 0
  const readAll = () => readings++

  const start = new Function('EventSource', 'url', 'token', 'show', 'readAll', 'console', page)
  start(Opened, proxy.url, emulator.apiKey, show, readAll, { warn: (words: string) => warned.push(words) })
  await expect.poll(() => readings).toBe(1)
  await posts.create({ title: 'before' })
  await expect.poll(() => shown).toEqual(['before'])
  proxy.cut()
  await posts.create({ title: 'meanwhile' })
  await expect.poll(() => shown).toEqual(['before', 'meanwhile'])
  await posts.create({ title: 'afterwards' })

  await expect.poll(() => shown).toEqual(['before', 'meanwhile', 'afterwards'])
  expect(readings).toBe(1)
  await createClient({ ...emulator, apiKey: emulator.secretKey ?? '' }).collections.delete('posts')
  await expect.poll(() => warned).toEqual(['The collection "posts" was deleted or renamed.'])
  expect(shown).toHaveLength(3)
})
