import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../fixtures/events.js'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

test('svc dev says where it is in two files that only their owner can read, and to a second svc dev of the folder', async () => {
  const ready = join(world.folder, 'ready.json')

  const dev = await world.dev('--ready-file', 'ready.json')

  const info = JSON.parse(readFileSync(ready, 'utf8'))
  expect(Object.keys(info).sort()).toEqual(
    [
      'apiKey',
      'controlToken',
      'dashboardUrl',
      'dataDir',
      'pid',
      'projectId',
      'storageUrl',
      'url',
      'version',
      'wsUrl',
    ].sort(),
  )
  expect(info).toMatchObject({ url: dev.url, apiKey: dev.apiKey, pid: dev.pid })
  expect(JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))).toEqual(info)
  expect(statSync(ready).mode & 0o777).toBe(0o600)
  const second = await world.svc(['dev'], { isRefused: true })
  expect(second).toMatchObject({ exit: 1, stderr: expect.stringContaining(`process ${dev.pid} at ${dev.url}`) })
})

test('SIGINT, SIGTERM and a terminal that is closed stop it; what was answered is kept, and no start is an event', async () => {
  const exits: number[] = []
  const firstEvents: unknown[] = []
  // The first starts in an empty folder, the second in one with a collection.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const dev = await world.dev()
    await world.svc(['collections', 'create', signal])
    firstEvents.push(await firstEvent())
    exits.push((await dev.stop(signal)).exit)
  }
  const dev = await world.dev()
  const kept = await world.json(['collections', 'list'])
  // Shell and system both say that a terminal is closed. A process receives only one of two signals sent at the same moment.
  const again = setInterval(() => dev.stop('SIGHUP'), 5)
  exits.push((await dev.stop('SIGHUP').finally(() => clearInterval(again))).exit)

  expect(exits).toEqual([0, 0, 0])
  expect(firstEvents).toMatchObject(
    ['SIGINT', 'SIGTERM'].map((name) => ({ kind: 'collection.created', collection: { name } })),
  )
  expect(kept).toMatchObject([{ name: 'SIGINT' }, { name: 'SIGTERM' }])
  expect(existsSync(join(world.folder, '.svc', 'emulator.json'))).toBe(false)
})

async function firstEvent(): Promise<unknown> {
  const info = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))
  const stream = await follow(info, { last: 100 })
  const [first] = await stream.next(1)
  await stream.close()
  return first
}

test('--detach answers once it is ready, and stays until svc stop; where it runs already, it leaves the log alone', async () => {
  const here = ['--data', 'other']
  const first = await world.svc(['dev', '--port', '0', '--detach', '--tier', 'free', ...here])
  const log = () => readFileSync(join(world.folder, 'other', 'dev.log'), 'utf8')
  const before = log()

  const second = await world.svc(['dev', '--port', '0', '--detach', ...here])

  expect(first).toMatchObject({ exit: 0, stdout: expect.stringContaining('svc stop --data other') })
  expect(second).toMatchObject({ exit: 1, stderr: expect.stringContaining('is in use by process') })
  expect(log()).toBe(before)
  expect(readdirSync(join(world.folder, 'other')).filter((name) => name.endsWith('.log'))).toEqual(['dev.log'])
  expect(statSync(join(world.folder, 'other', 'dev.log')).mode & 0o777).toBe(0o600)
  expect((await world.svc(['wait', ...here])).exit).toBe(0)
  expect(await world.json(['project', 'show', ...here])).toMatchObject({ settings: { tier: 'free' } })
  expect(await world.json(['stop', ...here])).toMatchObject({ stopped: true, pid: expect.any(Number) })
})

test('--detach fails as the command in the foreground does, and leaves nothing running', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo

  const { exit, stderr } = await world.svc(['dev', '--memory', '--port', String(port), '--detach'])

  other.close()
  expect(exit).toBe(1)
  expect(stderr).toMatch(new RegExp(`^error {2}Port ${port} is in use\\.\\n.*--port`))
  expect((await world.svc(['status'])).exit).toBe(8)
})

test('demo data come once, linked, however often it starts, also where roles guard their collections by now', async () => {
  const first = await world.dev('--demo')
  const authored = await world.json(['docs', 'list', 'posts', '--where', 'author.name=Ada', '--populate', 'author'])
  const key = await world.svc(['project', 'key', '--secret', '--quiet'])
  const env = { SVC_API_KEY: key.stdout.trim() }
  const permissions = 'permissions:={"create":["editor"],"read":["editor"]}'
  await world.svc(['docs', 'delete', 'comments', '--all', '--yes'])
  for (const name of ['posts', 'comments']) {
    expect((await world.svc(['api', 'PATCH', `/collections/${name}`, permissions], { env })).exit).toBe(0)
  }
  await first.stop()

  await world.dev('--demo')

  expect(authored).toMatchObject({ total: 3, items: [{ data: { author: { data: { name: 'Ada' } } } }, {}, {}] })
  expect(await world.json(['docs', 'count', 'posts'], { env })).toEqual({ count: 12 })
  expect(await world.json(['users', 'list'])).toMatchObject({ total: 1, items: [{ email: 'linus@example.com' }] })
  expect(await world.json(['files', 'list'])).toMatchObject({ total: 1, items: [{ path: 'demo' }] })
  const page = await world.json(['docs', 'list', 'comments', '--populate', 'post', '--limit', '1'], { env })
  expect(page).toMatchObject({ total: 8, items: [{ data: { post: { data: { title: expect.any(String) } } } }] })
})

