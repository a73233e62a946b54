import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'
import { failure, openFakeService } from '../fake-service.js'

// Acting as a user: identity, permissions, and refusals.

const ada = 'ada@example.com'
let world: World
let id = ''
let publicKey = ''

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  publicKey = (await world.svc(['project', 'key', '--quiet'])).stdout.trim()
  await world.svc(['users', 'signup', ada, '--password', 'Correct4Horse'])
  await world.svc(['users', 'update', ada, '--role', 'editor'])
  for (const name of ['drafts', 'open']) await world.svc(['collections', 'create', name])
  await world.svc(['collections', 'permissions', 'drafts', '--create', 'editor', '--read', 'editor,admin'])
  id = ((await world.json(['docs', 'create', 'drafts', 'a=1', '--as', ada])) as { id: string }).id
})
afterAll(() => world.close())

test('permissions are set a kind at a time, shown, and opened again', async () => {
  const shown = await world.svc(['collections', 'permissions', 'open'])
  const set = await world.json(['collections', 'permissions', 'open', '--read', 'a,b', '--delete', 'authenticated'])
  const one = await world.json(['collections', 'permissions', 'open', '--update', 'c', '--open', 'read'])
  const table = await world.svc(['collections', 'permissions', 'open'])
  const cleared = await world.json(['collections', 'permissions', 'open', '--clear'])

  expect(shown.stdout).toMatch(/read +\(open to everyone with a key\)/)
  expect(set).toMatchObject({ read: ['a', 'b'], delete: ['authenticated'] })
  expect(one).toMatchObject({ read: [], update: ['c'], delete: ['authenticated'] })
  expect(table.stdout).toMatch(/delete +authenticated/)
  expect(cleared).toEqual({})
})

test('fields are hidden and made read-only, each with the roles that it stays open to', async () => {
  const permissions = ['collections', 'permissions', 'open']
  const set = await world.json([...permissions, '--hidden', 'salary', '--hidden', 'a.b=hr,admin', '--readonly', 'rank'])
  const kept = await world.json([...permissions, '--delete', 'editor'])
  const table = await world.svc(permissions)
  const row = await world.svc(['collections', 'get', 'open'])
  const created = await world.json(['docs', 'create', 'open', 'salary:=5', 'n:=1', '--as', ada])
  const refused = await world.svc(['docs', 'create', 'open', 'rank=5', '--as', ada])
  const opened = await world.json([...permissions, '--open', 'hidden'])
  const unnamed = await world.svc([...permissions, '--hidden', '=hr'])
  await world.svc([...permissions, '--clear'])

  expect(set).toEqual({ hidden: { salary: [], 'a.b': ['hr', 'admin'] }, readonly: { rank: [] } })
  expect(kept).toEqual({ ...(set as object), delete: ['editor'] })
  expect(table.stdout).toMatch(/a\.b +hidden +the secret key, hr, admin/)
  expect(row.stdout).toContain('hidden: a.b=hr,admin salary, readonly: rank')
  expect((created as { data: unknown }).data).toEqual({ n: 1 })
  expect(refused).toMatchObject({ exit: 3, stderr: expect.stringMatching(/"rank" in "open" is read-only for you/) })
  expect(opened).toEqual({ hidden: {}, readonly: { rank: [] }, delete: ['editor'] })
  expect(unnamed).toMatchObject({ exit: 2, stderr: expect.stringContaining('has no field') })
})

test('permissions that are not shown to the caller can be neither seen nor set', async () => {
  const bob = 'bob@example.com'
  await world.svc(['users', 'signup', bob, '--password', 'Correct4Horse'])
  const permissions = ['collections', 'permissions', 'drafts']
  const before = await world.json(permissions)

  const shown = await world.svc([...permissions, '--as', bob])
  const set = await world.svc([...permissions, '--delete', 'editor', '--as', bob])
  const json = await world.json([...permissions, '--as', bob])

  const refused = expect.stringMatching(/You may not see the permissions of "drafts"\.\n.*--as <user>/)
  expect(shown).toMatchObject({ exit: 3, stdout: '', stderr: refused })
  expect(set).toMatchObject({ exit: 3, stdout: '' })
  expect(json).toMatchObject({ error: { code: 'FORBIDDEN', exit: 3 } })
  expect(await world.json(permissions)).toEqual(before)
})

