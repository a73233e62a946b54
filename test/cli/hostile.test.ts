import { readFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inFull } from '../fixtures/scope.js'
import { bin, cleanEnv, openWorld, type World } from './command-line.js'
import { type FakeService, failure, openFakeService } from './fake-service.js'
import { controls, evil, id, lists, thing } from './hostile-answers.js'

// Contract 12.5: what a service answers is printed without control characters, whichever command prints it.

/** The address a provider redirects to after a login. */
const loggedIn = `http://127.0.0.1/?svc-super-token=${encodeURIComponent(evil)}`

/** Commands that start, stop or open something, or are local to this machine. */
const apart = [
  ...['agent:remove', 'agent:setup', 'agent:status', 'map', 'mcp', 'update'],
  ...[
    'autocomplete',
    'config',
    'config:convert',
    'dev',
    'dialects:list',
    'dialects:show',
    'exec',
    'init',
    'logs',
    'open',
  ],
  ...['stop', 'tail'],
  // They need a run, which `parity.test.ts` makes.
  ...['parity:apply', 'parity:clean'],
]
const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url)), 'utf8'))
type Args = Record<string, { required?: boolean }>
const commands: [string, { args: Args }][] = Object.entries<{ args: Args }>(manifest.commands).filter(
  ([name]) => !apart.includes(name) && !name.startsWith('profiles:'),
)

/** Arguments for those that need more than the required ones. */
const further: { readonly [command: string]: readonly string[] } = {
  api: ['GET', '/x'],
  'clock:advance': ['1s'],
  'clock:set': ['2030-01-01'],
  'connections:close': ['--all'],
  'docs:aggregate': ['posts', '--sum', 'a'],
  'docs:batch': ['posts', '-f', 'operations.ndjson'],
  'docs:create': ['posts', 'a=b'],
  'docs:replace': ['posts', id, 'a=b'],
  'docs:update': ['posts', id, 'a=b'],
  'docs:delete': ['posts', id],
  'docs:import': ['posts', 'rows.ndjson'],
  'docs:migrate': ['posts', 'migration.ts'],
  'faults:add': ['drop'],
  'faults:preset': ['flaky'],
  'faults:remove': ['x'],
  'files:delete': [id],
  'files:upload': ['rows.ndjson'],
  'idp:callback': ['google', '--code', 'x', '--state', 'x'],
  'idp:url': ['google', '--redirect-url', 'http://localhost:5173'],
  'idp:login': ['--as', 'ada', '--timeout', '1'],
  link: ['http://127.0.0.1:1'],
  'mail:wait': ['--timeout', '0'],
  'parity:run': ['--group', 'keys,methods', '--rate', '1000'],
  'project:set': ['a=b'],
  'snapshot:import': ['rows.ndjson'],
  trigger: ['posts.updated'],
  'types:generate': ['--out', '-'],
  'users:update': ['x', '--role', 'a'],
  'users:login': ['a@example.com', '--password', 'x'],
  'users:password:change': ['a@example.com', '--password', 'Wrong4Horse', '--new-password', 'New4Horses'],
  'users:password:reset': ['--token', 'x', '--new-password', 'New4Horses'],
  'users:signup': ['a@example.com', '--password', 'x'],
  wait: ['--timeout', '1'],
}

/** Above the process ids of any system. */
const pid = 99_999_999

let world: World
let service: FakeService
let status = 200

beforeAll(async () => {
  world = await openWorld()
  service = await openFakeService(({ path, method }) => {
    if (path.startsWith('/_svc/api/health')) return {}
    if (path.startsWith('/_svc/api/process')) return { body: { pid, dataDir: evil } }
    if (path.startsWith('/_svc/idp/')) return { status: 302, headers: { location: loggedIn } }
    if (status !== 200)
      return failure(status, 'VALIDATION_ERROR', evil, { issues: [{ loc: ['body', evil], msg: evil }] })
    if (path === '/text') return { body: evil }
    if (path.endsWith('/idp/logins')) return { body: { url: `${service.url}/_svc/idp/login` } }
    if (path === '/collections' && method === 'GET') return { body: [thing] }
    if (path.startsWith('/storage/list')) return { body: { ...lists, files: [thing] } }
    // The next page, after the only document.
    if (path.includes('id__gt')) return { body: { ...lists, documents: [] } }
    return { body: { ...thing, ...lists } }
  })
  const { url } = service
  const info = {
    url,
    wsUrl: url.replace(/^http/, 'ws'),
    storageUrl: `${url}/files`,
    dashboardUrl: `${url}/_svc/`,
    dataDir: evil,
    projectId: evil,
    apiKey: 'svc_key_x',
    version: evil,
  }
  await mkdir(join(world.folder, '.svc'))
  await writeFile(join(world.folder, '.svc', 'emulator.json'), JSON.stringify({ ...info, controlToken: 'x', pid }))
  // A key made of control characters cannot be sent.
  await writeFile(join(world.folder, '.svc', 'command-line-key.json'), JSON.stringify({ id, key: 'svc_secret_x' }))
  await writeFile(join(world.folder, 'rows.ndjson'), '{"a":1}\n')
  await writeFile(join(world.folder, 'operations.ndjson'), '{"op":"create","data":{"a":1}}\n')
  await writeFile(join(world.folder, 'migration.ts'), 'export default ({ data }) => ({ ...data, a: 1 })\n')
  await writeFile(join(world.folder, 'seed.json'), '{"collections":{"posts":{"documents":[{"a":1}]}}}')
})
afterAll(async () => {
  service.close()
  await world.close()
})

