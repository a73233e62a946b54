/** Flags of `svc dev` that reach the emulator, each by what it does there. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { firstFreePort } from '../../../cli/dev/ports.js'
import type { Explanation } from '../../../client/snippets/explain.js'
import { send } from '../../fixtures/requests/http.js'
import { bin, type Dev, openWorld, type World } from '../command-line.js'

// No port of this machine is asked for: somebody else may take or leave one meanwhile.
const taken = new Set<number>()
vi.mock('get-port', async (original) => ({
  ...(await original<typeof import('get-port')>()),
  default: async ({ port, host }: { port: readonly number[]; host?: string }) => ({
    host,
    port: port.find((one) => !taken.has(one)),
  }),
}))

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const infoHere = (): { url: string; apiKey: string; controlToken: string } =>
  JSON.parse(readFileSync(join(world.folder, '.svc/emulator.json'), 'utf8'))

test('trustedProxies of svc.json, and rather --trusted-proxies, says whose word counts for where a client is; without either none does', async () => {
  /** The address of a client behind two proxies. */
  const addressSeen = async () => {
    const { url, apiKey } = infoHere()
    const headers = { 'x-api-key': apiKey, 'x-forwarded-for': '203.0.113.9, 198.51.100.2' }
    const answer = await fetch(`${url}/collections`, { headers })
    const shown = await world.json(['requests', 'show', answer.headers.get('x-request-id') ?? ''])
    return (shown as { request: { address: string } }).request.address
  }
  const seenWith = async (...flags: string[]) => {
    const dev = await world.dev('--memory', ...flags)
    const seen = await addressSeen()
    await dev.stop()
    return seen
  }
  await world.useEmulator()
  const seen = [await addressSeen()]
  rmSync(join(world.folder, '.svc'), { recursive: true })
  writeFileSync(join(world.folder, 'svc.json'), JSON.stringify({ dev: { trustedProxies: 2 } }))
  seen.push(await seenWith(), await seenWith('--trusted-proxies', '1'))

  expect(seen).toEqual(['127.0.0.1', '203.0.113.9', '198.51.100.2'])
})

test('svc.json sets sharedBuffersMb from 16 to 1024, and any other value stops the start', async () => {
  const start = (sharedBuffersMb: unknown) => {
    writeFileSync(join(world.folder, 'svc.json'), JSON.stringify({ dev: { sharedBuffersMb } }))
    const words = ['dev', '--memory', '--port', '0', '--', 'true']
    return world.svc(words, { env: { SVC_TRUST_CODE: '1' }, isRefused: sharedBuffersMb !== 64 })
  }

  for (const refused of [15, 1_025, 16.5, '64MB']) {
    const words = '"dev.sharedBuffersMb" is not a whole number from 16 to 1024.'
    expect(await start(refused)).toMatchObject({ exit: 2, stderr: expect.stringContaining(words) })
  }
  expect((await start(64)).exit).toBe(0)
})

/** How it answers a request that gives this name as its host. */
const askAs = ({ url, apiKey }: Pick<Dev, 'url' | 'apiKey'>, host: string) =>
  send(url, { method: 'GET', path: '/collections', headers: { host, 'x-api-key': apiKey } })

test('the command that a refused host is explained by allows that name, and no other', async () => {
  await world.useEmulator()
  const refused = await askAs(infoHere(), 'shop.example:8080')
  const why = (await world.json(['requests', 'show', refused.headers['x-request-id'] ?? '', '--why'])) as Explanation
  const [svc, dev, ...flags] = why.mends[0]?.command.split(' ') ?? []
  rmSync(join(world.folder, '.svc'), { recursive: true })

  const mended = await world.dev('--memory', ...flags, '--allowed-host', 'host.docker.internal,[fd00::1]')

  const message = 'Host "shop.example" is not allowed. Add it with --allowed-host.'
  expect(refused.body).toMatchObject({ error: { message } })
  expect([refused.status, why.missing, svc, dev]).toEqual([403, 'Host "shop.example" is not allowed.', 'svc', 'dev'])
  const statuses: Record<string, number> = {}
  for (const host of [
    ...['shop.example:8080', 'SHOP.example', 'host.docker.internal', '[fd00::1]:4400', 'localhost'],
    ...['a.shop.example', 'evil.example', 'shop.example.evil.example'],
  ])
    statuses[host] = (await askAs(mended, host)).status
  expect(statuses).toEqual({
    ...{ 'shop.example:8080': 200, 'SHOP.example': 200, 'host.docker.internal': 200, '[fd00::1]:4400': 200 },
    ...{ localhost: 200, 'a.shop.example': 403, 'evil.example': 403, 'shop.example.evil.example': 403 },
  })
})

