/** Commands that are suggested: they ask the service that was asked before, whatever is in use in the folder. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTwoServices, staging, type TwoServices } from './two-services.js'

let services: TwoServices

beforeAll(async () => {
  services = await openTwoServices()
  const write = (name: string, text: string) => writeFileSync(join(services.world.folder, name), text)
  write('posts.json', '[{"title":"a"}]')
  write('operations.ndjson', '{"op":"delete","collection":"nope","id":"x"}\n')
  write('failing.mjs', 'export default () => { throw new Error("bad") }')
})
afterAll(() => services.close())

const words = (line: string) => line.split(' ')

/** The suggested command, as it would be typed. */
async function suggestionOf(line: string, flags: readonly string[] = staging): Promise<string> {
  const { stderr } = await services.world.svc([...words(line), ...flags], { env: { SVC_TRUST_CODE: '1' } })
  return /svc [a-z].*$/m.exec(stderr)?.[0] ?? stderr
}

test('each command suggests one for the service that its flags name', async () => {
  const { there } = services
  const first = await suggestionOf('collections list')
  const created = await suggestionOf('collections create posts --field title:string')
  await there.collections.create({ name: 'empty' })
  const untyped = await suggestionOf('seed generate empty --count 1')
  const { id } = await there.collection('posts').create({ title: 'a' })
  const ada = await there.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  const expected = {
    [`users 2fa enable ada@example.com --token ${'token' in ada && ada.token}`]:
      'svc users 2fa verify ada@example.com <code>',
    'collections create posts': 'svc collections list',
    'docs list nope': 'svc collections create nope',
    'docs import nope posts.json': 'svc collections create nope',
    'docs batch -f operations.ndjson': 'svc collections create nope',
    'tail nope': 'svc collections create nope',
    'collections check nope': 'svc collections list',
    'collections get nope': 'svc collections list',
    'collections check empty': 'svc collections schema infer empty',
    'collections schema infer posts': 'svc collections schema infer posts --apply',
    'types generate --check': 'svc types generate',
    'seed posts.json --replace': 'svc docs delete COLLECTION --all',
    [`docs edit posts ${id}`]: `svc docs update posts ${id} field=value`,
    [`files download ${id}`]: 'svc files list',
    'files download nope': 'svc files list',
    'docs migrate posts failing.mjs': `svc docs get posts ${id}`,
  }

  expect([first, created, untyped]).toEqual([
    'svc collections create posts --profile staging',
    'svc docs create posts title=Hello --profile staging',
    'svc collections schema empty --field title:string --profile staging',
  ])
  for (const [line, suggested] of Object.entries(expected)) {
    expect.soft(await suggestionOf(line), line).toMatch(new RegExp(`^${suggested} --profile staging`))
  }
})

test('a suggestion names the address and its dialect, where these were given', async () => {
  const { dev } = services
  const flags = ['--url', dev.url, '--dialect', 'b']

  expect(await suggestionOf('docs list nope', flags)).toBe(`svc collections create nope --url ${dev.url} --dialect b`)
  expect(await suggestionOf('docs list nope', [])).toBe('svc collections create nope')
})

test('what a pull suggests to delete is the copy in the emulator, also where the folder uses the service', async () => {
  const { world, dev, here, there } = services
  await world.svc(['pull', 'posts', ...staging])
  await world.svc(['profiles', 'use', 'staging'])

  const suggested = await suggestionOf('pull posts --redact posts.title', ['--yes'])
  await world.svc([...words(suggested).slice(1), '--yes'])
  await world.svc(['profiles', 'use', '--none'])

  expect(suggested).toBe(`svc collections delete posts --url ${dev.url}`)
  const namesOf = async ({ collections }: typeof here) => (await collections.list()).map(({ name }) => name)
  expect(await namesOf(here)).not.toContain('posts')
  expect(await namesOf(there)).toContain('posts')
})
