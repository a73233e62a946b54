import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
})
afterAll(() => world.close())

const keys = async (): Promise<{ id: string; secret: boolean }[]> =>
  JSON.parse((await world.svc(['keys', 'list', '--json'])).stdout)
const printed = async (...words: string[]) => (await world.svc(['project', 'key', '--quiet', ...words])).stdout.trim()

test('the public key that is printed is the one that the project has, however often it is asked for', async () => {
  const before = await keys()

  const all = [await printed(), await printed()]
  const status = JSON.parse((await world.svc(['status', '--json'])).stdout)

  expect(all).toEqual([status.apiKey, status.apiKey])
  expect(await keys()).toHaveLength(before.length)
})

test('a secret key is another one each time', async () => {
  const before = await keys()

  const all = [await printed('--secret'), await printed('--secret')]

  expect(new Set(all).size).toBe(2)
  expect(await keys()).toHaveLength(before.length + 2)
})

test('a key that was revoked, or that does less, is not printed', async () => {
  const status = JSON.parse((await world.svc(['status', '--json'])).stdout)
  const { id } = JSON.parse((await world.svc(['project', 'key', '--json'])).stdout)
  await world.svc(['keys', 'create', '--scope', 'read', '--quiet'])
  await world.svc(['keys', 'create', '--expires', '1h', '--quiet'])
  await world.svc(['keys', 'revoke', id, '--yes'])

  const drawn = await printed()

  expect(drawn).not.toBe(status.apiKey)
  expect((await world.svc(['collections', 'list', '--key', drawn])).exit).toBe(0)
  expect((await world.svc(['collections', 'create', 'drawn', '--key', drawn])).exit).toBe(0)
  expect(await printed()).toBe(drawn)
})

test('a scope that there is not is named as it was typed', async () => {
  const ran = await world.svc(['keys', 'create', '--scope', 'read:posts,foo'])

  expect(ran).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(/Invalid scope "foo"\.\n.*write:posts/),
  })
})

test('the settings of the project name its public keys, and count the secret ones', async () => {
  const { stdout } = await world.svc(['project', 'show'])

  expect(stdout).toMatch(/^public keys {2,}svc_key_/m)
  expect(stdout).toMatch(/^secret keys {2,}\d+ \(shown only once/m)
  expect(stdout).not.toContain('{')
})
