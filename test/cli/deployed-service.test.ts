/**
 * Every command against a service that answers as a deployed one does, and against answers that no service should give. It fails with
 * the exit code that the status means, and its words hold no key, no token, no person and nothing of its own insides.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type DeployedService,
  deployedToken,
  deployedUser,
  openDeployedService,
} from '../fixtures/requests/deployed-service.js'
import type { Ran } from './command-line.js'
import { type FakeAnswer, type FakeService, openFakeService } from './fake-service.js'
import { type InProcess, openInProcess } from './in-process.js'

const id = '01999999-9999-7999-8999-999999999998'
const post = { id, collection_id: 'posts', data: { title: 'Tea' }, created_at: '2026-01-01T00:00:00.000000' }
const password = ['--password', 'Correct4Horse']
const newPassword = ['--new-password', 'Even5Horses']
const ada = 'ada@example.com'

/** Neither is anybody's business whom a command fails. */
const secrets = [deployedToken, deployedUser.email]

interface Case {
  readonly words: readonly string[]
  readonly isRead: boolean
  /** Exit codes with the right key, in each dialect. */
  readonly exits: readonly [a: number, b: number, c: number, d: number]
  /** Exit code without a good key; left out, 3. */
  readonly keyless: number
}

const reads = (words: readonly string[], exits: Case['exits'], keyless = 3): Case => ({
  ...{ words, exits, keyless },
  isRead: true,
})
const writes = (words: readonly string[], exits: Case['exits'], keyless = 3): Case => ({
  ...{ words, exits, keyless },
  isRead: false,
})
/** Only the owner of an emulator may do it. */
const owns = (words: readonly string[]): Case => writes(words, [3, 3, 3, 3])

const cases: { readonly [command: string]: Case } = {
  api: reads(['GET', '/collections/posts/documents'], [0, 0, 0, 0]),
  // The service refuses to list collections before it looks at the key.
  'collections:check': reads([], [5, 5, 5, 5], 5),
  'collections:create': writes(['notes'], [0, 0, 7, 0]),
  'collections:delete': writes(['posts'], [4, 4, 4, 0]),
  'collections:get': reads(['posts'], [4, 4, 4, 5]),
  'collections:list': reads([], [5, 5, 5, 5], 5),
  'collections:permissions': reads(['posts'], [4, 4, 4, 5]),
  'collections:rename': writes(['posts', 'notes'], [4, 4, 4, 0]),
  'collections:schema': reads(['posts'], [4, 4, 4, 5]),
  'collections:schema:infer': reads(['posts'], [4, 4, 4, 5]),
  'dialects:detect': reads(['--collection', 'posts'], [0, 0, 0, 0]),
  'docs:aggregate': reads(['posts', '--sum', 'views'], [0, 0, 1, 0]),
  'docs:batch': writes(['posts', '-f', 'operations.ndjson', '--restart'], [4, 4, 4, 0]),
  'docs:count': reads(['posts'], [5, 0, 5, 0]),
  'docs:create': writes(['posts', 'title=Milk'], [0, 0, 7, 0]),
  'docs:delete': writes(['posts', id], [4, 0, 4, 0]),
  'docs:edit': reads(['posts', id], [4, 0, 4, 0]),
  'docs:export': reads(['posts', '--out', 'exported.ndjson', '--restart'], [5, 1, 5, 0]),
  'docs:get': reads(['posts', id], [4, 0, 4, 0]),
  'docs:import': writes(['posts', 'rows.ndjson', '--restart'], [4, 4, 4, 0]),
  'docs:list': reads(['posts'], [5, 0, 5, 0]),
  'docs:migrate': writes(['posts', 'migration.ts'], [5, 1, 5, 0]),
  'docs:replace': writes(['posts', id, 'title=Milk'], [4, 5, 4, 0]),
  'docs:transfer': owns(['posts', id, '--no-owner']),
  'docs:update': writes(['posts', id, 'title=Milk'], [4, 0, 4, 0]),
  'files:delete': writes([id], [4, 4, 4, 5]),
  'files:download': reads(['letters'], [4, 4, 4, 5]),
  'files:info': reads([], [4, 4, 4, 5]),
  'files:list': reads([], [4, 4, 4, 5]),
  'files:upload': writes(['rows.ndjson'], [4, 4, 4, 0]),
  'idp:callback': writes(['google', '--code', 'x', '--state', 'x'], [4, 4, 4, 5]),
  'idp:url': writes(['google', '--redirect-url', 'http://localhost:5173'], [4, 4, 4, 5]),
  openapi: reads([], [4, 4, 4, 5]),
  seed: writes(['seed.json'], [5, 0, 7, 0]),
  'seed:generate': writes(['posts', '--count', '2'], [4, 4, 4, 5]),
  // The service has no sockets.
  tail: reads(['posts'], [5, 1, 5, 4]),
  trigger: writes(['posts.updated'], [5, 0, 5, 0]),
  'types:generate': reads(['--out', '-'], [5, 5, 5, 5], 5),
  'users:2fa:code': owns([ada]),
  'users:2fa:disable': owns([ada]),
  'users:2fa:enable': owns([ada]),
  'users:2fa:verify': owns([ada, '123456']),
  'users:delete': owns([ada]),
  'users:get': reads([ada], [1, 1, 1, 0]),
  'users:list': reads([], [1, 1, 1, 0]),
  'users:login': writes([ada, ...password], [0, 0, 1, 0]),
  'users:logout': owns([ada]),
  'users:password:change': owns([ada, ...password, ...newPassword]),
  'users:password:request-reset': writes([ada], [4, 4, 4, 0]),
  'users:password:reset': writes(['--token', 'x', ...newPassword], [4, 4, 4, 0]),
  'users:signup': writes([ada, ...password], [0, 0, 7, 0]),
  'users:token': owns([ada]),
  'users:update': owns([ada, 'name=Ada']),
  'users:verify': owns([ada]),
  whoami: reads([], [0, 0, 0, 0]),
}