test('a host with its port is refused: no request would be allowed by it', async () => {
  const words = ['dev', '--allowed-host', 'shop.example,shop.example:8080']
  const { exit, stderr } = await world.svc(words, { isRefused: true })

  expect(exit).toBe(2)
  expect(stderr).toMatch(/"shop\.example:8080" \(--allowed-host\) is not a host name\.\n.*without scheme and port/)
})

test('--public-url is where files are, allows its host, and is refused where it is no address', async () => {
  const refused = await world.svc(['dev', '--memory', '--public-url', 'https://tunnel.example/api'])
  const dev = await world.dev('--memory', '--public-url', 'https://tunnel.example')
  writeFileSync(join(world.folder, 'a.txt'), 'x')

  const uploaded = (await world.json(['files', 'upload', 'a.txt'])) as { items: { url: string }[] }
  const asked = await askAs(dev, 'tunnel.example')

  expect(uploaded.items[0]?.url).toMatch(/^https:\/\/tunnel\.example\/files\//)
  expect(asked.status).toBe(200)
  expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('Invalid public URL') })
})

test('--new-token draws another control token; the one before is refused from then on', async () => {
  await world.useLeftFolder()
  const before = JSON.parse(readFileSync(join(world.folder, '.svc/keys/control-token'), 'utf8'))

  const { url } = await world.dev('--new-token')

  const statusWith = async (token: string) =>
    (await fetch(`${url}/_svc/api/projects`, { headers: { 'svc-control-token': token } })).status
  expect([await statusWith(before), await statusWith(infoHere().controlToken)]).toEqual([401, 200])
})

test('without --port, svc dev listens at 4400 or soon after; with a name that is allowed, it warns that others can reach the emulator', async () => {
  const stop = ['Ctrl-C stops', '\x03'] as const
  const plain = await world.terminal(['dev', '--memory'], [stop])
  const open = await world.terminal(['dev', '--memory', '--port', '0', '--allowed-host', 'shop.example'], [stop])

  expect(plain.stdout).toMatch(/http:\/\/127\.0\.0\.1:(44\d\d|4500)\b/)
  expect([plain, open].map(({ stdout }) => stdout.includes('can reach the emulator'))).toEqual([false, true])
})

describe('the port without --port', () => {
  test.each([
    ['the one that the folder had', 4321, [], 4321],
    ['4400 where that is taken', 4321, [4321], 4400],
    ['4400 at first', undefined, [], 4400],
    ['the next free one', undefined, [4400, 4401], 4402],
    ['one of a hundred', undefined, Array.from({ length: 100 }, (_, n) => 4400 + n), 4500],
  ])('is %s', async (_, kept, others, port) => {
    taken.clear()
    for (const other of others) taken.add(other)

    expect(await firstFreePort('127.0.0.2', kept)).toEqual({ host: '127.0.0.2', port })
  })
})

test('a home that cannot be written to stops no command', async () => {
  const env = { SVC_CONFIG_DIR: '/dev/null/svc', SVC_TRUST_CODE: '1' }
  writeFileSync(join(world.folder, 'posts.json'), '[{ "title": "Tea" }]')
  writeFileSync(join(world.folder, 'migrate.mjs'), 'export default ({ data }) => ({ ...data, read: true })')
  const script = [
    'seed posts.json',
    'docs import posts posts.json --yes',
    'docs migrate posts migrate.mjs --yes',
    'docs list posts --json',
  ]
  const commands = script.map((words) => `"${process.execPath}" "${bin}" ${words}`).join(' && ')

  const ran = await world.svc(['dev', '--memory', '--port', '0', '--', 'sh', '-c', commands], { env })

  expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining('error') })
  expect(ran.stdout.match(/"read":\s*true/g)).toHaveLength(2)
})
