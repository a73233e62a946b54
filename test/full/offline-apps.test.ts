/** Apps that keep writes in a real Chromium: two browsers at once, one of which is offline for a while. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp, type TemplateApp } from '../fixtures/packages/template-app.js'

/** Longer than every backoff, so that the app has given up being quick. */
const offlineMilliseconds = 60_000

let chromium: OpenBrowser

beforeAll(async () => {
  chromium = await openChromium()
})
afterAll(() => chromium?.close())

/** Lines of the guide. */
const persist = `
import { offline } from 'svc-toolkit-client/offline'
import { openStore } from 'svc-toolkit-client/store'
openStore(svc, { persist: offline() })
`

interface OpenApp extends TemplateApp {
  openAs(email: string): Promise<Page>
  /** Errors that pages did not catch. */
  readonly problems: string[]
}

/** Builds a template with the service worker of the guide, and serves it. */
async function openApp(template: string, linked: readonly string[], main: string): Promise<OpenApp> {
  const app = await openTemplateApp(template, linked)
  const guide = await readFile(new URL('../../docs/guides/offline.md', import.meta.url), 'utf8')
  const [, worker = ''] = /```javascript\n(\/\/ public\/sw\.js[\s\S]*?)```/.exec(guide) ?? []
  await mkdir(join(app.folder, 'public'), { recursive: true })
  await writeFile(join(app.folder, 'public/sw.js'), worker)
  await appendFile(join(app.folder, main), "\nvoid navigator.serviceWorker?.register('/sw.js')\n")
  if (template !== 'kanban') await appendFile(join(app.folder, 'src/svc.ts'), persist)
  await app.type('npx svc dev --port 0').until(/\.env\.local has this address and key/)
  await app.type('npm run build').until(/built in/, true)
  const served = await app.type('npx vite preview').until(/http:\/\/localhost:\d+/)
  const address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
  const problems: string[] = []
  return {
    ...app,
    problems,
    async openAs(email) {
      const page = await (await chromium.newContext({ viewport: { width: 1000, height: 640 } })).newPage()
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(address)
      // From the second visit on, the page opens without a connection.
      await page.evaluate('navigator.serviceWorker.ready')
      await page.reload()
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill('Correct4Horse')
      await page.getByRole('button', { name: 'Sign in' }).click()
      return page
    },
  }
}

async function enter(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text)
  await page.getByLabel(label, { exact: true }).press('Enter')
}

const column = (page: Page, name: string) => page.getByRole('region', { name })
const card = (page: Page, name: string, title: string) =>
  column(page, name).getByRole('listitem').filter({ hasText: title })
/** Titles of the cards of each column, in order. */
const cardsOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('section')].map((section) =>
      [...section.querySelectorAll('li > button:first-child')].map(({ textContent }) => textContent),
    ),
  )
const picture = (page: Page, name: string) =>
  process.env.PICTURES ? page.screenshot({ path: join(process.env.PICTURES, `offline-${name}.png`) }) : undefined

test('kanban: what two members do while one is offline and reloads is the same for both in the end', async () => {
  const app = await openApp(
    'kanban',
    ['vite', 'react', 'react-dom', 'typescript', '@types/react', '@types/react-dom'],
    'src/main.tsx',
  )
  try {
    const [ada, grace] = [await app.openAs('ada@example.com'), await app.openAs('grace@example.com')]
    await enter(ada, 'New board', 'Launch')
    await enter(ada, 'Add member', 'grace@example.com')
    for (const title of ['Write', 'Test', 'Ship']) await enter(ada, 'New card in To do', title)
    await grace.getByRole('button', { name: 'Launch' }).waitFor()
    await expect.poll(() => cardsOf(grace)).toEqual([['Write', 'Test', 'Ship'], [], []])

    await grace.context().setOffline(true)
    await enter(grace, 'New card in To do', 'Offline')
    await card(grace, 'To do', 'Write').dragTo(column(grace, 'Done'))
    await grace.getByLabel('Delete Ship').click()
    await grace.getByText('Offline, 3 waiting').waitFor()
    await picture(grace, 'kanban-waiting')
    await enter(ada, 'New card in To do', 'Online')
    await card(ada, 'To do', 'Test').dragTo(column(ada, 'Doing'))
    await expect.poll(() => cardsOf(ada)).toEqual([['Write', 'Ship', 'Online'], ['Test'], []])

    await grace.reload()
    await grace.getByText('Offline, 3 waiting').waitFor()
    await expect.poll(() => cardsOf(grace)).toEqual([['Test', 'Offline'], [], ['Write']])
    // A card that the service does not know yet.
    await card(grace, 'To do', 'Offline').dragTo(column(grace, 'Doing'))
    await grace.getByText('Offline, 4 waiting').waitFor()
    await picture(grace, 'kanban-reloaded')
    await new Promise((resolve) => setTimeout(resolve, offlineMilliseconds))

    await grace.context().setOffline(false)
    const both = [['Online'], ['Test', 'Offline'], ['Write']]
    await expect.poll(() => cardsOf(ada)).toEqual(both)
    await expect.poll(() => cardsOf(grace)).toEqual(both)
    await grace.getByText('waiting').waitFor({ state: 'detached' })
    await picture(grace, 'kanban-after')
    const stored = JSON.parse(await app.svc('docs', 'list', 'cards', '--sort', 'position', '--json')) as {
      items: { data: { column: string; title: string } }[]
    }
    const saved = ['todo', 'doing', 'done'].map((name) =>
      stored.items.filter(({ data }) => data.column === name).map(({ data }) => data.title),
    )
    expect(saved).toEqual(both)
    expect(app.problems).toEqual([])
    for (const page of [ada, grace]) await page.context().close()
  } finally {
    await app.close()
  }
})

const tasksOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('li')].map((item) => [
      item.querySelector('span')?.textContent,
      item.classList.contains('done'),
    ]),
  )

test.each([
  ['vue', ['vite', 'vue', '@vitejs/plugin-vue']],
  ['svelte', ['vite', 'svelte', '@sveltejs/vite-plugin-svelte']],
])(
  '%s: its list keeps what is written offline over a reload, with three lines of the guide',
  async (template, linked) => {
    const seeded = 'Open this page twice, and watch it follow'
    const app = await openApp(template, linked, 'src/main.ts')
    try {
      const [page, other] = [await app.openAs('ada@example.com'), await app.openAs('ada@example.com')]
      for (const one of [page, other]) await expect.poll(() => tasksOf(one)).toEqual([[seeded, false]])

      await page.context().setOffline(true)
      await enter(page, 'New task', 'Offline')
      await page.getByLabel(`Finish ${seeded}`).click()
      await page.getByText('2 not saved yet').waitFor()
      await enter(other, 'New task', 'Online')
      await page.reload()
      const offline = [
        ['Offline', false],
        [seeded, true],
      ]
      await expect.poll(() => tasksOf(page)).toEqual(offline)
      await picture(page, template)
      await page.context().setOffline(false)

      const both = [offline[0], ['Online', false], offline[1]]
      for (const one of [page, other]) await expect.poll(() => tasksOf(one)).toEqual(both)
      expect(app.problems).toEqual([])
      for (const one of [page, other]) await one.context().close()
    } finally {
      await app.close()
    }
  },
)
