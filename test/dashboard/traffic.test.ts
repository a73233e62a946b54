import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  await world.client.collections.create({ name: 'posts', schema: { views: { type: 'integer' } } })
})

const row = (text: string) => world.row(text)

it('explains a refused request, and sends it again, mended', async () => {
  const { page, emulator, client, goTo } = world
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  await app
    .collection('posts')
    .create({ views: 'many' })
    .catch(() => undefined)
  await goTo('requests')

  await row('422').click()
  await page.getByText('Why 422?', { exact: true }).waitFor()
  await page
    .locator('.why')
    .getByText(/"views" is not of type "integer"/)
    .waitFor()
  await page.getByRole('tab', { name: /^SQL/ }).click()
  // Statements with secret values are not recorded.
  await page.getByRole('button', { name: 'plan', exact: true }).nth(1).click()
  await page.locator('.plan').getByText(/cost=/).first().waitFor()
  await page.getByRole('tab', { name: 'Timing', exact: true }).click()
  await page.getByText('waiting for the database', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{"data": {"views": 7}}')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(/^The answer was 422 and is now 201/).waitFor()
  await page.locator('.tab-panel .status').getByText('201', { exact: true }).waitFor()

  expect((await client.collection('posts').list()).items).toMatchObject([{ data: { views: 7 } }])
  await page.getByRole('button', { name: 'Copy as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'client code', exact: true }).click()
  await page.getByText('Copied client code', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "svc.collection('posts').create({ views: 'many' })",
  )
  await world.expectAccessible()
  // Filtered rows are not reported as missing, and each filter can be seen and removed.
  await app.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  await goTo(`requests?user=${(await client.users.list()).items[0]?.id}`)
  await page.getByRole('heading', { name: 'No request matches', exact: true }).waitFor()
  await page.locator('.pill').getByText('ada@example.com', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove this filter', exact: true }).click()
  await row('422').waitFor()
  await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('DELETE')
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await row('422').waitFor()
  await controlOf(emulator).requests.clear({})
  await page.getByRole('heading', { name: 'No requests yet', exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('shows who listens and closes one, and what happens as it happens', async () => {
  const { page, emulator, goTo } = world
  const app = createClient({ url: emulator.url, apiKey: emulator.apiKey })
  const subscription = app.collection('posts').subscribe({ where: { views: { gte: 5 } }, onChange: () => undefined })
  await subscription.ready
  await goTo('realtime')

  const listener = page.locator('.connections > li').filter({ hasText: '"views' })
  await listener.getByRole('button', { name: 'Close', exact: true }).click()
  await page
    .getByText(/connection closed/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Send an event', exact: true }).click()
  await page.getByRole('textbox', { name: 'Fields', exact: true }).fill('{"views": 8, "title": "By hand"}')
  await page.getByRole('button', { name: 'Write', exact: true }).click()
  await page.getByText(/“By hand”/).waitFor()

  await world.expectAccessible()
  await goTo('requests')
  await row('open').waitFor()
  subscription.close()
  await expect.poll(() => row('open').count()).toBe(0)
  expect(world.faults).toEqual([])
})

it('uploads by drop with a preview, deletes, and takes that back', async () => {
  const { page, client, emulator, goTo } = world
  await goTo('files')
  const folder = join(tmpdir(), `svc-upload-${process.pid}.txt`)
  await writeFile(folder, 'The first letter')
  const dropped = await page.evaluateHandle(
    async (text) => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'letter.txt', { type: 'text/plain' }))
      return data
    },
    await readFile(folder, 'utf8'),
  )

  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
  await row('letter.txt').click()
  await page.getByText('The first letter', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Deleted letter.txt', { exact: true }).waitFor()
  expect((await client.files.list()).total).toBe(0)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await row('letter.txt').waitFor()

  const [file] = (await client.files.list()).items
  expect(await (await client.files.download(file?.url ?? '')).text()).toBe('The first letter')
  await world.expectAccessible()
  // By another name of the machine the page shows its files, and names none that it was not opened by.
  const here = emulator.dashboardUrl.replace('127.0.0.1', 'localhost')
  await page.goto(`${here}#token=${emulator.controlToken}`)
  await page.getByText('Secret key', { exact: true }).waitFor()
  expect(await page.getByText(/127\.0\.0\.1/).allTextContents()).toEqual([])
  await client.collection('posts').create({ title: 'Read me', cover: file?.url ?? '' })
  await page.goto(`${here}files/${file?.id}`)
  await page.getByText('The first letter', { exact: true }).waitFor()
  await page.goto(`${here}data/posts`)
  await row('Read me').click()
  await page.getByRole('tab', { name: /^Files/ }).click()
  await page.getByText('The first letter', { exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('saves a snapshot, shows what has changed since, and loads it', async () => {
  const { page, client, goTo } = world
  await goTo('snapshots')
  const before = await client.collection('posts').count()
  await page.getByRole('button', { name: 'Save a snapshot', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('friday')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await row('friday').waitFor()
  await client.collection('posts').create({ title: 'Later' })

  await row('friday').click()
  await page.locator('.changes').getByText('+1', { exact: true }).waitFor()
  await client.collection('posts').create({ title: 'Later still' })
  const readAgain = page.getByRole('button', { name: 'Refresh', exact: true })
  await readAgain.waitFor()
  const changesNow = async () => {
    if (await readAgain.isVisible()) await readAgain.click()
    return (await page.locator('.changes').allTextContents()).join()
  }
  await expect.poll(changesNow).toContain('+2')
  await page.getByRole('button', { name: 'Load', exact: true }).click()
  await page.getByText('Loaded friday', { exact: true }).waitFor()

  expect(await client.collection('posts').count()).toBe(before)
  await world.expectAccessible()
  expect(world.faults).toEqual([])
})

it('adds and removes faults, moves the clock, and changes settings with undo', async () => {
  const { page, emulator, goTo } = world
  await goTo('simulate')
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('status')
  await page.getByLabel('Path', { exact: true }).fill('/collections/nothing/**')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('/collections/nothing/**', { exact: true }).waitFor()
  await page.getByText('1 active fault', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('no faults', { exact: true }).waitFor()
  await page.getByRole('button', { name: '+30 days', exact: true }).click()
  await page.getByRole('link', { name: 'clock +30 d', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('link', { name: 'clock real', exact: true }).waitFor()
  await world.expectAccessible()
  const { projectId: project } = emulator
  const control = controlOf(emulator)
  await control.clock.ofProject.change({ project, advance: 2 * 3_600_000 })
  await page.getByText(/This project has its own clock/).waitFor()
  await page.getByRole('button', { name: '+1 h', exact: true }).click()
  await page.getByRole('link', { name: 'clock +3 h', exact: true }).waitFor()
  expect((await control.clock.get()).offset).toBe(0)
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('link', { name: 'clock real', exact: true }).waitFor()
  expect((await control.clock.ofProject.get({ project })).offset).toBe(0)
  const rateLimit = async () => (await control.projects.get({ project })).settings.rateLimit
  await control.projects.update({ project, settings: { rateLimit: { minute: 500 } } })
  await page.getByRole('checkbox', { name: 'per minute', checked: true, exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'per hour', exact: true }).click()
  await page.getByText('Changed rateLimit', { exact: true }).waitFor()
  expect(await rateLimit()).toEqual({ minute: 500, hour: 10_000 })
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(rateLimit).toEqual({ minute: 500 })

  await goTo('settings')
  await page.getByLabel('tokenTtl', { exact: true }).fill('60')
  await page.locator('li').filter({ hasText: 'tokenTtl' }).getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('Changed tokenTtl', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => page.getByLabel('tokenTtl', { exact: true }).inputValue()).toBe('604800')
  await world.expectAccessible()
  expect(emulator.url).toContain('127.0.0.1')
  expect(world.faults).toEqual([])
})

it('lets the connections of the project break after its writes, a number of times, until a preset takes their place', async () => {
  const { page, emulator, goTo } = world
  const control = controlOf(emulator)
  const project = emulator.projectId
  await goTo('simulate')
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('drop')
  await page.getByRole('combobox', { name: 'When', exact: true }).selectOption('after')
  await page.getByRole('combobox', { name: 'Method', exact: true }).selectOption('POST')
  await page.getByLabel('Times', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('2 times, POST', { exact: true }).waitFor()

  expect((await control.faults.list()).faults).toMatchObject([
    { kind: 'drop', when: 'after', method: 'POST', times: 2, rate: 1, project },
  ])
  await page.getByRole('button', { name: 'rate-storm', exact: true }).click()
  await page.getByText('50 % · preset rate-storm', { exact: true }).waitFor()

  expect((await control.faults.list()).faults).toMatchObject([{ kind: 'status', status: 429, project }])
  await page.getByRole('button', { name: 'Remove all', exact: true }).click()
  await page.getByText('no faults', { exact: true }).waitFor()
  expect(world.faults).toEqual([])
})

it('takes the words of a list as they are typed, and names a refused setting as it is shown', async () => {
  const { page, goTo } = world
  await goTo('settings')
  const set = async (name: string, text: string) => {
    await page.getByLabel(name, { exact: true }).fill(text)
    await page.locator('li').filter({ hasText: name }).getByRole('button', { name: 'Set', exact: true }).click()
  }

  await set('selfRoles', 'buyer, seller')
  await page.getByText('Changed selfRoles', { exact: true }).waitFor()
  await set('tokenTtl', '5 minutes')
  await page.getByText('"tokenTtl": expected number, received string.', { exact: true }).waitFor()

  await expect.poll(() => page.getByLabel('selfRoles', { exact: true }).inputValue()).toBe('["buyer","seller"]')
  expect(world.faults).toEqual([])
})

it('goes anywhere by the palette and the keyboard alone, and shows the way on Home', async () => {
  const { page, client, goTo } = world
  await client.collection('posts').create({ title: 'One' })
  await goTo()
  await page.getByRole('heading', { name: /^First five minutes/ }).waitFor()
  await world.expectAccessible()

  await world.goByPalette('posts')
  await page.getByRole('heading', { name: 'posts', level: 1, exact: true }).waitFor()
  await page.keyboard.press('n')
  await page.getByRole('complementary').locator('input:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('New document in posts', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('table', { name: 'Documents in posts', exact: true }).focus()
  await page.keyboard.press('j')
  await page.getByRole('complementary', { name: 'Selected', exact: true }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  const opener = page.getByRole('button', { name: 'Pages', exact: true })
  const mail = page.getByRole('link', { name: /^Mail\b/ })
  await opener.click()
  await mail.click()
  const heading = page.getByRole('heading', { name: 'Mail', exact: true })
  await heading.waitFor()
  for (const close of [
    () => opener.click(),
    () => page.keyboard.press('Escape'),
    () => heading.click(),
    () => mail.click(),
  ]) {
    await opener.click()
    await mail.waitFor()
    expect(await opener.getAttribute('aria-expanded')).toBe('true')
    await close()
    await mail.waitFor({ state: 'hidden' })
    expect(await opener.getAttribute('aria-expanded')).toBe('false')
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(world.faults).toEqual([])
})
