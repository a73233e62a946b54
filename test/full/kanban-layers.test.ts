/** The cards of a board in React, Vue and Svelte, side by side in one page, used by two browsers at once. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp } from '../fixtures/packages/template-app.js'

const linked = [
  ...['vite', 'react', 'react-dom', '@types/react', '@types/react-dom', 'vue', '@vitejs/plugin-vue'],
  ...['svelte', '@sveltejs/vite-plugin-svelte'],
]

/** The same list in each framework. */
const files = {
  'vite.config.js': `import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [vue(), svelte()] })
`,
  'lists.html': '<main style="display: flex; gap: 2rem"></main><script type="module" src="/src/lists.ts"></script>',
  'src/lists.ts': `import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { mount } from 'svelte'
import { createHooks } from 'svc-toolkit-client/vue'
import { createApp } from 'vue'
import { ReactCards } from './react-cards'
import SvelteCards from './svelte-cards.svelte'
import { SvcProvider, svc } from './svc'
import VueCards from './vue-cards.vue'

const [board] = (await svc.collection('boards').list({ limit: 1 })).items
const props = { board: board?.id ?? '', by: (await svc.auth.session())?.user.id ?? '' }
const place = (name: string) => {
  const section = document.createElement('section')
  section.ariaLabel = name
  section.append(Object.assign(document.createElement('h2'), { textContent: name }))
  document.querySelector('main')?.append(section)
  return section.appendChild(document.createElement('div'))
}
createRoot(place('React')).render(createElement(SvcProvider, { client: svc }, createElement(ReactCards, props)))
createApp(VueCards, props).use(createHooks().SvcPlugin, svc).mount(place('Vue'))
mount(SvelteCards, { target: place('Svelte'), props: { ...props, svc } })
`,
  'src/react-cards.tsx': `import { useLive, useMutation } from './svc'

export function ReactCards({ board, by }: { board: string; by: string }) {
  const { items } = useLive('cards', { where: { board }, sort: 'position', limit: 500 })
  const { create, update, remove } = useMutation('cards')
  const add = (form: HTMLFormElement) => {
    const position = Math.max(0, ...items.map(({ data }) => data.position)) + 1
    void create({ board, title: String(new FormData(form).get('title')), column: 'todo', position, by })
    form.reset()
  }
  return (
    <>
      <form onSubmit={(event) => (event.preventDefault(), add(event.currentTarget))}><input name="title" /></form>
      <ul>
        {items.map(({ id, data }) => (
          <li key={id}>
            <span>{data.title} {data.column}</span>
            <button type="button" onClick={() => void update(id, { column: 'done' })}>Finish {data.title}</button>
            <button type="button" onClick={() => void remove(id)}>Delete {data.title}</button>
          </li>
        ))}
      </ul>
    </>
  )
}
`,
  'src/vue-cards.vue': `<script setup lang="ts">
import { createHooks } from 'svc-toolkit-client/vue'
import type { Schema } from './svc-types'

const { board, by } = defineProps<{ board: string; by: string }>()
const { useLive, useMutation } = createHooks<Schema>()
const { items } = useLive('cards', () => ({ where: { board }, sort: 'position', limit: 500 }))
const { create, update, remove } = useMutation('cards')
function add(event: Event) {
  const form = event.currentTarget as HTMLFormElement
  const position = Math.max(0, ...items.value.map(({ data }) => data.position)) + 1
  void create({ board, title: String(new FormData(form).get('title')), column: 'todo', position, by })
  form.reset()
}
</script>

<template>
  <form @submit.prevent="add"><input name="title" /></form>
  <ul>
    <li v-for="{ id, data } in items" :key="id">
      <span>{{ data.title }} {{ data.column }}</span>
      <button type="button" @click="update(id, { column: 'done' })">Finish {{ data.title }}</button>
      <button type="button" @click="remove(id)">Delete {{ data.title }}</button>
    </li>
  </ul>
</template>
`,
  'src/svelte-cards.svelte': `<script lang="ts">
import { createHooks } from 'svc-toolkit-client/svelte'
import type { Schema } from './svc-types'

const { board, by, svc } = $props()
const { provideClient, useLive, useMutation } = createHooks<Schema>()
provideClient(svc)
const cards = useLive('cards', () => ({ where: { board }, sort: 'position', limit: 500 }))
const writes = useMutation('cards')
function add(event: SubmitEvent) {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  const position = Math.max(0, ...cards.items.map(({ data }) => data.position)) + 1
  void writes.create({ board, title: String(new FormData(form).get('title')), column: 'todo', position, by })
  form.reset()
}
</script>

<form onsubmit={add}><input name="title" /></form>
<ul>
  {#each cards.items as { id, data } (id)}
    <li>
      <span>{data.title} {data.column}</span>
      <button type="button" onclick={() => writes.update(id, { column: 'done' })}>Finish {data.title}</button>
      <button type="button" onclick={() => writes.remove(id)}>Delete {data.title}</button>
    </li>
  {/each}
</ul>
`,
} as const

