import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inFull } from '../fixtures/scope.js'
import { openWorld, type World } from './command-line.js'

// Every command under --json prints only JSON: in a pipe, with CI=1, and at a terminal, where it never prompts.

const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url)), 'utf8'))
const commands: string[] = Object.keys(manifest.commands).sort()

let world: World
let id = ''

beforeAll(async () => {
  world = await openWorld()
  // On disk, so that a second one is refused: one with --memory leaves the folder to others.
  await world.dev('--demo')
  const page = (await world.json(['docs', 'list', 'posts', '--limit', '1'])) as { items: [{ id: string }] }
  id = page.items[0].id
  writeFileSync(join(world.folder, 'rows.ndjson'), '{"a":1}\n')
  writeFileSync(join(world.folder, 'ops.ndjson'), '{"op":"create","data":{"text":"Hi"}}\n')
  writeFileSync(join(world.folder, 'migration.ts'), 'export default ({ data }) => ({ ...data, seen: true })\n')
  writeFileSync(join(world.folder, 'seed.json'), '{"collections":{"authors":{"documents":[{"name":"Ada"}]}}}')
})
afterAll(() => world.close())

/** Arguments with which each command succeeds, however often it is run. */
const words: { readonly [command: string]: () => string[] } = {
  'agent:remove': () => ['--dry-run'],
  'agent:setup': () => ['--dry-run'],
  'agent:status': () => [],
  api: () => ['GET', '/collections/posts?limit=1'],
  'audit:list': () => [],
  'clock:advance': () => ['1s'],
  'clock:reset': () => [],
  'clock:set': () => ['2030-01-01'],
  'clock:show': () => [],
  'collections:check': () => [],
  'collections:create': () => ['posts'],
  'collections:delete': () => ['missing', '--yes'],
  'collections:get': () => ['posts'],
  'collections:indexes': () => [],
  'collections:list': () => [],
  'collections:permissions': () => ['posts'],
  'collections:rename': () => ['authors', 'authors'],
  'collections:schema': () => ['posts'],
  'collections:schema:infer': () => ['posts'],
  config: () => [],
  'connections:close': () => ['c99'],
  'connections:list': () => [],
  // There is no svc.json here.
  // It is running already.
  dev: () => [],
  doctor: () => [],
  'dialects:detect': () => [],
  'dialects:list': () => [],
  'dialects:show': () => ['b'],
  diff: () => [],
  'docs:aggregate': () => ['posts', '--sum', 'views'],
  'docs:batch': () => ['comments', '-f', 'ops.ndjson', '--yes'],
  'docs:count': () => ['posts'],
  'docs:transfer': () => ['posts', id, '--no-owner'],
  'docs:create': () => ['posts', 'title=Hello'],
  link: () => ['http://127.0.0.1:1', '--key', 'svc_key_x'],
  trigger: () => ['posts.created'],
  // There is no other service, and no run.
  'parity:apply': () => [],
  'parity:clean': () => ['m1x2y3z4', '--yes'],
  'parity:run': () => ['--yes'],
  'docs:delete': () => ['posts', id, id, '--yes'],
  'docs:edit': () => ['posts', id],
  'docs:export': () => ['posts', '--out', 'posts.ndjson'],
  'docs:get': () => ['posts', id],
  'docs:history': () => ['posts', id],
  'docs:import': () => ['comments', 'rows.ndjson'],
  'docs:list': () => ['posts', '--all'],
  'docs:migrate': () => ['posts', 'migration.ts', '--dry-run'],
  'docs:replace': () => ['posts', id, 'title=Hello'],
  'docs:update': () => ['posts', id, 'views:=2'],
  // The command after "--" is missing.
  exec: () => [],
  'faults:add': () => ['latency', '--ms', '1'],
  'faults:list': () => [],
  'faults:preset': () => ['rate-storm', '--path', '/nowhere'],
  'faults:remove': () => ['none'],
  'files:delete': () => ['01999999-9999-7999-8999-999999999999', '--yes'],
  'files:download': () => ['letters', '--replace'],
  'files:info': () => [],
  'files:list': () => [],
  'files:upload': () => ['rows.ndjson', '--to', 'letters'],
  'idp:accounts': () => [],
  // It exists already, from the first run.
  'idp:add': () => ['mary'],
  'idp:callback': () => ['google', '--code', 'x', '--state', 'x'],
  'idp:fail': () => ['--off'],
  'idp:flows': () => [],
  'idp:login': () => ['--as', 'ada'],
  'idp:remove': () => ['nobody', '--yes'],
  'idp:url': () => ['google', '--redirect-url', 'http://localhost:5173'],
  'idp:update': () => ['ada', '--name', 'Ada'],
  init: () => ['app', '--template', 'node'],
  logs: () => [],
  'keys:create': () => ['--scope', 'read:posts', '--expires', '30d'],
  'keys:list': () => [],
  'keys:revoke': () => ['01900000-0000-7000-8000-000000000001'],
  map: () => [],
  // It speaks another protocol.
  mcp: () => [],
  'mail:clear': () => ['--to', 'nobody@example.com', '--yes'],
  'mail:list': () => [],
  'mail:show': () => [],
  'mail:wait': () => ['--timeout', '0'],
  open: () => [],
  openapi: () => [],
  'profiles:add': () => ['staging', '--url', 'http://127.0.0.1:1', '--key', 'svc_key_of_staging', '--replace'],
  'profiles:list': () => [],
  'profiles:remove': () => ['missing'],
  // No address is set here.
  'profiles:trust': () => [],
  'profiles:use': () => ['--none'],
  'project:delete': () => ['01900000-0000-7000-8000-000000000001', '--yes'],
  'project:key': () => [],
  'project:list': () => [],
  pull: () => ['--yes'],
  push: () => ['--yes'],
  'project:set': () => ['requireVerifiedEmail:=false'],
  'project:show': () => [],
  'requests:export': () => ['--out', 'requests.har'],
  'requests:list': () => [],
  'requests:replay': () => ['-'],
  'requests:show': () => [],
  'requests:tail': () => ['--timeout', '0'],
  reset: () => ['--mail', '--yes'],
  seed: () => [],
  'seed:export': () => ['--out', 'exported.json'],
  'seed:generate': () => ['posts', '--count', '2'],
  // No database is named.
  serve: () => [],
  'serve:check': () => [],
  'serve:keys': () => [],
  'serve:resync': () => [],
  'serve:rotate': () => [],
  'snapshot:diff': () => ['missing'],
  'snapshot:export': () => ['missing'],
  'snapshot:import': () => ['missing.tar'],
  'snapshot:list': () => [],
  'snapshot:load': () => ['missing', '--yes'],
  'snapshot:remove': () => ['missing', '--yes'],
  'snapshot:save': () => ['demo', '--replace'],
  'snapshot:show': () => ['demo'],
  sql: () => ['select title from posts'],
  status: () => [],
  'types:generate': () => [],
  undo: () => [],
  update: () => [],
  'users:2fa:code': () => ['ada@example.com'],
  'users:2fa:disable': () => ['ada@example.com'],
  'users:2fa:enable': () => ['ada@example.com'],
  'users:2fa:verify': () => ['ada@example.com', '000000'],
  'users:delete': () => ['nobody@example.com', '--yes'],
  'users:get': () => ['ada@example.com'],
  'users:list': () => [],
  'users:login': () => ['ada@example.com', '--password', 'Correct4Horse'],
  'users:logout': () => ['nobody@example.com'],
  'users:password:change': () => ['ada@example.com', '--password', 'Wrong4Horse', '--new-password', 'New4Horses'],
  'users:password:request-reset': () => ['nobody@example.com'],
  'users:password:reset': () => ['--token', 'none', '--new-password', 'New4Horses'],
  'users:signup': () => ['ada@example.com', '--password', 'Correct4Horse'],
  'users:token': () => ['ada@example.com'],
  'users:update': () => ['ada@example.com', 'username=ada'],
  'users:verify': () => ['ada@example.com'],
  // A folder without an emulator, so that the others keep theirs.
  stop: () => ['--data', 'elsewhere'],
  tail: () => ['--timeout', '0'],
  wait: () => ['--timeout', '2'],
  whoami: () => [],
}

