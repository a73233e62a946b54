/** The page Parity: runs, findings, and accepting a difference. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { worldsWithRuns } from './parity-runs.js'
import type { DashboardWorld } from './world.js'

const openWorld = worldsWithRuns()
let world: DashboardWorld
let folder: string

beforeEach(async () => {
  const opened = await openWorld()
  world = opened
  folder = opened.folder
})

const pane = () => world.page.getByRole('region', { name: 'Finding', exact: true })
const findings = () => world.page.getByRole('region', { name: 'Findings', exact: true })

test('shows the newest run with score and coverage, worst finding first, and both exchanges', async () => {
  const { page } = world
  await world.goTo('parity')

  const figures = page.getByRole('list', { name: 'Figures', exact: true })
  await figures.getByText('3 of 5 compared cases agree', { exact: true }).waitFor()
  await figures.getByText('5 of 6 cases could be compared', { exact: true }).waitFor()
  await figures.getByText('71', { exact: true }).waitFor()
  await pane().getByRole('heading', { name: 'filters.double-or', exact: true }).waitFor()
  await pane()
    .getByText(/"from here"/)
    .waitFor()
  await pane()
    .getByText(/"from there"/)
    .waitFor()
  await findings()
    .getByText(/9 of 74 requests/)
    .first()
    .waitFor()
  await world.expectAccessible()

  await page.keyboard.press('j')
  await pane().getByText('Treat 400 and 401 alike.', { exact: true }).waitFor()
  await page
    .getByRole('button', { name: /^filters\b(?!\.)/ })
    .first()
    .click()
  await pane().getByRole('heading', { name: 'filters.double-or', exact: true }).waitFor()
  expect(await findings().getByText('keys.wrong', { exact: true }).count()).toBe(0)

  await page.getByLabel('Run', { exact: true }).selectOption('m1x2y3z4old')
  await figures.getByText('3 of 4 compared cases agree', { exact: true }).waitFor()

  await pane().getByRole('link', { name: '/collections/posts/documents?title=tea', exact: true }).click()
  const filtered = page.getByLabel('Path starts with', { exact: true })
  await filtered.waitFor()
  expect([await filtered.inputValue(), await page.getByLabel('Method', { exact: true }).inputValue()]).toEqual([
    '/collections/posts/documents',
    'GET',
  ])
  expect(world.faults).toEqual([])
})

test('Accept needs a reason and an end within a year, and writes parity.lock.json', async () => {
  const { page } = world
  await world.goTo('parity')
  await pane().waitFor()
  await page.keyboard.press('j')
  const accept = pane().getByRole('button', { name: 'Accept', exact: true })
  const end = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)

  await pane().getByLabel('Reason', { exact: true }).fill('The app treats both alike.')
  expect(await accept.isDisabled()).toBe(true)
  await pane().getByLabel('Accept until', { exact: true }).fill('2099-01-01')
  expect(await accept.isDisabled()).toBe(true)
  await pane().getByLabel('Accept until', { exact: true }).fill(end)
  await accept.click()

  const lock = join(folder, 'parity.lock.json')
  await page.getByText(`Accepted keys.wrong in ${lock}`, { exact: true }).waitFor()
  await findings()
    .getByText(/until .* · The app treats both alike\./)
    .waitFor()
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual({
    accepted: [{ id: 'keys.wrong', part: 'status', reason: 'The app treats both alike.', until: end }],
  })
})

test('Apply sets the advised dialect, and can be undone', async () => {
  const { page, emulator } = world
  await world.goTo('parity')
  await pane().getByRole('heading', { name: 'filters.double-or', exact: true }).waitFor()

  await page.keyboard.press('a')
  await page.getByText('Set the dialect to a, put=merge', { exact: true }).waitFor()
  expect(await dialectOf(emulator.url)).toBe('a, put=merge')
  await page.getByRole('button', { name: /^Undo/ }).click()

  await expect.poll(() => dialectOf(emulator.url)).toBe('a')
})

async function dialectOf(url: string): Promise<string | null> {
  return (await fetch(`${url}/collections`, { headers: { 'x-api-key': world.emulator.apiKey } })).headers.get(
    'svc-dialect',
  )
}

test('an emulator refuses what a page would not send, and never overwrites an invalid lock file', async () => {
  const ask = (body: object) =>
    fetch(`${world.emulator.url}/_svc/api/parity/accepted`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-control-token': world.emulator.controlToken },
      body: JSON.stringify(body),
    })
  const entry = { id: 'keys.wrong', part: 'status', reason: 'Known.', until: '2099-01-01' }
  const today = new Date().toISOString().slice(0, 10)

  const tooLong = await ask(entry)
  const withoutReason = await ask({ ...entry, until: today, reason: '  ' })
  writeFileSync(join(folder, 'parity.lock.json'), 'mine')
  const overInvalid = await ask({ ...entry, until: today })

  expect(await tooLong.text()).toContain('\\"until\\" must be from')
  expect(withoutReason.status).toBe(422)
  expect(overInvalid.status).toBe(412)
  expect(readFileSync(join(folder, 'parity.lock.json'), 'utf8')).toBe('mine')
})

test('at 390 px, nothing is wider than the window', async () => {
  await world.goTo('parity')
  await world.page.setViewportSize({ width: 390, height: 844 })
  await pane().waitFor()

  expect(await world.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await pane().getByLabel('Reason', { exact: true }).scrollIntoViewIfNeeded()
})

test('a folder without a run names the command', async () => {
  rmSync(join(folder, '.svc', 'parity'), { recursive: true })
  await world.goTo('parity')

  await world.page.getByText('svc parity run --against staging', { exact: true }).waitFor()
})
