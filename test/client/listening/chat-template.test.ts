/** Tests that the page of the template `chat` shows every message of a real service, and none that is gone. */
import '../../fixtures/dom.js'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, createClient } from '../../../client/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { cuttingProxy } from '../../fixtures/proxies/cutting-proxy.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

type Schema = {
  messages: { key: string; name: string; text: string }
  presence: { userId: string; name: string; beats: number }
}
type Message = Schema['messages']
type OpenOutbox = (
  signal: AbortSignal,
  changed: () => void,
) => {
  items: { refused?: string }[]
  send(outgoing: { message: Message; file: File }): void
}
type OpenChat = (user: { id: string; email: string; data: object }) => () => void

const root = fileURLToPath(new URL('../../../', import.meta.url))
let folder: string
let emulator: TestEmulator
let openChat: OpenChat
let openOutbox: OpenOutbox

beforeAll(async () => {
  emulator = await openSharedEmulator()
  folder = await mkdtemp(join(tmpdir(), 'svc-chat-'))
  const build = await rolldown({
    input: ['chat', 'outbox'].map((name) => join(root, `templates/chat/src/${name}.ts`)),
    plugins: [
      {
        name: 'client',
        resolveId: (id) =>
          id === 'svc-toolkit-client' ? join(root, 'client/index.ts') : id === './svc' ? 'svc' : null,
        // The page makes its client of what Vite hands to it.
        load: (id) =>
          id === 'svc'
            ? 'export const { svc } = globalThis, hint = "", describeError = String, isTransient = Boolean'
            : null,
      },
    ],
  })
  await build.write({ dir: folder, entryFileNames: '[name].mjs', format: 'esm' })
  await build.close()
  // It opens its collections at once.
  const files = { upload: (...words: Parameters<typeof page.files.upload>) => page.files.upload(...words) }
  Object.assign(globalThis, { svc: { files, collection: (name: 'messages') => ofPage(name) } })
  ;({ openChat } = await import(join(folder, 'chat.mjs')))
  ;({ openOutbox } = await import(join(folder, 'outbox.mjs')))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

let page: Client<Schema>
/** The collection of the client that the page has then. */
const ofPage = (name: 'messages') =>
  new Proxy({}, { get: (_, call: 'live') => page.collection(name)[call].bind(page.collection(name)) })

/** A page that shows the newest 50 of 60 messages, behind a proxy, and who else writes; `online`: display names of another user's tabs, the newest last. */
async function aPage(online: readonly string[] = []) {
  const { url, apiKey, client, clock } = await emulator.project<Schema>()
  for (const name of ['messages', 'presence']) await client.collections.create({ name })
  const [messages, presence] = [client.collection('messages'), client.collection('presence')]
  const say = async (first: number, last: number) => {
    for (let at = first; at <= last; at++) await messages.create({ key: `${at}`, name: 'Ada', text: `${at}` })
  }
  await say(1, 60)
  for (const name of online) {
    await clock.advance({ hours: 1 })
    await presence.create({ userId: 'u2', name, beats: 0 })
  }
  // Updates that are hours ahead of the clock do not expire, however slow the machine is.
  await clock.reset()
  const proxy = await cuttingProxy(url)
  page = createClient<Schema>({ url: proxy.url, apiKey, WebSocket, retry: { delay: 1 } })
  const ids = ['messages', 'notice', 'older', 'people', 'attached', 'leave']
  document.body.innerHTML = `<form id="compose"></form>${ids.map((id) => `<div id="${id}"></div>`).join('')}`
  const close = openChat({ id: 'u1', email: 'ada@example.com', data: { name: 'Ada' } })
  const shown = () => [...document.querySelectorAll('#messages p')].map((one) => Number(one.textContent))
  await expect.poll(shown).toEqual(numbers(11, 60))
  return {
    ...{ messages, say, proxy, url, shown },
    showOlder: () => document.querySelector<HTMLElement>('#older')?.click(),
    async close() {
      close()
      await proxy.close()
    },
  }
}

const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

it('a page that was away while more was written than it shows has all of it, as far as it is asked for', async () => {
  const { say, proxy, url, shown, showOlder, close } = await aPage()
  showOlder()
  await expect.poll(shown).toEqual(numbers(1, 60))
  proxy.lead('http://127.0.0.1:9')
  proxy.cut()
  await say(61, 125)

  proxy.lead(url)

  await expect.poll(() => shown().at(-1)).toBe(125)
  expect(shown()).toEqual(numbers(76, 125))
  showOlder()
  await expect.poll(shown).toEqual(numbers(26, 125))
  await close()
})

it('new messages push none off the page, and a message that is deleted goes', async () => {
  const { messages, say, shown, close } = await aPage()
  await say(61, 63)
  await expect.poll(shown).toEqual(numbers(11, 63))
  const { items } = await messages.list({ where: { key: '30' } })

  for (const { id } of items) await messages.delete(id)

  await expect.poll(shown).toEqual(numbers(11, 63).filter((at) => at !== 30))
  await close()
})

it('messages that came in one step, at the same time, are all there, the last of them at first', async () => {
  const { messages, shown, showOlder, close } = await aPage()
  await messages.createMany(numbers(61, 180).map((at) => ({ key: `${at}`, name: 'Ada', text: `${at}` })))
  await expect.poll(shown).toEqual(numbers(131, 180))

  for (const first of [81, 31, 1]) {
    showOlder()
    await expect.poll(shown).toEqual(numbers(first, 180))
  }

  await close()
})

it('a user with several open tabs is listed once, by the most recent display name', async () => {
  const { close } = await aPage(['Bob', 'Robert'])

  const people = () => [...document.querySelectorAll('#people li')].map((one) => one.textContent)

  await expect.poll(people).toEqual(['Ada', 'Robert'])
  await close()
})

it('a message whose file was on its way when somebody else signed in is not sent', async () => {
  const project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'messages' })
  const [ada, grace] = [await project.users.create(), await project.users.create()]
  const upload = new EventEmitter()
  const [answered, goesOn] = [once(upload, 'answered'), once(upload, 'goes on')]
  page = createClient<Schema>({
    ...project,
    async fetch(address, init) {
      const answer = await fetch(address, init)
      if (String(address).includes('/storage/')) {
        upload.emit('answered')
        await goesOn
        init?.signal?.throwIfAborted()
      }
      return answer
    },
  })
  await page.auth.logIn(ada.credentials)
  const over = new AbortController()
  const outbox = openOutbox(over.signal, () => undefined)
  outbox.send({ message: { key: '1', name: 'Ada', text: 'Hello' }, file: new File(['Hello'], 'hello.txt') })
  await answered

  over.abort()
  await page.auth.logOut()
  await page.auth.logIn(grace.credentials)
  upload.emit('goes on')

  await expect.poll(() => outbox.items.every(({ refused }) => refused)).toBe(true)
  expect((await project.client.collection('messages').list()).items).toEqual([])
})
