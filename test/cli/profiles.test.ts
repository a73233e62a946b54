import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'

const key = 'svc_key_0123456789abcdefghijWXYZ'
let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const file = () => join(world.folder, 'config', 'profiles.json')

test('the file and its folder are their owner’s alone, before and after each change', async () => {
  const modes: number[] = []
  for (const words of [
    ['add', 'one', '--url', 'http://127.0.0.1:1', '--key', key],
    ['add', 'two', '--url', 'http://127.0.0.1:2', '--use'],
    ['use', 'one'],
    ['remove', 'two'],
  ]) {
    await world.svc(['profiles', ...words])
    modes.push(statSync(file()).mode & 0o777)
  }

  expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
  expect(statSync(join(world.folder, 'config')).mode & 0o077).toBe(0)
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
    current: 'one',
    profiles: { one: { url: 'http://127.0.0.1:1', key } },
  })
})

test('a key is shown by its last four characters, wherever a profile is shown', async () => {
  await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:1', '--key', key, '--use'])

  const shown: string[] = []
  for (const words of [
    ['profiles', 'list'],
    ['profiles', 'list', '--json'],
    ['config'],
    ['config', '--json'],
    ['whoami'],
  ]) {
    const { stdout, stderr } = await world.svc(words)
    shown.push(stdout + stderr)
  }

  expect(shown.join('')).not.toContain(key)
  expect(shown[0]).toContain('svc_key_…WXYZ')
  expect(shown[1]).toContain('svc_key_…WXYZ')
})

test('a profile without a key says so', async () => {
  const { stderr } = await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:1'])

  expect(stderr).toMatch(/Saved profile "one" in \S+, without a key\./)
})

test('a key comes from SVC_API_KEY, or is asked for without showing it', async () => {
  await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:1'], { env: { SVC_API_KEY: key } })

  const asked = await world.terminal(
    ['profiles', 'add', 'two', '--url', 'http://127.0.0.1:2'],
    [['API key', `${key}\n`]],
  )

  expect(asked.stdout).not.toContain(key)
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ profiles: { one: { key }, two: { key } } })
})

test('what other commands change while a key is asked for stays so', async () => {
  const add = (name: string) => ['profiles', 'add', name, '--url', 'http://127.0.0.1:1']
  const names = () => Object.keys(JSON.parse(readFileSync(file(), 'utf8')).profiles).sort()
  await world.svc(add('removed'))

  const meanwhile = async () => {
    await world.svc(add('other'))
    await world.svc(['profiles', 'remove', 'removed'])
    return `${key}\n`
  }
  const asked = await world.terminal(add('asked'), [['API key', meanwhile]])
  const taken = async () => {
    await world.svc(add('taken'))
    return `${key}\n`
  }
  const refused = await world.terminal(add('taken'), [['API key', taken]])

  expect([asked.exit, refused.exit]).toEqual([0, 5])
  expect(names()).toEqual(['asked', 'other', 'taken'])
  expect(JSON.parse(readFileSync(file(), 'utf8')).profiles.taken.key).toBeUndefined()
})

test('profiles that are added at the same time are all kept', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']

  const ran = await Promise.all(
    names.map((name) => world.svc(['profiles', 'add', name, '--url', 'http://127.0.0.1:1'])),
  )

  expect(ran.map(({ exit }) => exit)).toEqual(names.map(() => 0))
  expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')).profiles).sort()).toEqual(names)
  expect(readdirSync(join(world.folder, 'config'))).toEqual(['profiles.json'])
})

test('SVC_API_KEY beside the SVC_URL of another service is not kept for this one', async () => {
  const key = { SVC_API_KEY: 'svc_key_ofproduction' }
  const add = (name: string, from: string) =>
    world.svc(['profiles', 'add', name, '--url', 'https://other.example.com'], { env: { ...key, SVC_URL: from } })

  const other = await add('other', 'https://production.example.com')
  await add('same', 'https://other.example.com/')

  const { profiles } = JSON.parse(readFileSync(join(world.folder, 'config', 'profiles.json'), 'utf8'))
  expect(other.stderr).toContain('SVC_API_KEY is only sent to SVC_URL.')
  expect(other.stderr).toContain('without a key')
  expect(profiles.other).toEqual({ url: 'https://other.example.com' })
  expect(profiles.same).toEqual({ url: 'https://other.example.com', key: key.SVC_API_KEY })
})

test('a profile is replaced only when that is said, and forgotten with its key', async () => {
  await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:1', '--key', key])

  const again = await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:2'])
  const replaced = await world.svc(['profiles', 'add', 'one', '--url', 'http://127.0.0.1:2', '--replace'])
  const removed = await world.svc(['profiles', 'remove', 'one'])

  expect(again).toMatchObject({ exit: 5, stderr: expect.stringContaining('--replace') })
  expect(replaced.exit).toBe(0)
  expect(removed.exit).toBe(0)
  expect(readFileSync(file(), 'utf8')).not.toContain(key)
})

