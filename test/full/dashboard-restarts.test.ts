/** The emulator under the open page is restarted again and again: RESTARTS says how often. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboardPages, dashboardPlace } from '../../cli/target/dashboard-address.js'
import { type Emulator, startEmulator } from '../../emulator/dev.js'
import { type DashboardWorld, openDashboard } from '../dashboard/world.js'

const restarts = Number(process.env.RESTARTS ?? 1_000)

let folder: string
let world: DashboardWorld
let running: Emulator
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-restarts-'))
  world = await openDashboard({ memory: false, dir: folder })
  running = world.emulator
})
afterAll(async () => {
  await running.close()
  await world.close().catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

it(`after ${restarts} restarts the page says nothing of them, and no edit is lost`, {
  timeout: restarts * 60_000,
}, async () => {
  const { page, client, goTo, emulator, faults } = world
  await client.collections.create({ name: 'posts' })
  const { id } = await client.collection('posts').create({ title: 'Begun', round: -1 })
  const places = [
    ...dashboardPages.map((name) => dashboardPlace(emulator, name)),
    dashboardPlace(emulator, 'data', `posts/${id}`),
  ]
  const start = () => startEmulator({ memory: false, dir: folder, port: Number(new URL(emulator.url).port) })

  for (let round = 0; round < restarts; round++) {
    // Something is typed and not saved, whatever page is then looked at.
    await goTo(`data/posts/${id}`)
    const editor = page.locator('.cm-content')
    await editor.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(JSON.stringify({ title: 'Typed', round }))
    await page.getByRole('button', { name: /^Save/ }).and(page.locator(':enabled')).waitFor()
    // Numbers that look random, and are the same in each run.
    const place = places[(round * 7_919) % places.length] ?? ''
    await page.evaluate((path) => {
      history.pushState(null, '', path)
    }, place)

    await running.close()
    await page.getByText('not answering; shown as it was last').waitFor()
    running = await start()
    await page.getByText('not answering').waitFor({ state: 'detached' })

    // What was asked meanwhile is asked again once the emulator answers.
    const alerts = () => page.getByRole('alert').allTextContents()
    await expect.poll(alerts, { message: `on ${place}, round ${round}` }).toEqual([])
    await page.evaluate((path) => {
      history.pushState(null, '', path)
    }, `/_svc/data/posts/${id}`)
    await expect.poll(() => editor.textContent()).toContain(`"round":${round}`)
    await editor.click()
    await page.keyboard.press('ControlOrMeta+S')
    await expect.poll(async () => (await client.collection('posts').get(id)).data.round).toBe(round)
    expect(faults.filter((words) => !/ERR_|Failed to fetch/.test(words))).toEqual([])
  }
})
