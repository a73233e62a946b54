/** The templates `vue` and `svelte` in a real Chromium, developed and built. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { openTemplateApp } from '../fixtures/packages/template-app.js'

let chromium: OpenBrowser

beforeAll(async () => {
  chromium = await openChromium()
})
afterAll(() => chromium?.close())

const task = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })

interface Connection {
  readonly email?: string
  readonly subscriptions: readonly { readonly collection: string }[]
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('New task').fill(title)
  await page.getByLabel('New task').press('Enter')
}

test.each([
  ['vue', ['vite', 'vue', '@vitejs/plugin-vue']],
  ['svelte', ['vite', 'svelte', '@sveltejs/vite-plugin-svelte']],
])(
  '%s: two browsers follow each other, through edits and a restart of the service, and it can be built',
  async (template, linked) => {
    const app = await openTemplateApp(template, linked)
    const problems: string[] = []
    let address = ''
    const openPage = async () => {
      const page = await (await chromium.newContext({ viewport: { width: 900, height: 700 } })).newPage()
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(address)
      return page
    }
    const signIn = async (page: Page, password = 'Correct4Horse') => {
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    /** The subscriptions of all pages. */
    const subscriptions = async () => {
      const connections: Connection[] = JSON.parse(await app.svc('connections', 'list', '--json'))
      // Leaves out the one of `svc dev`, which keeps the types up to date.
      const ofPages = connections.filter(({ email }) => email === 'ada@example.com')
      return ofPages.flatMap((connection) => connection.subscriptions.map(({ collection }) => collection))
    }
    const startEmulator = async (port: string) => {
      const typed = app.type(`npx svc dev --port ${port}`)
      const said = await typed.until(/\.env\.local has this address and key/)
      return { typed, port: /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? '' }
    }

    try {
      const emulator = await startEmulator('0')
      const served = await app.type('npm run dev').until(/http:\/\/localhost:\d+/)
      address = /http:\/\/localhost:\d+/.exec(served)?.[0] ?? ''
      const [page, other] = [await openPage(), await openPage()]
      await signIn(page, 'wrong')
      await page.getByRole('alert').waitFor()
      await signIn(page)
      await signIn(other)
      await task(page, 'Open this page twice').waitFor()

      await add(page, 'Milk')
      await task(other, 'Milk').waitFor()
      await other.getByLabel('Finish Milk').click()
      await page.locator('li.done').filter({ hasText: 'Milk' }).waitFor()
      if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${template}.png`) })
      await page.getByLabel('Delete Milk').click()
      await task(other, 'Milk').waitFor({ state: 'detached' })

      // An edited component is exchanged in the page, which keeps its state and its one subscription.
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
      const component = join(app.folder, `src/tasks.${template}`)
      const text = await readFile(component, 'utf8')
      for (const edited of ['First edit', 'Second edit']) {
        await writeFile(component, text.replace(/(title = (?:ref|\$state)\()''/, `$1'${edited}'`))
        await expect.poll(() => page.getByLabel('New task').inputValue()).toBe(edited)
      }
      await writeFile(component, text)
      await expect.poll(() => page.getByLabel('New task').inputValue()).toBe('')
      await add(other, 'Bread')
      await task(page, 'Bread').waitFor()
      expect(await page.evaluate(() => Object(globalThis).isSamePage)).toBe(true)
      await expect.poll(subscriptions).toEqual(['tasks', 'tasks'])

      await emulator.typed.end()
      await add(page, 'While away')
      await task(page, 'While away').waitFor()
      await page.getByText('1 not saved yet').waitFor()
      await startEmulator(emulator.port)
      await task(other, 'While away').waitFor()
      await page.locator('ul[aria-busy=false]').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Email').waitFor()
      await app.type('npm run build').until(/built in/, true)

      const generated = await readFile(join(app.folder, 'src/svc-types.ts'), 'utf8')
      expect(generated).toBe(
        await readFile(new URL(`../../templates/${template}/src/svc-types.ts`, import.meta.url), 'utf8'),
      )
      expect(problems).toEqual([])
      await page.context().close()
      await other.context().close()
    } finally {
      await app.close()
    }
  },
)
