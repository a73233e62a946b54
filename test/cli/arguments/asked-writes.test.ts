import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { TargetCommand } from '../../../cli/base/target-command.js'
import { type FakeAnswer, type FakeService, failure, openFakeService } from '../fake-service.js'
import { commands, idOf, runClass, runInProcess } from '../in-process.js'

// Every writing command names its target, and asks unless it is an emulator: product promise 3.

const id = '01999999-9999-7999-8999-999999999999'
const password = ['--password', 'Correct4Horse']
const asAda = ['ada@example.com', '--token', 'x.y.z']

/** Tells when the command itself asks: at every service, at a terminal, or never. */
type Asks = 'always' | 'terminal' | 'never'

/** Writing commands; a command may write in several ways. */
const writes: readonly (readonly [asks: Asks, ...words: string[]])[] = [
  ['never', 'api', 'POST', '/collections/posts', 'a=b'],
  ['never', 'collections', 'create', 'drafts'],
  ['always', 'collections', 'delete', 'posts'],
  ['never', 'collections', 'permissions', 'posts', '--open', 'read'],
  ['never', 'collections', 'rename', 'posts', 'articles'],
  ['never', 'collections', 'schema', 'posts', '--clear'],
  ['never', 'collections', 'schema', 'infer', 'posts', '--apply'],
  ['always', 'docs', 'batch', 'posts', '-f', 'operations.ndjson'],
  ['never', 'docs', 'create', 'posts', 'a=b'],
  ['never', 'docs', 'delete', 'posts', id],
  ['always', 'docs', 'delete', 'posts', '--where', 'text=Hi'],
  ['terminal', 'docs', 'edit', 'posts', id],
  ['never', 'docs', 'import', 'posts', 'rows.ndjson'],
  ['always', 'docs', 'migrate', 'posts', 'migration.mjs'],
  ['never', 'docs', 'replace', 'posts', id, 'a=b'],
  ['never', 'docs', 'update', 'posts', id, 'a=b'],
  ['always', 'docs', 'update', 'posts', '--where', 'text=Hi', 'a=b'],
  ['never', 'files', 'delete', id],
  // A backup would download the file, which this service does not have.
  ['always', 'files', 'delete', '--folder', 'letters', '--no-backup'],
  ['never', 'files', 'upload', 'rows.ndjson'],
  ['always', 'parity', 'run', '--group', 'methods', '--rate', '1000'],
  ['always', 'push', '--force'],
  ['never', 'seed', 'seed.json'],
  ['never', 'seed', 'generate', 'posts', '--count', '2'],
  ['never', 'trigger', 'posts.updated', id],
  ['never', 'users', '2fa', 'disable', ...asAda, '--code', '123456'],
  ['never', 'users', '2fa', 'enable', ...asAda],
  ['never', 'users', '2fa', 'verify', ...asAda, '123456'],
  ['never', 'users', 'logout', ...asAda],
  ['never', 'users', 'password', 'change', ...asAda, ...password, '--new-password', 'New4Horses'],
  ['never', 'users', 'password', 'request-reset', 'ada@example.com'],
  ['never', 'users', 'password', 'reset', '--token', 'x', '--new-password', 'New4Horses'],
  ['never', 'users', 'signup', 'ada@example.com', ...password],
  ['never', 'users', 'verify', ...asAda],
]

/** Commands that only read, or write only the session of a login. */
const reads: readonly (readonly string[])[] = [
  ['api', 'GET', '/collections/posts'],
  ['collections', 'check'],
  ['collections', 'get', 'posts'],
  ['collections', 'list'],
  ['collections', 'permissions', 'posts'],
  ['collections', 'schema', 'posts'],
  ['collections', 'schema', 'infer', 'posts'],
  ['dialects', 'detect'],
  ['diff'],
  ['docs', 'aggregate', 'posts', '--sum', 'views'],
  ['docs', 'count', 'posts'],
  ['docs', 'delete', 'posts', '--where', 'text=Hi', '--dry-run'],
  ['docs', 'export', 'posts', '--out', 'posts.ndjson', '--replace'],
  ['docs', 'get', 'posts', id],
  ['docs', 'list', 'posts'],
  ['docs', 'migrate', 'posts', 'migration.mjs', '--dry-run'],
  ['files', 'download', 'letters', '--replace'],
  ['files', 'info'],
  ['files', 'list'],
  ['idp', 'callback', 'google', '--code', 'x', '--state', 'x'],
  ['idp', 'url', 'google', '--redirect-url', 'http://localhost:5173'],
  ['openapi', '--out', 'openapi.json'],
  ['seed', 'generate', 'posts', '--count', '2', '--out', 'generated.ndjson'],
  ['tail', 'posts', '--transport', 'sse', '--timeout', '0'],
  ['types', 'generate', '--out', 'types.ts'],
  ['users', 'get', 'ada@example.com'],
  ['users', 'list'],
  ['users', 'login', 'ada@example.com', ...password],
  ['whoami'],
]