test('commands that act as the owner share one key, and make another where that was revoked', async () => {
  const own = async () => {
    const keys = (await world.json(['keys', 'list'])) as { id: string; name: string | null }[]
    return keys.flatMap(({ id, name }) => (name === 'command line' ? [id] : []))
  }
  const read = await world.svc(['docs', 'count', 'drafts'])
  const [first = ''] = await own()
  await world.svc(['docs', 'list', 'drafts'])

  expect(read).toMatchObject({ exit: 0, stdout: '1\n' })
  expect(await own()).toEqual([first])
  await world.svc(['keys', 'revoke', first, '--yes'])
  expect((await world.svc(['docs', 'count', 'drafts'])).exit).toBe(0)
  expect(await own()).not.toContain(first)
})

test.each([
  [['docs', 'list', 'drafts'], /drafts/],
  [['docs', 'count', 'drafts'], /drafts/],
  [['docs', 'create', 'drafts', 'a=1'], /drafts/],
  [['docs', 'export', 'drafts'], /drafts/],
  [['docs', 'get', 'drafts', 'ID'], /drafts/],
])('svc %s: refused by a permission, it names --as, and who may', async (words, name) => {
  const typed = words.map((word) => (word === 'ID' ? id : word))

  const kept = await world.svc([...typed, '--key', publicKey])
  const acting = await world.svc([...typed, '--as', ada])

  expect(kept).toMatchObject({ exit: 3, stdout: '' })
  expect(kept.stderr).toMatch(/--as <user>(.|\n)*svc collections permissions/)
  expect(kept.stderr).toMatch(name)
  expect(acting).toMatchObject({ exit: 0 })
})

test.each([
  [['docs', 'list', 'mine', '--where', 'created_by=me']],
  [['api', 'GET', '/collections/mine?created_by=me']],
  [['api', 'GET', '/auth-collections/me']],
])('svc %s: the secret key reads that it acts for no user, and how to act as one', async (words) => {
  await world.svc(['collections', 'create', 'mine'])
  await world.svc(['collections', 'permissions', 'mine', '--read', 'owner'])
  const secret = (await world.svc(['project', 'key', '--secret', '--quiet'])).stdout.trim()

  const refused = await world.svc([...words, '--key', secret])
  const acting = await world.svc([...words, '--as', ada])

  expect(refused).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('does not act for a user, not even the secret key.'),
  })
  expect(refused.stderr).toMatch(/\n +Act as a user: --as <user>\. .*svc users list\n$/)
  expect(acting).toMatchObject({ exit: 0 })
})

test('a refusal names the collection that it is about, whether an argument, a path or a line of a file named it', async () => {
  const file = join(world.folder, 'ops.ndjson')
  await writeFile(file, '{"op":"create","collection":"drafts","data":{}}\n')

  const refused = await Promise.all([
    world.svc(['docs', 'batch', '-f', file, '--yes']),
    world.svc(['api', 'GET', '/collections/drafts']),
    world.svc(['tail', 'open', 'drafts', '--timeout', '400', '--key', publicKey]),
  ])

  // The same file is refused while it is at work.
  refused.push(await world.svc(['docs', 'batch', 'open', '-f', file, '--yes']))

  for (const ran of refused) {
    expect(ran.exit, ran.stderr).toBe(3)
    expect(ran.stderr).toMatch(/ svc collections permissions drafts\n/)
  }
})

test('a user without the role reads who may', async () => {
  await world.svc(['users', 'signup', 'bob@example.com', '--password', 'Correct4Horse'])

  const ran = await world.svc(['docs', 'list', 'drafts', '--as', 'bob@example.com'])

  expect(ran).toMatchObject({ exit: 3, stderr: expect.stringContaining('svc collections permissions drafts') })
})

