/** An emulator, and its dashboard in a real Chromium. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Client, createClient } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { mostMilliseconds } from '../fixtures/patience.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'

export interface DashboardWorld {
  readonly emulator: Emulator
  /** As the owner. */
  readonly client: Client
  readonly page: Page
  readonly context: BrowserContext
  /** Errors on the page, which fail a test. */
  readonly faults: string[]
  /** Another one, of the same size and as patient. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Opens a page of the dashboard by its path, such as `data/posts`. */
  goTo(path?: string): Promise<void>
  /** The row of a list that has this text in it by itself: alone in its cell, or in an element of that. */
  row(text: string): Locator
  /** Goes there by the palette and the keyboard alone: what is typed, and the entry that comes first then. */
  goByPalette(typed: string, entry?: string): Promise<void>
  /** Finds no serious fault of accessibility. */
  expectAccessible(): Promise<void>
  close(): Promise<void>
}

/** How long a busy machine may take for anything. */
export const patience = mostMilliseconds

/** Until the page of a document shows that version of it. */
export async function untilVersion(page: Page, version: number): Promise<void> {
  await page
    .locator('.pane-facts')
    .getByText(new RegExp(` version ${version} `))
    .waitFor()
}

type Options = Parameters<typeof startEmulator>[0]

/**
 * One browser for a file; what is answered opens a world in it, which is closed after the test. Opened in a test or in
 * `beforeEach`, each try has a world of its own: the gate tries twice, and what the first try left is not there.
 *
 * @param isShared whether worlds without options share an emulator, which is emptied for each, except for its keys
 * and its login provider. Tests must not change these or end the process.
 */
export function worldsOfFile({ isShared = false } = {}): (options?: Options) => Promise<DashboardWorld> {
  let chromium: OpenBrowser | undefined
  let shared: Awaited<ReturnType<typeof startShared>> | undefined
  const open: DashboardWorld[] = []
  beforeAll(async () => {
    chromium = await openChromium()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((world) => world.close()))
  })
  afterAll(async () => {
    await chromium?.close()
    await shared?.emulator.close()
  })
  return async (options) => {
    if (!chromium) throw new Error('A world is opened in a test or in beforeEach.')
    const mayShare = isShared && options === undefined
    if (mayShare) await shared?.empty()
    if (mayShare) shared ??= await startShared()
    const world = await openIn(chromium, options, mayShare ? shared?.emulator : undefined)
    open.push(world)
    return world
  }
}

/** A world in a browser of its own, for files of one long test. */
export async function openDashboard(options: Options = {}): Promise<DashboardWorld> {
  const chromium = await openChromium()
  try {
    const world = await openIn(chromium, options)
    return { ...world, close: () => world.close().finally(() => chromium.close()) }
  } catch (error) {
    await chromium.close()
    throw error
  }
}

async function startShared() {
  const emulator = await startEmulator({ memory: true })
  const { projects, snapshots, clock, faults } = controlOf(emulator)
  const project = emulator.projectId
  // The login provider is shown without its secrets, and not set.
  const { idp: _, ...settings } = (await projects.get({ project })).settings
  return {
    emulator,
    async empty() {
      for (const { id } of (await projects.list()).projects) if (id !== project) await projects.remove({ project: id })
      for (const { name } of (await snapshots.list({ project })).snapshots) {
        await snapshots.remove({ project, snapshot: name })
      }
      await projects.reset({ project })
      await projects.update({ project, settings })
      await clock.ofProject.reset({ project })
      await clock.reset()
      await faults.clear()
      emulator.forgetRequests()
    },
  }
}

async function openIn({ browser }: OpenBrowser, options: Options, shared?: Emulator): Promise<DashboardWorld> {
  const emulator = shared ?? (await startEmulator({ memory: true, ...options }))
  const client = createClient({ url: emulator.url, apiKey: emulator.secretKey ?? emulator.apiKey })
  const contexts: BrowserContext[] = []
  async function close() {
    await Promise.all(contexts.map((each) => each.close()))
    if (!shared) await emulator.close()
  }
  try {
    const newContext = async (more: BrowserContextOptions = {}) => {
      const made = await browser.newContext({
        ...{ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' as const },
        ...more,
      })
      await made.grantPermissions(['clipboard-read', 'clipboard-write'])
      made.setDefaultTimeout(patience)
      contexts.push(made)
      return made
    }
    const context = await newContext()
    const page = await context.newPage()
    // Leaving with something typed is asked about by the browser.
    page.on('dialog', (dialog) => void dialog.accept())
    // Else the browser is asked to hand choosers over only once one is waited for, and a key opens it sooner than that.
    page.on('filechooser', () => undefined)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      // A refused request is shown by the page; the browser says it too.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text())
    })
    await page.goto(`${emulator.dashboardUrl}#token=${emulator.controlToken}`)
    await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
    return {
      ...{ emulator, client, page, context, faults, newContext },
      async goTo(path = '') {
        await page.goto(emulator.dashboardUrl + path)
        await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
      },
      row: (text) => page.getByRole('row').filter({ has: page.getByText(text, { exact: true }) }),
      goByPalette: (typed, entry = typed) => goByPalette(page, typed, entry),
      expectAccessible: () => expectAccessible(page),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Keys that come before the field has the focus, or before the list follows what was typed, would go elsewhere. */
async function goByPalette(page: Page, typed: string, entry: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K')
  await page.locator('.palette-input:focus').waitFor()
  await page.keyboard.type(typed)
  await page.locator('.palette-item[data-highlighted]').getByText(entry, { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.palette-input').waitFor({ state: 'detached' })
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