/** Commands of the owner, which use the control API of the folder's emulator and are refused everywhere else. */
const owners: readonly (readonly string[])[] = [
  ['docs', 'transfer', 'posts', id, '--no-owner'],
  ['users', '2fa', 'code', 'ada@example.com'],
  ['users', 'delete', 'ada@example.com'],
  ['users', 'token', 'ada@example.com'],
  ['users', 'update', 'ada@example.com', '--role', 'a', 'username=ada'],
]

/**
 * Commands that write to no service: `pull` writes to the folder's emulator, and asks about that itself. `parity clean` needs a
 * run, which `parity.test.ts` makes.
 */
const others: readonly (readonly string[])[] = [
  ['link', 'http://127.0.0.1:1'],
  ['parity', 'clean', 'x'],
  ['profiles', 'add', 'staging'],
  ['pull'],
  ['wait', '--timeout', '0'],
]

type Kind = 'own' | 'emulator' | 'foreign'

interface Place {
  readonly kind: Kind
  readonly flags: readonly string[]
  readonly line: string
  readonly service: FakeService
}

const prompts = vi.hoisted(() => ({ questions: [] as string[], answer: true }))
vi.mock('@inquirer/prompts', () => ({
  async confirm({ message }: { message: string }) {
    // This one is about a file of the user's, and no write.
    if (message.startsWith('Save it in profile')) return false
    prompts.questions.push(message)
    return prompts.answer
  },
}))

const ways = {
  'at a terminal, after a yes': { isTerminal: true, answer: true, flags: [] },
  'at a terminal, after a no': { isTerminal: true, answer: false, flags: [] },
  'without a terminal': { isTerminal: false, answer: false, flags: [] },
  'with --yes --quiet': { isTerminal: false, answer: false, flags: ['--yes', '--quiet'] },
} as const
type Way = keyof typeof ways

