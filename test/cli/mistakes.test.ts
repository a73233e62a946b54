import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, cleanEnv, openWorld, type World } from './command-line.js'

// Deliberate mistakes: each error says what happened and what to do, a line for each, and has its own exit code.

let world: World
let empty: World

beforeAll(async () => {
  ;[world, empty] = await Promise.all([openWorld(), openWorld()])
  await world.dev('--memory', '--demo')
})
afterAll(() => Promise.all([world.close(), empty.close()]))

const mistakes: readonly (readonly [title: string, words: string[], exit: number, said: RegExp])[] = [
  ['a collection spelled wrong', ['docs', 'list', 'post'], 4, /No collection "post"\.\n.*Did you mean "posts"\?/],
  ['a name that no collection has', ['docs', 'list', 'my x'], 4, /No collection "my x"\.\n.*svc collections list/],
  [
    'a command spelled wrong',
    ['docs', 'lst', 'posts'],
    2,
    /Unknown command "docs lst"\.\n.*Did you mean "svc docs list"\?/,
  ],
  ['a topic spelled wrong', ['doc', 'list', 'posts'], 2, /Did you mean "svc docs list"\?/],
  ['a topic by itself spelled wrong', ['dcs'], 2, /Unknown command "dcs"\.\n.*Did you mean "svc docs"\?/],
  [
    'a command of a topic within one spelled wrong',
    ['users', '2fa', 'cod'],
    2,
    /Unknown command "users 2fa cod"\.\n.*Did you mean "svc users 2fa code"\?/,
  ],
  ['a command that there is not', ['frobnicate'], 2, /Unknown command "frobnicate"\.\n.*svc --help/],
  ['deploy', ['deploy'], 2, /Unknown command "deploy"\.\n.*nothing to deploy.*svc push.*svc serve/],
  ['rm for delete', ['collections', 'rm', 'nope', '--yes'], 4, /No collection "nope"/],
  [
    'a verb that no tool has',
    ['collections', 'frob', 'x'],
    2,
    /"collections frob"\.\n.*Commands in "collections": check, create/,
  ],
  ['a verb of another tool', ['collections', 'drop', 'x'], 2, /Did you mean "svc collections delete"\?/],
  ['get for what is shown', ['project', 'get'], 2, /Did you mean "svc project show"\?/],
  ['a topic and a verb of another tool', ['collection', 'rm', 'x'], 2, /Did you mean "svc collections delete"\?/],
  ['a delimiter that is nothing', ['docs', 'import', 'posts', 'a.csv', '--delimiter', ''], 2, /between two cells/],
  ['an argument of a command that takes none', ['files', 'info', 'x'], 2, /"files info" takes no arguments/],
  [
    'a flag spelled wrong',
    ['docs', 'list', 'posts', '--wher', 'a=1'],
    2,
    /Unknown flag "--wher"(.|\n)*Did you mean "--where"/,
  ],
  ['an argument left out', ['docs', 'list'], 2, /Missing: COLLECTION/],
  ['one of several left out', ['faults', 'add'], 2, /Missing: KIND \(kind of fault: latency, status, /],
  [
    'a time that is none',
    ['mail', 'wait', '--timeout', '5x'],
    2,
    /--timeout: Expected a duration, for example 30s or 5m,/,
  ],
  ['a limit that is no number', ['docs', 'list', 'posts', '--limit', 'x'], 2, /--limit: Expected an integer/],
  ['a condition without value', ['docs', 'list', 'posts', '--where', 'views'], 2, /condition: "views"\.\n.*__gte=100/],
  [
    'a comparison as other languages write it',
    ['docs', 'list', 'posts', '--where', 'views>=100'],
    2,
    /Not a valid condition: "views>=100"\.\n.*views__gte=100/,
  ],
  [
    'an inequality as other languages write it',
    ['docs', 'delete', 'posts', '--where', 'status!=draft', '--yes'],
    2,
    /Not a valid condition: .*\.\n.*status__ne=draft/,
  ],
  [
    'an unknown suffix',
    ['docs', 'list', 'posts', '--where', 'views__foo=1'],
    2,
    /Unknown filter suffix "__foo".*__icontains/,
  ],
  ['a field that is not valid', ['docs', 'create', 'posts', 'title'], 2, /Not a valid field: "title"\.\n.*title=Hello/],
  ['a value that is not JSON', ['docs', 'create', 'posts', 'title:=Hello'], 2, /not JSON: Hello\n.*title=Hello/],
  ['a number written as text', ['docs', 'create', 'posts', 'title=Hi', 'views=1'], 5, /"views"(.|\n)*write views:=1/],
  ['a document that does not fit', ['docs', 'create', 'posts', 'views=many'], 5, /"title" is required/],
  ['a document that is not there', ['docs', 'get', 'posts', 'nope'], 4, /No document "nope" in "posts"/],
  ['a name that is taken', ['collections', 'create', 'posts'], 5, /Collection "posts" already exists/],
  ['a wrong key', ['docs', 'list', 'posts', '--key', 'svc_key_wrong'], 3, /API key is not valid(.|\n)*svc whoami/],
  [
    'an address where nothing is',
    ['docs', 'list', 'posts', '--url', 'http://127.0.0.1:1'],
    7,
    /Could not reach http:\/\/127\.0\.0\.1:1/,
  ],
  [
    'an address that is none',
    ['docs', 'list', 'posts', '--url', 'ftp://x'],
    2,
    /Not a valid address: "ftp:\/\/x" \(--url\)\.\n.*http:\/\/127\.0\.0\.1:4400/,
  ],
  [
    'a dialect that there is not',
    ['docs', 'list', 'posts', '--dialect', 'z'],
    2,
    /Unknown dialect "z"\. Known: a, b, c/,
  ],
  ['a profile that there is not', ['docs', 'list', 'posts', '-P', 'staging'], 4, /No profile "staging"/],
  [
    'a deletion that nobody can confirm',
    ['collections', 'delete', 'posts'],
    2,
    /Cannot ask without a terminal(.|\n)*--yes/,
  ],
  [
    'deleting what is not there',
    ['collections', 'delete', 'nope', '--yes'],
    4,
    /No collection "nope"\.\n.*collections list/,
  ],
  ['a folder that is not there', ['docs', 'export', 'posts', '--out', 'nope/x.json'], 4, /No folder ".*nope"/],
  ['a folder instead of a file', ['docs', 'export', 'posts', '--out', '.', '--format', 'json'], 2, /"\." is a folder/],
  ['a full disk', ['docs', 'export', 'posts', '--out', '/dev/full', '--format', 'json'], 1, /ENOSPC|disk is full/],
  ['an emulator that runs elsewhere', ['status', '--data', 'other'], 8, /in "other"\.\n.*svc dev --data other/],
  ['a state folder where none can be', ['dev', '--data', '/dev/svc/x'], 1, /"\/dev" belongs to the system\.\n.*--data/],
  ['the same in the background', ['dev', '--detach', '--data', '/dev/svc/x'], 1, /"\/dev" belongs to the system/],
  ['waiting for what is not an address', ['wait', '--url', 'ftp://x'], 2, /Not a valid address: "ftp:.*SVC_URL\)/],
  ['a seed that is not there', ['dev', '--data', 'other', '--seed', 'nope.json'], 4, /No file "nope\.json"/],
  [
    'an address of another machine',
    ['dev', '--data', 'other', '--host', '192.0.2.1'],
    1,
    /"192\.0\.2\.1" is not an address of this machine\.\n.*--host/,
  ],
  [
    'a database that is not an address',
    ['dev', '--data', 'other', '--database-url', 'shop'],
    1,
    /not the address of a PostgreSQL server\.\n.*postgres:\/\//,
  ],
  ['two flags that exclude each other', ['dev', '--memory', '--fresh'], 2, /--fresh cannot also be .* --memory/],
  [
    'a weak password',
    ['users', 'signup', 'ada@example.com', '--password', 'short'],
    5,
    /^error {2}A password needs at least 8 characters, an uppercase letter and a digit\.\n$/,
  ],
  ['an id that a script left empty', ['docs', 'delete', 'posts', '', '--yes'], 2, /ID is empty\.\n.*variable/],
  ['a document in no file', ['docs', 'create', 'posts', '-f', 'nope.json'], 4, /No file "nope\.json"/],
  ['a document in a folder', ['docs', 'create', 'posts', '-f', '.'], 2, /"\." is a folder/],
  [
    'a setting written as text',
    ['project', 'set', 'tokenTtl=5'],
    5,
    /^error {2}"tokenTtl": expected number, received string\.\n.*write tokenTtl:=5/,
  ],
  [
    'a setting that there is not',
    ['project', 'set', 'foo=1'],
    5,
    /^error {2}"foo" is not a known field\.\n.*project show/,
  ],
  [
    'a default that does not fit its field',
    ['collections', 'create', 'shelf', '--field', 'n:integer="x"'],
    5,
    /contradicts itself: "schema\.n\.default" is not of type "integer"\./,
  ],
  ['a file that is not there', ['docs', 'import', 'posts', 'nope.json'], 4, /No file "nope\.json"/],
]

test.each(mistakes)('%s', async (_, words, exit, said) => {
  const ran = await world.svc(words, { isRefused: true })

  expect(ran.stderr).toMatch(said)
  expect(ran.stdout).toBe('')
  expect(ran.exit).toBe(exit)
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
})

test('without an emulator a command says how to start one, and exits with 8', async () => {
  const ran = await empty.svc(['docs', 'list', 'posts'])

  expect(ran).toMatchObject({ exit: 8, stdout: '' })
  expect(ran.stderr).toMatch(/No emulator is running in this folder(.|\n)*svc dev/)
  const keys = await empty.svc(['keys', 'list'], { env: { SVC_URL: 'http://127.0.0.1:1' } })
  expect(keys).toMatchObject({
    exit: 8,
    stderr: expect.stringMatching(/\n.*svc dev\. This command does not use SVC_URL/),
  })
})

test('help may be asked for as a command', async () => {
  expect((await empty.svc(['help'])).stdout).toBe((await empty.svc(['--help'])).stdout)
  expect((await empty.svc(['help', 'docs', 'list'])).stdout).toContain('List the documents in a collection.')
})

test.each([
  [
    ['docs', 'ls', 'posts', '--columns', 'title'],
    ['docs', 'list', 'posts', '--columns', 'title'],
  ],
  [
    ['up', '--port', 'x'],
    ['dev', '--port', 'x'],
  ],
  [
    ['down', '--data', 'nowhere'],
    ['stop', '--data', 'nowhere'],
  ],
])('svc %j does the same as svc %j', async (alias, words) => {
  const [ran, expected] = [await world.svc(alias), await world.svc(words, { isRefused: true })]

  expect(ran).toEqual(expected)
  expect(ran.stdout + ran.stderr).not.toBe('')
})

test('help lists no aliases beside their commands', async () => {
  const { stdout } = await empty.svc(['docs', '--help'])

  expect(stdout).toContain('docs list')
  expect(stdout).not.toMatch(/docs (ls|rm)/)
  expect((await empty.svc(['docs', 'rm', '--help'])).stdout).toContain('$ svc docs rm COLLECTION [ID...]')
})

test.each([0, 80, 120])('the overview fits a terminal of %i columns', async (columns) => {
  const { stdout } = await empty.terminal(['--help'], [], { columns })

  const widths = stdout.split('\n').map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThanOrEqual(columns || 100)
  expect(Math.max(...widths)).toBeGreaterThan(60)
})

test('a setting of the project file that there is not is named', async () => {
  const { writeFile, rm } = await import('node:fs/promises')
  await writeFile(`${world.folder}/svc.json`, '{"dialcet":"b"}')

  const ran = await world.svc(['docs', 'list', 'posts'])

  await rm(`${world.folder}/svc.json`)
  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringMatching(/"dialcet" is not a valid setting\.\n.*dialect/) })
})