function typed(command: string, args: Args): string[] {
  const plain = Object.values(args).flatMap(({ required }) => (required ? ['x'] : []))
  const other = between.includes(command) ? ['--url', service.url.replace('127.0.0.1', 'localhost')] : []
  return [...command.split(':'), ...(further[command] ?? plain), ...other, '--yes']
}

/** They need a service beside the emulator, which is the same one under another name. */
const between = ['diff', 'parity:run', 'pull', 'push']

/** Its exit code and output do not depend on the answers: it asks another service, or none. */
const unasked = [
  'parity:run',
  'link',
  'status',
  'wait',
  'doctor',
  'profiles:trust',
  'serve',
  'serve:check',
  'serve:keys',
  'serve:resync',
  'serve:rotate',
]

// A command prints a 500 as it prints a 422.
describe.each([200, 422, ...inFull([500])])('with answers of %i', (answered) => {
  beforeAll(() => {
    status = answered
  })

  test.each(commands)('contract 12.5 svc %s prints no control character', async (command, { args }) => {
    const env = { EDITOR: 'true', SVC_API_KEY: 'svc_key_x', SVC_TRUST_CODE: '1' }
    const { stdout, stderr } = await world.svc(typed(command, args), { env })

    expect(stdout + stderr).not.toMatch(controls)
    if (answered !== 200 && !unasked.includes(command)) expect(stderr).toContain('evil')
  })
})

describe('at a terminal', () => {
  beforeAll(() => {
    status = 200
  })

  /** The raw output to the terminal. */
  const shown = async (words: readonly string[]) => {
    const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(' ')
    const env = { ...cleanEnv(world.folder), TERM: 'xterm', NO_COLOR: '1', SVC_API_KEY: 'svc_key_x' }
    const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
      cwd: world.folder,
      env,
      extendEnv: false,
      reject: false,
    })
    return stdout.replaceAll('\r\n', '\n')
  }

  test.each([
    ['docs', 'list', 'posts', '--format', 'csv'],
    ['docs', 'list', 'posts', '--format', 'ndjson'],
    ['docs', 'list', 'posts', '--json'],
    ['mail', 'show', '--html'],
    ['mail', 'show', '--raw'],
    ['api', 'GET', '/text'],
    ['api', 'GET', '/x', '--include'],
    ['users', 'list'],
  ])('contract 12.5 svc %s %s %s %s %s prints no control character', async (...words) => {
    const text = await shown(words)

    expect(text).toContain('evil')
    expect(text).not.toMatch(controls)
  })

  test('contract 12.5 a question holds none', async () => {
    const line = `${process.execPath} ${bin} users delete x`
    const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
      cwd: world.folder,
      env: { ...cleanEnv(world.folder), TERM: 'xterm', NO_COLOR: '1' },
      extendEnv: false,
      reject: false,
      input: 'n\n',
    })

    expect(stdout).toContain('Delete evil\\u001b[31mred')
    expect(stdout).not.toContain('\u0007')
    expect(stdout).not.toContain('\u009b')
  })
})

describe('data that goes into a pipe', () => {
  beforeAll(() => {
    status = 200
  })

  test.each([
    ['login', '--as', id],
    ['callback', 'google', '--code', 'x', '--state', 'x'],
    ['url', 'google', '--redirect-url', 'http://localhost:5173'],
  ])('contract 12.5 what svc idp %s prints for others to use holds no control character', async (...words) => {
    const { exit, stdout, stderr } = await world.svc(['idp', ...words])

    expect(exit).toBe(0)
    expect(stdout).toContain('evil')
    expect(stdout + stderr).not.toMatch(controls)
  })

  test('contract 12.5 JSON is escaped, and means the same', async () => {
    const { stdout } = await world.svc(['docs', 'list', 'posts', '--json'])

    expect(stdout).not.toMatch(controls)
    expect(JSON.parse(stdout).items[0].data).toEqual(thing.data)
  })

  test('CSV and the parts of a mail are as they came', async () => {
    const csv = await world.svc(['docs', 'list', 'posts', '--format', 'csv'])
    const html = await world.svc(['mail', 'show', '--html'])

    expect(csv.stdout).toContain(evil)
    expect(html.stdout).toBe(`${evil}\n`)
  })
})

test.each([
  ['above it, by its name', { name: '../out.txt' }],
  ['above it, by its path', { path: '../..' }],
  ['under a name that a terminal obeys', { name: 'a\u001b[31m.txt' }],
])('a file of a service is never written outside the folder: %s', async (_, fields) => {
  const file = { ...thing, name: 'out.txt', ...fields }
  const other = await openFakeService(({ path }) =>
    path.startsWith('/storage/list')
      ? { body: { ...lists, files: [{ ...file, url: `${other.url}/bytes` }] } }
      : { body: 'bytes' },
  )
  await mkdir(join(world.folder, 'deep', 'er'), { recursive: true })
  const words = ['files', 'download', 'letters', '--to', 'deep/er', '--url', other.url]

  const ran = await world.svc(words)

  other.close()
  expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('cannot be written:') })
  expect(await readdir(join(world.folder, 'deep'), { recursive: true })).toEqual(['er'])
  expect(await readdir(world.folder)).not.toContain('out.txt')
})