/** They ask the emulator of the folder as well, or send no key. */
const apart = ['diff', 'link', 'parity:clean', 'parity:run', 'profiles:add', 'pull', 'push', 'wait']
const dialects = ['a', 'b', 'c', 'd'] as const

let here: InProcess
let service: DeployedService

beforeAll(async () => {
  here = await openInProcess({ EDITOR: 'true', SVC_TRUST_CODE: '1' })
  writeFileSync('rows.ndjson', '{"a":1}\n')
  writeFileSync('operations.ndjson', '{"op":"create","data":{"a":1}}\n')
  writeFileSync('migration.ts', 'export default ({ data }) => ({ ...data, a: 1 })\n')
  writeFileSync('seed.json', '{"collections":{"letters":{"documents":[{"a":1}]}}}')
  service = await openDeployedService()
})
afterAll(async () => {
  await service.close()
  await here.close()
})

test('every command that can be sent elsewhere is tried', () => {
  const path = fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url))
  const { commands }: { commands: Record<string, { flags: object }> } = JSON.parse(readFileSync(path, 'utf8'))
  const elsewhere = Object.keys(commands).filter((name) => 'url' in (commands[name]?.flags ?? {}))

  expect([...Object.keys(cases), ...apart].toSorted()).toEqual(elsewhere.toSorted())
})