const surroundings: readonly (readonly [title: string, env: Readonly<Record<string, string>>])[] = [
  ['in a pipe', {}],
  ...inFull([['with CI=1', { CI: '1' }] as const]),
]

test('every command has words to be tried with', () => {
  expect(Object.keys(words).sort()).toEqual(commands)
})

describe.each(surroundings)('%s', (_, env) => {
  test.each(commands)('svc %s --json says JSON and nothing else', async (command) => {
    const { stdout, stderr, exit } = await world.svc([...typed(command), '--json'], {
      env: { EDITOR: 'true', ...env },
    })

    const said = JSON.parse(stdout)
    expect(stderr).toBe('')
    if (said?.error) expect(said).toEqual({ error: anError(exit) })
    else expect(exit).toBe(0)
    // Help and `svc map` derive the shape from types.
    const { prints } = manifest.commands[command]
    const isOpen = /^any JSON|per line|…/.test(prints)
    const [first] = Array.isArray(said) ? said : said.error ? [] : [said]
    const members = isOpen ? [] : Object.keys(first ?? {})
    expect(members.filter((member) => !prints.match(/\w+/g).includes(member))).toEqual([])
  })
})

test('SVC_YES=1 answers every question, and without it nothing is changed', async () => {
  await world.svc(['docs', 'create', 'comments', 'text=Away'])
  const deletion = ['docs', 'delete', 'comments', '--where', 'text=Away', '--json']

  const refused = await world.svc(deletion)
  const done = await world.svc(deletion, { env: { SVC_YES: '1' } })

  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'NOT_CONFIRMED', exit: 2 } })
  expect(JSON.parse(done.stdout)).toEqual({ deleted: 1 })
})

