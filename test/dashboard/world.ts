/** An emulator, and its dashboard in a real Chromium. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/dev.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'

export interface DashboardWorld {
  readonly emulator: Emulator
  /** As the owner. */
  readonly client: Client
  readonly page: Page
  readonly context: BrowserContext
  /** What the page has reported, which no test wants. */
  readonly faults: string[]
  /** Another one, of the same size and as patient. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Opens a page of the dashboard by its path, such as `data/posts`. */
  goTo(path?: string): Promise<void>
  /** Finds no serious fault of accessibility. */
  expectAccessible(): Promise<void>
  close(): Promise<void>
}

/** How long a busy machine may take for anything. */
export const patience = 60_000

export async function openDashboard(options: Parameters<typeof startEmulator>[0] = {}): Promise<DashboardWorld> {
  const emulator = await startEmulator({ memory: true, ...options })
  let chromium: OpenBrowser | undefined
  try {
    chromium = await openChromium()
    const { browser } = chromium
    const newContext = async (more: BrowserContextOptions = {}) => {
      const made = await browser.newContext({
        ...{ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' as const },
        ...more,
      })
      await made.grantPermissions(['clipboard-read', 'clipboard-write'])
      made.setDefaultTimeout(patience)
      return made
    }
    const context = await newContext()
    const page = await context.newPage()
    // Leaving with something typed is asked about by the browser.
    page.on('dialog', (dialog) => void dialog.accept())
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      // A refused request is shown by the page; the browser says it too.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text())
    })
    await page.goto(`${emulator.dashboardUrl}#token=${emulator.controlToken}`)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    return {
      ...{ emulator, page, context, faults, newContext },
      client: createClient({ url: emulator.url, apiKey: emulator.secretKey ?? emulator.apiKey }),
      async goTo(path = '') {
        await page.goto(emulator.dashboardUrl + path)
        await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      },
      expectAccessible: () => expectAccessible(page),
      async close() {
        await chromium?.close()
        await emulator.close()
      },
    }
  } catch (error) {
    await chromium?.close()
    await emulator.close()
    throw error
  }
}

declare const axe: typeof import('axe-core')

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource)
  const found = await page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  })
  expect(found).toEqual([])
}