let folder: string
let env: Record<string, string>
const before = process.cwd()
const places: Record<string, Place> = {}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-asked-'))
  process.chdir(folder)
  env = {
    ...{ HOME: folder, SVC_CONFIG_DIR: join(folder, 'config') },
    ...{ EDITOR: `${process.execPath} editor.mjs`, SVC_TRUST_CODE: '1' },
  }
  const open = (text: string, isEmulator: boolean) => openFakeService(answer(text, isEmulator))
  const [own, flagged, emulator, named, foreign] = await Promise.all([
    open('Ho', true),
    open('Hi', false),
    open('Hi', true),
    open('Hi', true),
    open('Hi', false),
  ])
  // It leads to this machine, but no rule says that it always does.
  const elsewhere = ({ url }: FakeService) => url.replace('127.0.0.1', '0.0.0.0')
  const byUrl = (service: FakeService, url: string, kind: Kind): Place => ({
    ...{ kind, service, flags: ['--url', url, '--key', 'svc_key_x'], line: `-> ${new URL(url).host} (--url)\n` },
  })
  places.own = { kind: 'own', flags: [], line: '', service: own }
  places['a loopback address by flag'] = byUrl(flagged, flagged.url, 'emulator')
  places['another emulator'] = byUrl(emulator, elsewhere(emulator), 'emulator')
  places['a named profile on loopback'] = {
    ...{ kind: 'foreign', service: named, flags: ['--profile', 'live'] },
    line: `-> ${new URL(named.url).host} (profile live)\n`,
  }
  places['another service'] = byUrl(foreign, elsewhere(foreign), 'foreign')
  const { url } = own
  const info = { url, wsUrl: url.replace(/^http/, 'ws'), storageUrl: `${url}/files`, dashboardUrl: `${url}/_svc/` }
  const file = { projectId: 'x', apiKey: 'svc_key_own', controlToken: 'x', pid: process.pid, dataDir: null }
  const files = {
    '.svc/emulator.json': JSON.stringify({ ...info, ...file, version: '1' }),
    'config/profiles.json': JSON.stringify({ profiles: { live: { url: named.url, key: 'svc_key_x' } } }),
    'editor.mjs': `import { readFileSync, writeFileSync } from 'node:fs'
const [file] = process.argv.slice(-1)
writeFileSync(file, readFileSync(file, 'utf8').replace(/Hi|Ho/, 'Bye'))`,
    'migration.mjs': 'export default ({ data }) => ({ ...data, seen: true })',
    'operations.ndjson': '{"op":"create","data":{"a":1}}\n',
    'rows.ndjson': '{"a":1}\n',
    'seed.json': '{"collections":{"drafts":{"documents":[{"a":1}]}}}',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
})
afterAll(async () => {
  process.chdir(before)
  for (const { service } of Object.values(places)) service.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(() => {
  prompts.questions.length = 0
})

async function run(words: readonly string[], place: Place, way: Way) {
  const { isTerminal, answer, flags } = ways[way]
  prompts.answer = answer
  // A second push would find nothing to do.
  await rm(join(folder, 'config/pairs'), { recursive: true, force: true })
  const { asked } = place.service
  const start = asked.length
  const ran = await runInProcess([...words, ...place.flags, ...flags], { isTerminal, env })
  const sent = asked.slice(start)
  const requests = sent.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
  const [controlled = [], written = []] = [true, false].map((isControl) =>
    requests.filter((request) => isControl === request.includes(' /_svc/api/') && !/\/login$|\/oauth\//.test(request)),
  )
  return { ...ran, controlled, written, probes: sent.filter(({ path }) => path === '/_svc/api/health') }
}

const allPlaces = [
  'own',
  'a loopback address by flag',
  'another emulator',
  'a named profile on loopback',
  'another service',
]
const placesOfAll = ['a loopback address by flag', 'another service']
/** The kinds of commands, of which one each is sent to every place: what a command is asked for does not depend on more of it. */
const oneOfEach = [
  'docs create',
  'docs edit',
  'docs delete',
  'push',
  'seed',
  'docs list',
  'users login',
  'users delete',
]
const isOneOfEach = (words: readonly string[]) =>
  oneOfEach.some((name) => words.slice(0, name.split(' ').length).join(' ') === name)

/** Every command at an emulator and at another service, and one of each kind everywhere. */
const cells = (table: readonly (readonly string[])[]) =>
  allPlaces.flatMap((place) =>
    table
      .filter((words) => placesOfAll.includes(place) || isOneOfEach(words))
      .map((words) => [words.join(' '), place, words] as const),
  )

test('every command that can be sent to another service is in one of the tables', () => {
  const elsewhere = Object.keys(commands).filter((name) => Object.hasOwn(commands[name]?.flags ?? {}, 'url'))

  const tried = new Set([...writes.map(([, ...words]) => words), ...reads, ...owners, ...others].map(idOf))

  expect([...tried].sort()).toEqual(elsewhere.sort())
})

describe.each(Object.keys(ways) as Way[])('%s', (way) => {
  // They compare the emulator of the folder with another service.
  const isTried = (place: string, [name = '']: readonly string[]) =>
    place !== 'own' || !['parity', 'push'].includes(name)
  const tried = writes.flatMap(([asks, ...words]) =>
    cells([words]).flatMap(([title, place]) => (isTried(place, words) ? [[title, place, asks, words] as const] : [])),
  )

  test.each(tried)('svc %s at %s', async (_, at, asks, words) => {
    const place = places[at] as Place
    const { isTerminal, answer, flags } = ways[way]
    const isAsked = place.kind === 'foreign' || asks === 'always' || (asks === 'terminal' && isTerminal)
    const mayWrite = !isAsked || answer || flags.length > 0

    const ran = await run(words, place, way)

    const { host } = new URL(place.flags[1]?.startsWith('http') ? (place.flags[1] ?? '') : place.service.url)
    expect(prompts.questions).toEqual(isAsked && isTerminal ? [expect.stringMatching(` on ${host}\\?$`)] : [])
    expect(ran.stderr.split('-> ').length - 1).toBe(place.line === '' ? 0 : 1)
    expect(ran.stderr).toContain(place.line)
    if (mayWrite) expect([...ran.controlled, ...ran.written], ran.stderr).not.toEqual([])
    else expect([ran.exit, ran.written]).toEqual([isTerminal ? 130 : 2, []])
    if (!mayWrite && !isTerminal) expect(ran.stderr).toContain(` on ${host}? Cannot ask without a terminal.`)
    expect(ran.probes.map(({ key }) => key)).toEqual(
      at === 'another emulator' || at === 'another service' ? [undefined] : [],
    )
  })
})

test.each(cells(reads))('svc %s at %s names no target, asks nothing and writes nothing', async (_, at, words) => {
  const { stderr, written, probes } = await run(words, places[at] as Place, 'at a terminal, after a yes')

  expect({ questions: prompts.questions, isNamed: stderr.includes('-> '), written, probes }).toEqual({
    ...{ questions: [], isNamed: false, written: [], probes: [] },
  })
})

test.each(cells(owners).filter(([, at]) => at !== 'own'))('svc %s at %s is refused', async (_, at, words) => {
  const { exit, stderr, written } = await run(words, places[at] as Place, 'with --yes --quiet')

  expect([exit, written]).toEqual([3, []])
  expect(stderr).toContain('is not the emulator of this folder')
})

describe('a command that forgets to ask', () => {
  class Forgetful extends TargetCommand {
    protected readonly access: 'read' | 'write' = 'write'

    async run() {
      const { flags } = await this.parse(Forgetful)
      await this.client(flags).collections.create({ name: 'drafts' })
    }
  }
  class Undeclared extends Forgetful {
    protected override readonly access = 'read'

    override async run() {
      const { flags } = await this.parse(Undeclared)
      await this.clientForWrite(flags, 'Create a collection')
    }
  }
  const sentBy = async (command: typeof Forgetful, at: string) => {
    const { service, flags } = places[at] as Place
    const start = service.asked.length
    const ran = await runClass(command, [...flags, '--yes'], { isTerminal: false, env })
    const sent = service.asked.slice(start).filter(({ method }) => method !== 'GET')
    return { ...ran, sent: sent.map(({ method, path }) => `${method} ${path}`) }
  }

  test.each(allPlaces)('sends nothing, except to the emulator of the folder: %s', async (at) => {
    const { exit, stderr, sent } = await sentBy(Forgetful, at)

    if (at === 'own') expect([exit, sent]).toEqual([0, ['POST /collections']])
    else expect([exit, sent]).toEqual([1, []])
    if (at !== 'own') expect(stderr).toContain('This command tried POST /collections on ')
  })

  test('and one that asks has to say that it writes', async () => {
    const { exit, stderr, sent } = await sentBy(Undeclared, 'another service')

    expect([exit, sent]).toEqual([1, []])
    expect(stderr).toContain('its access is "read"')
  })
})

const flagsOf = (name: string) => commands[name]?.flags ?? {}
const ofTheEmulator = Object.keys(commands).filter(
  (name) => Object.hasOwn(flagsOf(name), 'data') && !Object.hasOwn(flagsOf(name), 'url'),
)
test.each(ofTheEmulator)('svc %s --profile is of the emulator only', async (name) => {
  const place = places['a named profile on loopback'] as Place

  const { exit, stderr } = await run(name.split(':'), place, 'with --yes --quiet')

  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining('only works with an emulator, so --profile is not supported.'),
  ])
})

/** As much of a service as each command reads before it writes: a collection "posts" with a document of that text. */
function answer(text: string, isEmulator: boolean): (request: { method: string; path: string }) => FakeAnswer {
  const document = {
    id,
    data: { text },
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    version: 1,
  }
  const collection = {
    id,
    name: 'posts',
    schema: {},
    permissions: { create: [], update: [], delete: [] },
    document_count: 1,
  }
  const user = { id, email: 'ada@example.com', roles: [], data: {} }
  const file = { id, name: 'a.txt', path: '/letters', url: 'http://127.0.0.1:1/a.txt', size: 1, mimeType: 'text/plain' }
  const lists = { documents: [document], users: [user], files: [file], total: 1, limit: 20, offset: 0 }
  return ({ method, path }) => {
    if (path === '/_svc/api/health') return isEmulator ? { body: { status: 'ok', folder: 'x' } } : { status: 404 }
    if (path.startsWith('/_svc/api/requests')) return { body: { requests: [] } }
    if (path.endsWith('/dependants')) return { body: { collections: [] } }
    if (path === '/_svc/api/process') return { body: { pid: process.pid, dataDir: null } }
    if (path === '/collections' && method === 'GET') return { body: [collection] }
    if (path.startsWith('/realtime')) return failure(403, 'FORBIDDEN', 'No.')
    if (path.startsWith('/collections/drafts') || path.includes('id__gt'))
      return { body: { ...collection, ...lists, documents: [], total: 0 } }
    return { body: { ...collection, ...user, ...document, user, count: 1, token: 'x.y.z', ...lists } }
  }
}