test('a name that is nearly right is found again', async () => {
  await world.svc(['profiles', 'add', 'staging', '--url', 'http://127.0.0.1:1'])

  const ran = await world.svc(['profiles', 'use', 'stagin'])

  expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining('Did you mean "staging"?') })
})

test('a profile’s key goes to the profile’s service, and the emulator’s own key to no other', async () => {
  const elsewhere = await listen()
  await world.useEmulator()
  await world.svc(['profiles', 'add', 'elsewhere', '--url', elsewhere.url, '--key', key])

  await world.svc(['docs', 'count', 'posts', '--profile', 'elsewhere'])
  await world.svc(['docs', 'count', 'posts', '--url', elsewhere.url])

  elsewhere.server.close()
  expect([...new Set(elsewhere.keys)]).toEqual([key, undefined])
})

test('the dialect of a profile that is named among the flags counts, not that of the environment', async () => {
  const elsewhere = await listen()
  await world.svc(['profiles', 'add', 'one', '--url', elsewhere.url, '--key', key, '--dialect', 'c'])
  const env = { SVC_DIALECT: 'b' }

  await world.svc(['docs', 'count', 'posts', '--profile', 'one'], { env })
  await world.svc(['docs', 'count', 'posts', '--profile', 'one', '--dialect', 'a'], { env })
  await world.svc(['docs', 'count', 'posts'], { env: { ...env, SVC_PROFILE: 'one' } })

  elsewhere.server.close()
  expect([...new Set(elsewhere.dialects)]).toEqual(['c', 'a', 'b'])
})

test('a write through a profile shows the target and asks; a no sends nothing', async () => {
  await world.svc(['profiles', 'add', 'live', '--url', 'https://svc.invalid', '--key', key])

  const words = ['docs', 'create', 'posts', 'title=Hello', '--profile', 'live']
  const ran = await world.terminal(words, [['svc.invalid?', 'n\n']])

  expect(ran.exit).toBe(130)
  expect(ran.stdout).toContain('-> svc.invalid (profile live)\n')
  expect(ran.stdout).toContain('Nothing was changed')
})

test.each([['http://localhost:1'], ['http://app.localhost:1'], ['http://127.0.0.2:1'], ['http://[::1]:1']])(
  'a write to %s is one to this machine: it shows the target and asks nothing',
  async (url) => {
    const ran = await world.svc(['docs', 'create', 'posts', 'title=Hello', '--url', url])

    expect(ran.exit).toBe(7)
    expect(ran.stderr).toContain(`-> ${new URL(url).host} (--url)\n`)
  },
)

test.each([['http://127.0.0.1.example.invalid'], ['http://localhost.invalid'], ['http://0.0.0.0.invalid']])(
  'a write to %s is one to another machine, and a key goes there with a warning and into no profile',
  async (url) => {
    const words = ['docs', 'create', 'posts', 'title=Hello', '--url', url, '--key', key, '--quiet']
    const ran = await world.svc(words)
    const added = await world.svc(['profiles', 'add', 'live', '--url', url, '--key', key])
    const insecure = await world.svc(['profiles', 'add', 'live', '--url', url, '--key', key, '--insecure'])

    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('Cannot ask without a terminal.') })
    expect(ran.stderr).toContain(`Your key is sent unencrypted to ${url} (--url).`)
    expect(added).toMatchObject({ exit: 2, stderr: expect.stringContaining('--insecure') })
    expect(insecure.exit).toBe(0)
  },
)

test('no warning about the way of a key without one, by https, or on this machine', async () => {
  const words = ['docs', 'count', 'posts', '--url']
  const ran = await Promise.all([
    world.svc([...words, 'http://svc.invalid']),
    world.svc([...words, 'https://svc.invalid', '--key', key]),
    world.svc([...words, 'http://127.0.0.1:1', '--key', key]),
  ])

  expect(ran.map(({ stderr }) => stderr.includes('unencrypted'))).toEqual([false, false, false])
})

/** A service that only records the keys it was asked with. */
async function listen() {
  const keys: (string | undefined)[] = []
  const dialects: unknown[] = []
  const server = createServer((request, response) => {
    const sent = request.headers['x-api-key']
    dialects.push(request.headers['svc-dialect'])
    keys.push(Array.isArray(sent) ? sent[0] : sent)
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"error":{"code":"UNAUTHORIZED","message":"No."}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, dialects, server }
}