describe('at a terminal', () => {
  test.each(commands)('svc %s --json says JSON and nothing else', async (command) => {
    const options = { env: { EDITOR: 'true' }, isTerminal: true }

    const { stdout } = await world.svc([...typed(command), '--json'], options)

    expect(() => JSON.parse(stdout)).not.toThrow()
  })
})

function typed(command: string): string[] {
  return [...command.split(':'), ...(words[command]?.() ?? [])]
}

/** Whether a text is a command of svc with flags that it has, and nothing to fill in. */
function canBeTyped(next: string): boolean {
  const [, line = ''] = /^(?:npx |pnpm exec |yarn )?svc (.*)$/.exec(next) ?? []
  // What follows the dashes is the user's own command.
  const words = line.split(' -- ')[0]?.split(' ') ?? []
  const id = [3, 2, 1].map((length) => words.slice(0, length).join(':')).find((known) => commands.includes(known))
  if (id === undefined || /[<>…]|\b[A-Z]{4,}\b/.test(line)) return false
  const known = ['help', ...Object.keys(manifest.commands[id].flags)]
  return words.every((word) => !word.startsWith('--') || known.includes(word.slice(2).replace(/=.*/, '')))
}

function anError(exit: number) {
  const text = expect.stringMatching(/./)
  return {
    code: text,
    message: text,
    hint: expect.toSatisfy((hint) => hint === null || typeof hint === 'string'),
    next: expect.toSatisfy(canBeTyped),
    exit,
  }
}

test('every command has a summary that begins with its verb, two examples, and words for each argument and flag', () => {
  type Described = Record<string, { description?: string }>
  const all = Object.entries<{ summary?: string; examples?: string[]; args: Described; flags: Described }>(
    manifest.commands,
  )
  const lacking = all.filter(
    ([, { summary = '', examples = [], args, flags }]) =>
      !/^[A-Z][a-z]+[ ,].*\.$/.test(summary) ||
      examples.length < 2 ||
      [...Object.values(args), ...Object.values(flags)].some(({ description }) => !description),
  )

  expect(lacking.map(([name]) => name)).toEqual([])
})

test('every topic has a description, without which the overview leaves it out', () => {
  const { topics } = JSON.parse(readFileSync(fileURLToPath(new URL('../../.oclifrc.json', import.meta.url)), 'utf8'))
  const visible = commands.filter((id) => !manifest.commands[id].hidden)
  const used = visible.flatMap((id) => id.split(':').map((_, at, words) => words.slice(0, at).join(':')))

  expect(Object.keys(topics).sort()).toEqual([...new Set(used)].filter((topic) => topic !== '').sort())
})

test('help shows COLLECTION where one is taken, and COLLECTION... only where several are', async () => {
  const { stdout } = await world.svc(['help', 'docs', 'create'])
  const several = Object.entries<{ args: { collection?: { multiple?: boolean } } }>(manifest.commands)
    .filter(([, { args }]) => args.collection?.multiple)
    .map(([command]) => command)

  expect(stdout).toMatch(/^ {2}COLLECTION {2}/m)
  expect(stdout).not.toContain('COLLECTION...')
  expect(several.toSorted()).toEqual([
    'collections:check',
    'diff',
    'pull',
    'push',
    'reset',
    'seed:export',
    'tail',
    'types:generate',
  ])
})

test('every flag of a time takes a duration', () => {
  const flags = Object.entries<{ flags: Record<string, { description?: string; helpValue?: string }> }>(
    manifest.commands,
  )
    .flatMap(([command, { flags }]) => Object.entries(flags).map(([name, flag]) => ({ command, name, ...flag })))
    .filter(({ name }) => name !== 'json')
    .filter(({ name, description = '' }) => name === 'timeout' || /(?<!per )\b(milli)?seconds?\b/.test(description))

  expect(flags.length).toBeGreaterThan(10)
  expect(flags.filter(({ helpValue = '' }) => helpValue !== 'duration')).toEqual([])
})

test('the prose of every help text is for the terminal to wrap', () => {
  const described: [string, { description?: string }][] = Object.entries(manifest.commands)

  const wrapped = described.filter(([, { description = '' }]) => /\S\n\S/.test(description))

  expect(described.length).toBeGreaterThan(0)
  expect(wrapped.map(([id]) => id)).toEqual([])
})