test('svc open opens pages of the emulator only, never of another host', async () => {
  const { exit } = await world.svc(['open', '//example.com', '--print'])
  const { stdout } = await world.svc(['open', 'data', '//example.com', '--print'])

  expect(exit).toBe(2)
  expect(new URL(stdout)).toMatchObject({ hostname: '127.0.0.1', pathname: '/_svc/data/example.com' })
})

test('in a terminal no word of a failure is broken at the edge', async () => {
  const { stdout } = await world.terminal(['docs', 'list', 'posts', '--where', `views__${'x'.repeat(40)}=1`], [], {
    columns: 80,
  })

  const lines = stdout.split('\n').filter((line) => line !== '')
  expect(lines.every((line) => line.length <= 80)).toBe(true)
  expect(lines[1]).toMatch(/^ {7}\S/)
})

test('columns that no document has are pointed out', async () => {
  const { exit, stderr } = await world.svc(['docs', 'list', 'posts', '--columns', 'titel,views', '--limit', '2'])

  expect(exit).toBe(0)
  expect(stderr).toMatch(/No document has a field "titel". Fields: .*title/)
})

test('an order by a field that no document has is pointed out', async () => {
  const { exit, stderr } = await world.svc(['docs', 'list', 'posts', '--sort', 'titel', '--limit', '2'])

  expect(exit).toBe(0)
  expect(stderr).toMatch(/No document has a field "titel". Fields: .*title/)
})

