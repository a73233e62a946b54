/** Hostile and broken data in a dashboard, and how its pages show them. */
import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from '../dashboard/world.js'

const openWorld = worldsOfFile()
let world: DashboardWorld
beforeEach(async () => {
  world = await openWorld()
})

const deep = (levels: number): object =>
  Array.from({ length: levels - 1 }).reduce<object>((inner) => ({ a: inner }), {})

const documents: Readonly<Record<string, object>> = {
  'of 1 MB': { title: 'of 1 MB', text: 'x'.repeat(990_000) },
  '64 levels deep': { title: '64 levels deep', ...deep(63) },
  'of 10,000 keys': {
    title: 'of 10,000 keys',
    ...Object.fromEntries(Array.from({ length: 9_990 }, (_, n) => [`key ${n}`, n])),
  },
  'of HTML': { title: 'of HTML', html: '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>' },
  'of right-to-left text': { title: 'of right-to-left text', text: 'שלום \u202e evil', '\u202e': 'עולם' },
  'of control characters': { title: 'of control characters', text: '\u0001\u001b[2J\u007f\r\n\t', '\u001b': 1 },
  'of hostile keys': JSON.parse(
    '{"title":"of hostile keys","__proto__":{"a":1},"constructor":"x","toString":1,"a.b":2,"[0]":3,"length":4}',
  ),
}

it('shows a document of any kind, runs nothing of it, and saves a change of it', { timeout: 600_000 }, async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'odd' })
  for (const [kind, fields] of Object.entries(documents)) {
    const { id } = await client.collection('odd').create(fields as { title: string })
    await goTo(`data/odd/${id}`)
    await page.getByText(/version 1\b/).waitFor()
    for (const tab of ['Form', 'Linked', 'History', 'JSON']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
    }
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.insertText('"added": true,')
    await page.keyboard.press('ControlOrMeta+S')
    await page.getByText(/version 2\b/).waitFor()
    const { data } = await client.collection('odd').get(id)
    expect(data, kind).toEqual({ ...fields, added: true })
  }
  await goTo('data/odd')
  await page.getByRole('row').filter({ hasText: 'of HTML' }).waitFor()
  await goTo('relations')
  await goTo('console')
  await page.getByRole('textbox', { name: 'SQL query', exact: true }).click()
  await page.keyboard.insertText('select * from odd ')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText(/the first|\d+ rows/).waitFor()

  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(world.faults).toEqual([])
})

it('lists 5,000 collections with names of 63 characters, and finds one', { timeout: 900_000 }, async () => {
  const { page, client, goTo } = world
  const count = Number(process.env.COLLECTIONS ?? 5_000)
  const nameOf = (n: number) => `c${String(n).padStart(4, '0')}_${'x'.repeat(57)}`
  for (let n = 0; n < count; n += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - n) }, (_, at) => client.collections.create({ name: nameOf(n + at) })),
    )
  }
  for (const place of ['data', 'console', 'relations', 'home']) {
    await goTo(place === 'home' ? '' : place)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  await goTo(`data/${nameOf(count - 1)}`)
  await page.getByRole('heading', { name: nameOf(count - 1), exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type(nameOf(7).slice(0, 6))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: nameOf(7), exact: true }).waitFor()
  const widest = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

  expect(widest).toBeLessThanOrEqual(0)
  expect(world.faults).toEqual([])
})

it('says that an upload was cut, keeps nothing of it, and takes it again', async () => {
  const { page, client, goTo } = world
  await goTo('files')
  let cut = true
  await page.route('**/storage/**', (route) =>
    cut && route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
  )
  await page.route('**/files**', (route) =>
    cut && route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
  )
  const file = { name: 'cut.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, 1) }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.locator('.strip .bad').waitFor()
  expect((await client.files.list()).items).toEqual([])
  cut = false
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('cell', { name: 'cut.bin', exact: true }).waitFor()
  await page.unrouteAll()

  expect((await client.files.list()).items).toMatchObject([{ name: 'cut.bin', size: 3_000_000 }])
})

it('shows every page with the clock a year ahead, and says that it is', async () => {
  const { page, client, goTo, emulator } = world
  await client.collections.create({ name: 'odd' })
  await client.collection('odd').create({ title: 'Of today' })
  const headers = { 'svc-control-token': emulator.controlToken, 'content-type': 'application/json' }
  const body = JSON.stringify({ advance: 365 * 86_400_000 })
  await fetch(`${emulator.url}/_svc/api/clock`, { method: 'PATCH', headers, body })
  for (const place of ['', 'data/odd', 'users', 'mail', 'requests', 'realtime', 'snapshots', 'simulate']) {
    await goTo(place)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getByRole('alert').count(), place).toBe(0)
  }
  await page.getByText(/clock/).first().waitFor()
  expect(await page.locator('header').first().textContent()).not.toContain('clock real')
  expect(world.faults).toEqual([])
})
