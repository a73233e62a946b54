import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startEmulator } from '../../emulator/assembly/dev.js'
import { patiently } from '../fixtures/patience.js'
import { worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })

it('keeps the token for one folder only, takes it out of the address, and says how to get in without it', async () => {
  const world = await openWorld()
  const { page, emulator, context } = world

  expect(page.url()).toBe(emulator.dashboardUrl)
  await page.reload()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()

  const stranger = await (await context.browser())?.newContext()
  const other = await stranger?.newPage()
  if (!other) throw new Error('There is no browser.')
  await other.goto(`${emulator.dashboardUrl}data/posts`)
  await other.getByText('This page needs a token', { exact: true }).waitFor()
  expect(await other.getByText('svc open', { exact: true }).count()).toBe(1)
  await other.goto(`${emulator.dashboardUrl}#token=wrong-wrong-wrong-wrong`)
  await other.getByText('This link is out of date', { exact: true }).waitFor()
})

it('says that the emulator is gone, keeps what it showed, and goes on once it is back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
  const options = { memory: false, dir: folder }
  try {
    const world = await openWorld(options)
    const { page, emulator, client, faults } = world
    await client.collections.create({ name: 'kept' })
    await client.collection('kept').create({ title: 'Before' })
    await world.goTo('data/kept')
    await page.getByText('Before', { exact: true }).first().waitFor()

    await emulator.close()
    const away = page.getByText('not answering; showing the last state', { exact: true })
    await away.waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Before' }).count()).toBe(1)
    const again = await startEmulator({ ...options, port: Number(new URL(emulator.url).port) })
    try {
      await away.waitFor({ state: 'detached' })
      await client.collection('kept').create({ title: 'After' })
      await page.getByRole('row').filter({ hasText: 'After' }).waitFor()
      expect(faults.filter((words) => !/ERR_|Failed to fetch/.test(words))).toEqual([])
    } finally {
      await again.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('goes on once the emulator is back where connections are accepted for it meanwhile, and never answered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
  const options = { memory: false, dir: folder }
  try {
    const world = await openWorld(options)
    const { page, emulator, client } = world
    await client.collections.create({ name: 'kept' })
    await world.goTo('data/kept')
    await page.getByRole('heading', { name: 'No documents yet', exact: true }).waitFor()

    // As a port that an editor forwards from a container that has stopped; the first stream comes a moment too early, too.
    let isAway = true
    const unanswered: string[] = []
    const streams: string[] = []
    await page.route('**/_svc/api/**', (route) => {
      const url = route.request().url()
      const isFirstStream = !isAway && url.includes('/events?') && streams.push(url) === 1
      if (!isAway && !isFirstStream) return route.continue()
      unanswered.push(url)
    })
    await emulator.close()
    await page.getByText('not answering; showing the last state', { exact: true }).waitFor()
    await expect.poll(() => unanswered.length, patiently).toBeGreaterThan(0)
    const again = await startEmulator({ ...options, port: Number(new URL(emulator.url).port) })
    try {
      isAway = false
      await page.getByText('not answering; showing the last state', { exact: true }).waitFor({ state: 'detached' })
      await client.collection('kept').create({ title: 'After' })
      await page.getByRole('row').filter({ hasText: 'After' }).waitFor()
    } finally {
      await again.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('opens its stream of events anew where nothing has come on it for too long', async () => {
  const { page, client, goTo } = await openWorld()
  await client.collections.create({ name: 'posts' })
  const streams: string[] = []
  page.on('request', (request) => void (request.url().includes('/_svc/api/events?') && streams.push(request.url())))
  await page.clock.install()
  await goTo('realtime')
  await client.collection('posts').create({ title: 'Before' })
  await page.getByText(/“Before”/).waitFor()
  expect(streams).toHaveLength(1)

  await page.clock.fastForward('01:00')

  await expect.poll(() => streams.length, patiently).toBe(2)
  await client.collection('posts').create({ title: 'After' })
  await page.getByText(/“After”/).waitFor()
})

it('says that a read was not answered in time, and tries again on demand', async () => {
  const { page, goTo, faults } = await openWorld()
  await page.addInitScript(holdLimits, 30_000)
  let unanswered = 0
  await page.route('**/_svc/api/**/snapshots', (route) => (unanswered++ === 0 ? undefined : route.continue()))
  await goTo('snapshots')
  await page.getByRole('status', { name: 'Loading', exact: true }).waitFor()
  await expect.poll(() => unanswered, patiently).toBe(1)

  await page.evaluate(() => dispatchEvent(new Event('limits reached')))

  await page
    .getByRole('alert')
    .getByText(/did not respond in time/)
    .waitFor()
  await page.getByRole('button', { name: 'Try again', exact: true }).click()
  await page.getByRole('heading', { name: 'No snapshots yet', exact: true }).waitFor()
  expect(unanswered).toBe(2)
  expect(faults).toEqual([])
})

/** In the page: limits of so many milliseconds at most are reached when the test says so, and longer ones never. */
function holdLimits(most: number) {
  AbortSignal.timeout = (milliseconds) => {
    const limit = new AbortController()
    if (milliseconds <= most) addEventListener('limits reached', () => limit.abort(), { once: true })
    return limit.signal
  }
}

it('sends no token to another emulator that has taken the port', async () => {
  const world = await openWorld({ memory: true })
  const { page, emulator } = world
  const port = Number(new URL(emulator.url).port)
  await emulator.close()
  // A request that is sent before the page notices the broken connection reaches the new server.
  await page.getByText('not answering; showing the last state', { exact: true }).waitFor()
  const heard: (string | undefined)[] = []
  const other = createServer(({ headers }, res) => {
    heard.push([headers['svc-control-token'], headers['x-api-key'], headers.authorization].join(''))
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'ok', folder: 'another' }))
  })
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  try {
    // The page loads itself anew once it knows: from then on it has sent all that it would.
    await page.getByText(/"folder":"another"/).waitFor()

    expect(heard.filter((secrets) => secrets !== '')).toEqual([])
  } finally {
    other.closeAllConnections()
    await new Promise((resolve) => other.close(resolve))
  }
})