/** Output that no command may print, whatever the service answers. */
function expectClean({ exit, stdout, stderr }: Ran, ...keys: string[]) {
  expect(stdout + stderr).not.toMatch(/TypeError|Cannot read|\bundefined\b|\bNaN\b|\[object/)
  expect(stderr).not.toContain('--debug')
  for (const secret of [...secrets, ...keys]) if (exit !== 0) expect(stderr).not.toContain(secret)
}

const every = Object.entries(cases)
/** One of each kind, where the command does not decide what happens. */
const fewCommands = ['docs:list', 'docs:create', 'collections:list', 'users:login', 'users:token', 'seed', 'tail']
const few = every.filter(([command]) => fewCommands.includes(command))

/** Every command in each dialect and without a key; a wrong key is refused where it is read. */
describe.each<[how: string, dialect: (typeof dialects)[number], key: string | undefined, commands: typeof every]>([
  ['in dialect a', 'a', 'svc_public_deployed', every],
  ['in dialect b', 'b', 'svc_public_deployed', every],
  ['in dialect c', 'c', 'svc_public_deployed', every],
  ['in dialect d', 'd', 'svc_public_deployed', every],
  ['with no key', 'a', undefined, every],
  ['in dialect b with no key', 'b', undefined, few],
  ['in dialect a with a wrong key', 'a', 'svc_public_of_somebody_else', few],
  ['in dialect c with a wrong key', 'c', 'svc_public_of_somebody_else', few],
])('%s', (_, dialect, key, commands) => {
  beforeEach(() => {
    service.collections.clear()
    service.collections.set('posts', [post])
  })

  test.each(commands)('svc %s', async (command, { words, exits, isRead, keyless }) => {
    const before = service.requests.length
    const given = key === undefined ? [] : ['--key', key]

    const ran = await here.run(command, [...words, '--url', service.url, '--dialect', dialect, ...given, '--yes'])

    const isGood = key === service.apiKey
    expect(ran).toMatchObject({ exit: isGood ? exits[dialects.indexOf(dialect)] : keyless })
    expectClean(ran, ...given.slice(1))
    const asked = service.requests.slice(before)
    if (isRead) expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
    if (isRead) expect([...service.collections.keys()]).toEqual(['posts'])
    // Tells what the service does not offer before it sends anything, and asks for no path that is not there.
    if (dialect === 'd' && exits[3] === 5) expect(asked).toEqual([])
    // Some look whether the service shows more, and go on without it.
    const isLook = ({ method }: { method: string }) => method === 'GET' && (ran.exit === 0 || command === 'tail')
    if (dialect === 'd') expect(asked.filter((one) => service.unserved.includes(one) && !isLook(one))).toEqual([])
    // The service refuses such a page, which is how it is told from others.
    if (command !== 'dialects:detect') expect(asked.filter(({ path }) => /[?&]limit=0\b/.test(path))).toEqual([])
  })
})

test('svc tail without names says that a service of dialect d lists no collections, and sends nothing', async () => {
  const before = service.requests.length

  const ran = await here.run('tail', ['--url', service.url, '--dialect', 'd', '--key', service.apiKey])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('does not list its collections') })
  expect(service.requests.length).toBe(before)
})

