/** The emulator under open pages is restarted again and again. `RESTARTS` says how often. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dashboardPages, dashboardPageUrl } from '../../cli/target/dashboard-address.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type DashboardWorld, openDashboard, patience } from '../dashboard/world.js'

const restarts = Number(process.env.RESTARTS ?? 100)
/** A browser opens six connections to a server at most, and each page keeps one: so many pages share a context. */
const pagesOfContext = 4
const contexts = 2
// Below the ephemeral ports: no process takes it while the emulator is down.
const port = 20_000 + (process.pid % 10_000)

let folder: string
let world: DashboardWorld
let running: Emulator
const start = () => startEmulator({ memory: false, dir: folder, port })
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-restarts-'))
  world = await openDashboard({ memory: false, dir: folder, port })
  running = world.emulator
})
afterEach(async () => {
  await running.close()
  await world.close().catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

it(`after ${restarts} restarts no page says anything of them, and no edit is lost`, {
  timeout: restarts * 60_000,
}, async () => {
  const { client, emulator } = world
  await client.collections.create({ name: 'posts' })
  await client.collections.create({ name: 'authors' })
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  const posts = await client
    .collection('posts')
    .createMany(Array.from({ length: contexts }, (_, n) => ({ title: `Post ${n}`, author, round: -1 })))
  await client.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  const { items: users } = await client.users.list()
  const places = [
    ...dashboardPages.map((name) => dashboardPageUrl(emulator, name)),
    dashboardPageUrl(emulator, 'data', 'posts'),
    ...posts.map(({ id }) => dashboardPageUrl(emulator, 'data', `posts/${id}`)),
    dashboardPageUrl(emulator, 'users', users[0]?.id),
  ]
  const { pages, faults } = await openPages()
  const editors = posts.map(({ id }, at) => editorOf(pages[at * pagesOfContext], id))

  for (let round = 0; round < restarts; round++) {
    // Pseudo-random numbers, the same in each run.
    const placeOf = (at: number) => places[((round * pages.length + at) * 7_919) % places.length] ?? ''
    const turn = (phase: number) =>
      Promise.all(pages.map((page, at) => ((round + at) % 3 === phase ? show(page, placeOf(at)) : undefined)))
    const words = () => `round ${round}, on ${pages.map((_, at) => placeOf(at).split('/_svc/')[1]).join(', ')}`

    await Promise.all(editors.map((editor) => editor.type(round)))
    // A third of the pages are opened just before the emulator ends, a third while it is down, a third as it restarts.
    await turn(0)
    await running.close()
    await Promise.all(
      pages.map((page) => page.getByText('not answering; showing the last state', { exact: true }).waitFor()),
    )
    await turn(1)
    ;[running] = await Promise.all([start(), turn(2)])
    await Promise.all(
      pages.map(async (page) => {
        await page.getByText('not answering; showing the last state', { exact: true }).waitFor({ state: 'detached' })
        expect(await page.getByRole('alert').allTextContents(), words()).toEqual([])
      }),
    )

    // All that failed is read again, completely, without user input.
    const unread = () => Promise.all(pages.map(missingOn))
    await expect.poll(unread, { message: words(), timeout: patience }).toEqual(pages.map(() => ''))
    await Promise.all(editors.map((editor) => editor.save(round)))
    const stored = async () => (await client.collection('posts').list()).items.map(({ data }) => data.round)
    await expect.poll(stored, { message: words(), timeout: patience }).toEqual(posts.map(() => round))
    expect(faults, words()).toEqual([])
  }
})

/** The page of the world and others beside it, in contexts that have the token, too. */
async function openPages(): Promise<{ pages: readonly Page[]; faults: string[] }> {
  const storageState = await world.context.storageState()
  const faults = world.faults
  const pages = [world.page]
  for (let n = 0; n < contexts; n++) {
    const context = n === 0 ? world.context : await world.newContext({ storageState })
    while (pages.length < (n + 1) * pagesOfContext) pages.push(await context.newPage())
  }
  for (const page of pages.slice(1)) {
    page.on('dialog', (dialog) => void dialog.accept())
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(world.emulator.dashboardUrl)
    await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  }
  return { pages, faults }
}

/** Parts of a page that are not read: failures, and skeletons. */
async function missingOn(page: Page): Promise<string> {
  const isComing = (await page.locator('.skeleton').count()) > 0
  return [...(await page.locator('.failure').allTextContents()), ...(isComing ? ['loading'] : [])].join()
}

/** Goes there as a link does, without loading the page anew. */
function show(page: Page | undefined, place: string): Promise<void> | undefined {
  return page?.evaluate((path) => history.pushState(null, '', path), new URL(place, world.emulator.url).pathname)
}

/** A page on which a document is typed into, and saved only after the restart, whatever it has shown meanwhile. */
function editorOf(page: Page | undefined, id: string) {
  if (!page) throw new Error('Each document is edited on a page of its own.')
  const editor = page.locator('.cm-content')
  return {
    async type(round: number) {
      await show(page, `/_svc/data/posts/${id}`)
      await editor.click()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(JSON.stringify({ title: 'Typed', round }))
      await page.getByRole('button', { name: /^Save/ }).and(page.locator(':enabled')).waitFor()
    },
    async save(round: number) {
      await show(page, `/_svc/data/posts/${id}`)
      await expect.poll(() => editor.textContent(), { timeout: patience }).toContain(`"round":${round}`)
      await editor.click()
      await page.keyboard.press('ControlOrMeta+S')
    },
  }
}