test('a condition of another spelling that finds nothing is pointed out', async () => {
  const listed = await world.svc(['docs', 'list', 'posts', '--where', 'views_gte=3'])
  const counted = await world.svc(['docs', 'count', 'posts', '--where', 'views_gte=3'])

  expect(listed.stderr).toContain('write views__gte')
  expect(counted).toMatchObject({ exit: 0, stdout: '0\n', stderr: expect.stringContaining('write views__gte') })
})

test.each([['docs', 'list', 'posts'], [], ['--version']])(
  'stdout of svc %s %s %s on a full disk is one line',
  async (...given) => {
    const words = [process.execPath, bin, ...given]
    const ran = await execa('sh', ['-c', `${words.map((word) => `'${word}'`).join(' ')} > /dev/full`], {
      cwd: world.folder,
      env: cleanEnv(world.folder),
      extendEnv: false,
      reject: false,
    })

    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^error {2}.*(ENOSPC|disk is full)/) })
    expect(ran.stderr).not.toMatch(/\n\s+at /)
  },
)

test('a stack is shown under --debug only', async () => {
  const words = ['docs', 'list', 'posts', '--url', 'http://127.0.0.1:1']

  expect((await empty.svc(words)).stderr).not.toMatch(/\n\s+at /)
  expect((await empty.svc([...words, '--debug'])).stderr).toMatch(/\n\s+at /)
})

test('a document that is named twice is deleted and counted once', async () => {
  const { id } = (await world.json(['docs', 'create', 'posts', 'title=Twice'])) as { id: string }

  expect(await world.json(['docs', 'delete', 'posts', id, id])).toEqual({ deleted: 1 })
})

test('one document of a page without a total is one document', async () => {
  const { stderr } = await world.svc(['docs', 'list', 'posts', '--limit', '1', '--no-count'])

  expect(stderr).toBe('1 document. Next page: --offset 1\n')
})
