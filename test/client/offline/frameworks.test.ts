/** `useOutbox` in React, Vue and Svelte, over the wire. */
// First, because Vue looks for the document when it is loaded.
import '../../fixtures/dom.js'

import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createElement } from 'react'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, defineComponent } from 'vue'
import { createHooks as createReactHooks } from '../../../client/react/index.js'
import type { OutboxCalls, OutboxState } from '../../../client/store/index.js'
import { createHooks as createVueHooks } from '../../../client/vue/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { aPlace, defineElements } from '../../fixtures/dom.js'
import { bundleSvelte } from '../../fixtures/packages/svelte-app.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { openDevice, type Tab } from './device.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

let emulator: TestEmulator
let folder: string
beforeAll(async () => {
  defineElements()
  emulator = await openSharedEmulator()
  // Inside the tree, so that Svelte is found.
  folder = await mkdtemp(join(root, 'test/.docs-outbox-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

type Shown = Pick<OutboxState, 'storage' | 'pending' | 'sending' | 'conflicts' | 'waiting'>
const inWords = ({ storage, pending, sending, conflicts, waiting }: Shown) =>
  `${storage}, ${pending.length + (sending ? 1 : 0)} waiting (${waiting?.code ?? ''}), ${conflicts.length} refused`

/** Shows the outbox, and returns the calls and a function that ends it. */
type Mount = (tab: Tab, place: HTMLElement) => Promise<readonly [calls: OutboxCalls, close: () => unknown]>

const frameworks: Readonly<Record<string, Mount>> = {
  async React({ client }, place) {
    // Looks for a navigator when it is loaded.
    const { createRoot } = await import('react-dom/client')
    const { SvcProvider, useOutbox } = createReactHooks()
    const app = createRoot(place)
    const mounted = new Promise<OutboxCalls>((resolve) => {
      const Outbox = () => {
        const outbox = useOutbox()
        resolve(outbox)
        return inWords(outbox)
      }
      app.render(createElement(SvcProvider, { client }, createElement(Outbox)))
    })
    return [await mounted, () => app.unmount()]
  },
  async Vue({ client }, place) {
    const { SvcPlugin, useOutbox } = createVueHooks()
    let calls: OutboxCalls | undefined
    const setup = () => {
      const { storage, pending, sending, conflicts, waiting, ...outbox } = useOutbox()
      calls = outbox
      const refs = { storage, pending, sending, conflicts, waiting }
      return () =>
        inWords(Object.fromEntries(Object.entries(refs).map(([name, { value }]) => [name, value])) as object as Shown)
    }
    const app = createApp(defineComponent({ setup: () => setup() as never })).use(SvcPlugin, client)
    app.mount(place)
    return [calls as OutboxCalls, () => app.unmount()]
  },
  async Svelte({ client, browser }, place) {
    // A bundle has its own copy of the store, as another tab does.
    const { start } = await bundleSvelte(
      `<script>
  import { offline } from '${root}client/offline/index.ts'
  import { openStore } from '${root}client/store/index.ts'
  import { createHooks } from '${root}client/svelte/index.ts'
  const { svc, browser, inWords, onReady } = $props()
  openStore(svc, { persist: offline({}, browser) })
  const { provideClient, useOutbox } = createHooks()
  provideClient(svc)
  const outbox = useOutbox()
  onReady(outbox)
</script>
{inWords(outbox)}`,
      folder,
    )
    let close: () => unknown = () => {}
    const calls = await new Promise<OutboxCalls>((onReady) => {
      close = start(place, { svc: client, browser, inWords, onReady })
    })
    return [calls, close]
  },
}

it.each(Object.entries(frameworks))('shows in %s what waits and what is refused, and decides', async (_, mount) => {
  const project = await emulator.project()
  await project.client.collections.create({ name: 'posts', schema: { views: { type: 'number', min: 0 } } })
  const device = openDevice()
  const tab = device.openTab(project)
  const place = aPlace()
  const [{ edit }, close] = await mount(tab, place)
  const shows = (expected: string) => expect.poll(() => place.textContent?.trim()).toBe(expected)
  await shows('ready, 0 waiting (), 0 refused')

  device.isOffline = true
  const creating = tab.store.mutations('posts').create({ views: -1 })
  await expect.poll(() => tab.outbox.get().waiting?.code).toBe('NETWORK')
  await expect.poll(() => place.textContent).toMatch(/^ready, 1 waiting/)
  device.isOffline = false
  await shows('ready, 0 waiting (), 1 refused')
  edit(tab.outbox.get().conflicts[0]?.key ?? '', { views: 1 })

  expect((await creating).data).toEqual({ views: 1 })
  await shows('ready, 0 waiting (), 0 refused')
  await close()
  tab.crash()
})