test('tail, import and api act as a user, too', async () => {
  const tailed = await world.svc(['tail', 'drafts', '--since', '0', '--max', '1', '--timeout', '400', '--as', ada])
  const imported = await world.svc(['docs', 'import', 'drafts', '-', '--as', ada], { input: '{"a":2}\n' })
  const asked = (await world.json(['api', 'GET', '/auth-collections/me', '--as', ada])) as { body: { email: string } }

  expect(tailed).toMatchObject({ exit: 0 })
  expect(imported).toMatchObject({ exit: 0 })
  expect(asked.body.email).toBe(ada)
})

test('a user that there is not is named, with who may be meant', async () => {
  const ran = await world.svc(['docs', 'list', 'drafts', '--as', 'adda@example.com'])

  expect(ran).toMatchObject({
    exit: 4,
    stderr: expect.stringMatching(/No user "adda@example.com"(.|\n)*ada@example.com/),
  })
})

test('managing what has permissions names the secret key', async () => {
  const ran = await world.svc(['collections', 'rename', 'drafts', 'other'])

  expect(ran).toMatchObject({ exit: 3, stderr: expect.stringContaining('svc project key --secret') })
})

test('a refusal by the scopes of a key names no role that would help, and the token of a user is no key', async () => {
  await world.svc(['collections', 'create', 'scoped'])
  const key = (await world.svc(['keys', 'create', '--scope', 'read:scoped', '--quiet'])).stdout.trim()
  await world.svc(['users', 'signup', 'scope@example.com', '--password', 'Correct4Horse', '--quiet'])
  const token = (await world.svc(['users', 'token', 'scope@example.com', '--quiet'])).stdout.trim()

  const refused = await Promise.all(
    [
      ['docs', 'create', 'scoped', 'title=Hello', '--key', key],
      ['users', 'list', '--key', key],
      ['files', 'list', '--key', key],
      ['collections', 'create', 'other', '--key', key],
    ].map((words) => world.svc(words)),
  )
  const asUser = await world.svc(['docs', 'list', 'scoped', '--key', token])

  for (const { exit, stderr } of refused) {
    expect(exit).toBe(3)
    expect(stderr).toMatch(/^error {2}The scopes of the key do not include .*\n +Use another key .*svc keys list\n$/)
  }
  expect(asUser).toMatchObject({ exit: 3, stderr: expect.stringContaining('This is a user token, not a key.') })
})

test('a wrong key is no missing role', async () => {
  const ran = await world.svc(['docs', 'list', 'drafts', '--key', 'svc_key_wrong'])

  expect(ran.exit).toBe(3)
  expect(ran.stderr).not.toContain('--as')
})

test('a wrong key in a header of a call is no missing role', async () => {
  const ran = await world.svc(['api', 'GET', '/collections', '-H', 'x-api-key: wrong'])

  expect(ran).toMatchObject({ exit: 3, stderr: expect.stringMatching(/answered 401: The API key is not valid\./) })
  expect(ran.stderr).not.toContain('--as')
})

test('whoami names the address and who said so, whatever the target answers', async () => {
  const service = await openFakeService(() => failure(500, 'INTERNAL', 'Oh.'))
  const stranger = await openFakeService(() => ({ status: 404, body: '<html>' }))
  const failing = await world.svc(['whoami'], { env: { SVC_URL: service.url, SVC_API_KEY: 'svc_key_x' } })
  const strange = await world.svc(['whoami', '--url', stranger.url])
  service.close()
  stranger.close()
  const gone = await world.svc(['whoami', '--json'], { env: { SVC_URL: service.url } })

  expect(failing).toMatchObject({ exit: 1, stderr: expect.stringContaining(`${service.url} (SVC_URL)`) })
  expect(failing.stderr).toContain('the key from SVC_API_KEY')
  expect(strange.stderr).toContain(`${stranger.url} (--url)`)
  expect(JSON.parse(gone.stdout)).toMatchObject({
    error: { exit: 7, message: expect.stringContaining(`${service.url} (SVC_URL)`) },
  })
})

test('whoami names the emulator that does not run any longer', async () => {
  const other = await openWorld()
  const dev = await other.dev()
  await dev.stop('SIGKILL')

  const ran = await other.svc(['whoami'])

  await other.close()
  expect(ran).toMatchObject({
    exit: 8,
    stderr: expect.stringMatching(new RegExp(`${dev.url} \\(.*emulator\\.json\\)`)),
  })
})
