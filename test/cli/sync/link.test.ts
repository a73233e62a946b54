/** `svc link`: one command from an address and a key to a service that pull, push, diff and `--remote` use, and nothing else. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTwoServices, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']

beforeEach(async () => {
  two = await openTwoServices()
  world = two.world
  await two.there.collections.create({ name: 'posts' })
  await two.there.collection('posts').create({ title: 'There' })
})
afterEach(() => two.close())

const link = (...words: string[]) => world.svc(['link', two.url, ...words], { input: `${two.secretKey}\n` })
const projectFile = () => join(world.folder, 'svc.json')

test('links the folder with a key on stdin, detects the dialect, and keeps the rest of svc.json', async () => {
  writeFileSync(projectFile(), '{\n    "dialect": "a"\n}\n')

  const { exit, stdout, stderr } = await link('--name', 'live', '--json')

  expect(exit, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ url: two.url, profile: 'live', dialect: 'a', assumed: [] })
  expect(stdout).not.toContain(two.secretKey)
  expect(JSON.parse(readFileSync(projectFile(), 'utf8'))).toEqual({ dialect: 'a', remote: 'live' })
})

test('pull, push, diff and --remote use the link without a question about the address', async () => {
  await link('--name', 'live')

  await world.json(['pull', '--yes'])
  const listed = await world.json(['docs', 'list', 'posts', '--remote'])
  const different = await world.svc(['diff'])

  expect((await two.here.collection('posts').list()).items).toMatchObject([{ data: { title: 'There' } }])
  expect(listed).toMatchObject({ items: [{ data: { title: 'There' } }] })
  expect(different.exit).toBe(0)
})

test('no other command goes to the linked service', async () => {
  await link('--name', 'live')

  await world.svc(['docs', 'create', 'posts', 'title=Here', '--create'])

  expect(await world.json(['whoami'])).toMatchObject({ url: two.dev.url })
  expect((await two.there.collection('posts').list()).total).toBe(1)
})

test('the key of the link goes there, not the SVC_API_KEY of another service', async () => {
  await link('--name', 'live')

  const { exit, stderr } = await world.svc(['docs', 'list', 'posts', '--remote'], {
    env: { SVC_API_KEY: 'svc_key_other' },
  })

  expect(exit, stderr).toBe(0)
})

test('a link in a svc.json that nobody accepted is refused', async () => {
  await world.svc(['profiles', 'add', 'live', '--url', two.url, '--key', two.secretKey])
  writeFileSync(projectFile(), '{"remote": "live"}')

  const { exit, stderr } = await world.svc(['docs', 'list', 'posts', '--remote'])

  expect(exit).toBe(3)
  expect(stderr).toContain('svc profiles trust')
})

test.each([
  ['--remote without a link', () => world.svc(['docs', 'list', 'posts', '--remote']), 'svc.json links to no service.'],
  [
    '--remote with --profile',
    () => world.svc(['docs', 'list', 'posts', '--remote', '--profile', 'staging']),
    '--remote cannot be combined with --url or --profile.',
  ],
  ['a link without a key', () => world.svc(['link', two.url], { input: '' }), 'No API key.'],
])('%s exits with 2', async (_, run, said) => {
  const { exit, stderr } = await run()

  expect(exit).toBe(2)
  expect(stderr).toContain(said)
})

test('a wrong key leaves no profile and no svc.json behind', async () => {
  const { exit } = await world.svc(['link', two.url, '--name', 'live'], { input: 'svc_key_wrong' })

  expect(exit).toBe(3)
  expect(await world.json(['profiles', 'list'])).toMatchObject([{ name: 'staging' }])
  expect(() => readFileSync(projectFile())).toThrow()
})

test('a profile that leads elsewhere is kept unless --replace is passed', async () => {
  await world.svc(['profiles', 'add', 'live', '--url', 'https://example.com', '--key', 'svc_key_x'])

  const kept = await link('--name', 'live')
  const replaced = await link('--name', 'live', '--replace')

  expect(kept.exit).toBe(5)
  expect(kept.stderr).toContain('Profile "live" leads to https://example.com.')
  expect(replaced.exit).toBe(0)
})