describe('answers that no service should give', () => {
  let answer: FakeAnswer
  let odd: FakeService
  const at = (...more: string[]) => ['--url', odd.url, '--key', 'svc_key_x', '--yes', ...more]

  beforeAll(async () => {
    odd = await openFakeService(({ path }) => (path.startsWith('/_svc/') ? { status: 404 } : answer))
  })
  afterAll(() => odd.close())

  const user = { ...deployedUser, roles: [], data: {} }
  const answers: readonly (readonly [what: string, answer: FakeAnswer])[] = [
    ['a page of a proxy', { headers: { 'content-type': 'text/html' }, body: '<html><h1>Sign in</h1></html>' }],
    ['nothing', { body: '' }],
    ['null', { body: 'null' }],
    ['an empty object', { body: {} }],
    ['an empty list', { body: [] }],
    ['the user of a list', { body: { data: [{ ...user, access_token: deployedToken }] } }],
    ['a user without a token', { body: user }],
    ['a collection without a schema', { body: { id, name: 'posts' } }],
    ['collections without schemas', { body: [{ id, name: 'posts' }] }],
    ['a success without its data', { body: { success: true } }],
    ['a list of nothing', { body: [null] }],
    ['a document without fields', { body: { id } }],
  ]

  // Which answer trips a command depends on what it reads, so each of them gets all; none of these takes time.
  test.each(every)('svc %s', async (command, { words }) => {
    for (const [, given] of answers) {
      answer = given
      expectClean(await here.run(command, [...words, ...at()]))
    }
  })

  test.each([
    [400, 5],
    [401, 3],
    [403, 3],
    [404, 4],
    [405, 5],
    [409, 5],
    [412, 5],
    [413, 5],
    [422, 5],
    [429, 6],
    [500, 1],
    [502, 7],
    [503, 7],
    [504, 7],
  ])('a refusal with %i exits with %i, read or write, in words of its own or none', async (status, exit) => {
    for (const body of [{ detail: 'No.' }, '<h1>No.</h1>', '']) {
      answer = { status, body }
      const get = await here.run('docs:get', ['posts', id, ...at()])
      const create = await here.run('docs:create', ['posts', 'title=Milk', ...at()])

      for (const ran of [get, create]) {
        expect(ran).toMatchObject({ exit, stdout: '' })
        expectClean(ran, 'svc_key_x')
      }
    }
  })

  test.each([
    [400, 'Invalid API key'],
    [422, [{ loc: ['header', 'x-api-key'], msg: 'Field required', type: 'missing' }]],
    [401, 'No.'],
  ])('a key that is refused with %i is told as that', async (status, detail) => {
    answer = { status, body: { detail } }
    const wrong = await here.run('docs:list', ['posts', ...at()])
    const none = await here.run('docs:list', ['posts', '--url', odd.url])
    const whoami = await here.run('whoami', at())

    expect(wrong).toMatchObject({ exit: 3, stderr: expect.stringContaining('Set a valid key') })
    expect(none).toMatchObject({ exit: 3, stderr: expect.stringContaining('needs an API key, but none is set') })
    expect(whoami).toMatchObject({ exit: 3, stdout: expect.stringMatching(/keyIsGood +false/) })
  })

  test('a 400 that does not name the key says that it may be the key', async () => {
    answer = { status: 400, body: { detail: 'Bad request' } }

    const { stderr } = await here.run('docs:list', ['posts', ...at()])

    expect(stderr).toBe(
      'error  GET /collections/posts answered 400: Bad request\n       If the request is correct, the key may be wrong. Check it: svc whoami\n',
    )
  })

  test('a user who was created without a token is signed up', async () => {
    answer = { body: user }
    const words = [ada, ...password, ...at()]

    const ran = await here.run('users:signup', words)
    const { stdout } = await here.run('users:signup', [...words, '--json'])

    expect(ran).toMatchObject({ exit: 0, stdout: '' })
    expect(ran.stderr).toContain(`Signed up ${ada}. The response has no token. Log in: svc users login ${ada} --url`)
    expect(JSON.parse(stdout)).toEqual({ requires2fa: false, token: null })
  })

  test('a write whose answer cannot be read is not said to have failed', async () => {
    answer = { status: 201, body: { success: true, data: { id, data: {}, createdAt: 'now' } } }

    const { stderr, exit } = await here.run('docs:create', ['posts', 'title=Milk', ...at()])

    expect(exit).toBe(7)
    expect(stderr).toContain('The change may or may not have been saved.')
    expect(stderr).toContain(`Check before you repeat it: svc docs list posts --limit 5 --url ${odd.url}`)
    expect(stderr).toContain(`svc dialects detect --url ${odd.url}`)
  })

  test.each([
    [200, 1, 'Try --transport sse'],
    [401, 3, 'svc whoami'],
    [403, 3, 'svc whoami'],
    [404, 4, 'Try --transport sse'],
    [405, 5, 'Try --transport sse'],
  ])('svc tail names the upgrade that is refused with %i', async (status, exit, hint) => {
    const page = { documents: [], total: 0, limit: 20 }
    const refusing = await openFakeService(({ path }) => {
      if (path.startsWith('/realtime')) return { status, body: { detail: 'No.' } }
      return { body: path === '/collections' ? [{ id, name: 'posts' }] : page }
    })
    const words = ['posts', '--url', refusing.url, '--key', 'svc_key_x']

    const socket = await here.run('tail', words)
    const stream = await here.run('tail', [...words, '--transport', 'sse'])
    refusing.close()

    expect(socket).toMatchObject({ exit, stderr: expect.stringContaining(`refused the WebSocket (${status}): No.`) })
    expect(socket.stderr).toContain(hint)
    expect(stream).toMatchObject({ exit, stderr: expect.stringContaining(`/realtime/sse/posts answered ${status}: `) })
  })
})