const layers = ['React', 'Vue', 'Svelte'] as const
type Layer = (typeof layers)[number]

let chromium: OpenBrowser
let app: TemplateApp
let address: string
const problems: string[] = []
/** The collections that the pages with all lists have subscribed to. */
const subscribed: string[] = []

beforeAll(async () => {
  chromium = await openChromium()
  app = await openTemplateApp('kanban', linked)
  for (const [name, text] of Object.entries(files)) await writeFile(join(app.folder, name), text)
  await app.type('npx svc dev --port 0').until(/\.env\.local has this address and key/)
  const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
  address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
})
afterAll(async () => {
  await app?.close()
  await chromium?.close()
})

async function signIn(email: string): Promise<Page> {
  const page = await (await chromium.newContext({ viewport: { width: 1000, height: 400 } })).newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(address)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('Correct4Horse')
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const list = (page: Page, layer: Layer) => page.getByRole('region', { name: layer })
const press = (page: Page, layer: Layer, name: string) => list(page, layer).getByRole('button', { name }).click()

async function add(page: Page, layer: Layer, title: string): Promise<void> {
  await list(page, layer).getByRole('textbox').fill(title)
  await list(page, layer).getByRole('textbox').press('Enter')
}

function record(sent: string): void {
  const { type, collection } = sent.startsWith('{') ? JSON.parse(sent) : {}
  if (type === 'subscribe') subscribed.push(collection)
}

/** The cards in each of the six lists. */
function shown(pages: readonly Page[]): Promise<string[]> {
  const lists = pages.flatMap((page) => layers.map((layer) => list(page, layer).locator('li > span')))
  return Promise.all(lists.map(async (cards) => (await cards.allTextContents()).join()))
}

test('the lists of all frameworks show the same in both browsers, and a page needs one subscription', async () => {
  const [ada, grace] = [await signIn('ada@example.com'), await signIn('grace@example.com')]
  await ada.getByLabel('New board').fill('Launch')
  await ada.getByLabel('New board').press('Enter')
  await ada.getByLabel('Add member').fill('grace@example.com')
  await ada.getByLabel('Add member').press('Enter')
  await grace.getByRole('button', { name: 'Launch' }).waitFor()
  const pages = [ada, grace]
  for (const page of pages) {
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => record(String(payload))))
    await page.goto(`${address}/lists.html`)
  }
  const show = (cards: string) => expect.poll(() => shown(pages)).toEqual(Array(6).fill(cards))

  await add(ada, 'React', 'One')
  await show('One todo')
  await add(grace, 'Vue', 'Two')
  await show('One todo,Two todo')
  await add(ada, 'Svelte', 'Three')
  await show('One todo,Two todo,Three todo')
  await Promise.all([press(ada, 'Vue', 'Finish One'), press(grace, 'Svelte', 'Delete Two')])
  await show('One done,Three todo')
  await press(grace, 'React', 'Finish Three')
  await show('One done,Three done')
  if (process.env.PICTURES) await ada.screenshot({ path: join(process.env.PICTURES, 'kanban-layers.png') })

  expect(subscribed).toEqual(['cards', 'cards'])
  expect(problems).toEqual([])
})