test('where documents of the demo were changed, it says so, and what to try with those that are there', async () => {
  const first = await world.dev('--demo')
  const { items } = (await world.json(['docs', 'list', 'authors', '--limit', '1'])) as { items: { id: string }[] }
  await world.svc(['docs', 'update', 'authors', items[0]?.id ?? '', 'name=Renamed'])
  await world.svc(['docs', 'delete', 'comments', '--all', '--yes'])
  await first.stop()

  const { exit, stdout, stderr } = await world.svc(['dev', '--port', '0', '--demo', '--', process.execPath, '-e', '0'])

  expect(exit).toBe(0)
  expect(stderr).toMatch(/"authors" or "posts" .*delete authors, posts and comments, or run svc reset/)
  expect(stdout).toContain('docs list posts --populate author')
  expect(stdout).toMatch(/^ {2}Dashboard {2}http.*\/_svc\//m)
  expect(stdout).toMatch(/^ {2}Data {7}saved in \.svc$/m)
})

test('where demo data do not go with what is there, it starts without them, and says so', async () => {
  const first = await world.dev()
  await world.svc(['api', 'POST', '/collections', 'name=posts', 'schema:={"slug":{"type":"string","required":true}}'])
  await first.stop()

  const ran = await world.svc(['dev', '--port', '0', '--demo', '--detach', '--json'])

  expect(ran.exit).toBe(0)
  expect(JSON.parse(ran.stdout)).toMatchObject({ type: 'ready', pid: expect.any(Number) })
  expect(await world.json(['collections', 'list'])).toMatchObject([{ name: 'posts' }])
  expect(await world.json(['users', 'list'])).toMatchObject({ total: 0 })
  expect((await world.svc(['stop'])).exit).toBe(0)
  const log = readFileSync(join(world.folder, '.svc', 'dev.log'), 'utf8')
  expect(log).toMatch(/No demo data added: .*slug/)
  expect(log).toContain('stopped; your data is saved')
})

test('status and wait speak of the emulator of the folder', async () => {
  const dev = await world.useEmulator()

  expect(await world.json(['wait'])).toMatchObject({ url: dev.url })
  expect((await world.svc(['status', '--env'])).stdout).toContain(`export SVC_API_KEY='${dev.apiKey}'`)
  const shown = await world.svc(['status'])
  expect(shown.stdout).toMatch(/^hashing +(@node-rs\/bcrypt, in native code|bcryptjs, in JavaScript)$/m)
  expect(shown.stdout).not.toContain('controlToken')
  expect(await world.json(['status'])).toMatchObject({
    info: { addresses: { url: dev.url }, project: { id: 'dev' } },
  })
})

test('its keys create a document, show events and log in in the browser; pressed fast, they are obeyed one after the other', async () => {
  const browser = join(world.folder, 'browser')
  const choose = "fetch(process.argv[2], { method: 'POST', body: new URLSearchParams({ account: 'ada' }) })"
  writeFileSync(browser, `#!${process.execPath}\n${choose}\n`, { mode: 0o700 })

  const { stdout, exit } = await world.terminal(
    ['dev', '--memory', '--port', '0', '--data', 'other'],
    [
      ['t shows events', 'n'],
      ['in notes. Press t to show events', 't'],
      ['Press t to hide them', 'n'],
      ['created  notes', 't'],
      ['Hiding events.', 'nntt'],
      ['Hiding events.', 'l'],
      ['Logged in. Token: ', 'l'],
      ['Log in at ', '\x03'],
    ],
    { env: { BROWSER: browser } },
  )

  // How commands find the other folder.
  expect(stdout).toContain('eval "$(svc status --data other --env)"')
  expect(stdout).toMatch(/\+ title: "Hello at \d\d:\d\d:\d\d"/)
  expect(stdout).toMatch(/Hiding events[\s\S]*Created [\s\S]*Created [\s\S]*Hiding events/)
  expect(stdout).not.toMatch(/already exists|aborted/)
  expect(stdout).toMatch(/Log in at http:\/\/127\.0\.0\.1:\d+\/_svc\/idp\//)
  expect(stdout).toMatch(/Token: ey[\w-]+\.[\w-]+\.[\w-]+\n/)
  expect(exit).toBe(0)
})
