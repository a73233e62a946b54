/** Commands that destroy something save a snapshot before, and `svc undo` takes each of them back. Contract 12.6. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World
let service: { readonly url: string; readonly apiKey: string }
beforeAll(async () => {
  world = await openWorld()
  service = await world.dev('--memory')
  await world.svc(['snapshot', 'save', 'empty'])
})
afterAll(() => world.close())

interface Item {
  readonly id: string
  readonly data: { readonly n: number; readonly status?: string }
}

let count = 0

/** A collection of its own with three documents. */
async function aCollection(): Promise<string> {
  const name = `posts${++count}`
  const rows = [1, 2, 3].map((n) => JSON.stringify({ n, status: 'live' }))
  await world.svc(['docs', 'import', name, '-', '--create'], { input: `${rows.join('\n')}\n` })
  return name
}

async function documentsOf(name: string): Promise<readonly Item[]> {
  const page = (await world.json(['docs', 'list', name, '--sort', 'n', '--all'])) as { items: Item[] }
  return page.items.map(({ id, data }) => ({ id, data }))
}

function aFile(lines: readonly unknown[]): string {
  writeFileSync(join(world.folder, 'lines.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return 'lines.ndjson'
}

const destroying: readonly (readonly [string, (name: string, ids: readonly string[]) => string[]])[] = [
  ['collections delete', (name) => ['collections', 'delete', name]],
  ['docs delete --all', (name) => ['docs', 'delete', name, '--all']],
  ['docs delete --where', (name) => ['docs', 'delete', name, '--where', 'n__gte=2']],
  ['docs delete of several ids', (name, ids) => ['docs', 'delete', name, ...ids]],
  ['docs update --where', (name) => ['docs', 'update', name, '--where', 'n__gte=2', 'status=gone']],
  [
    'docs batch',
    (name, [one, two]) => {
      const created = { op: 'create', data: { n: 9 } }
      const changed = { op: 'update', id: one, data: { status: 'gone' } }
      return ['docs', 'batch', name, '-f', aFile([created, changed, { op: 'delete', id: two }])]
    },
  ],
  [
    'docs import --upsert',
    (name) => {
      const rows = [1, 2, 9].map((n) => ({ n, status: 'gone' }))
      return ['docs', 'import', name, aFile(rows), '--upsert', '--by', 'n']
    },
  ],
  ['api DELETE', (name) => ['api', 'DELETE', `/collections/${name}`]],
  [
    'api POST of a batch',
    (name, ids) => ['api', 'POST', `/collections/${name}/batch-delete`, `document_ids:=${JSON.stringify(ids)}`],
  ],
  ['reset of a collection', (name) => ['reset', name]],
  ['reset of everything', () => ['reset']],
  ['snapshot load', () => ['snapshot', 'load', 'empty']],
]

test.each(destroying)(
  'contract 12.6 %s says the name of a snapshot, and svc undo brings back what it took',
  async (_, words) => {
    const name = await aCollection()
    const before = await documentsOf(name)
    const ids = before.map(({ id }) => id)

    const destroyed = await world.svc([...words(name, ids), '--yes'])
    const between = await documentsOf(name).catch(() => 'gone')
    const undone = await world.svc(['undo'])

    expect(destroyed).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^Saved snapshot "auto-[\w-]+". To undo this: svc undo$/m),
    })
    expect(between).not.toEqual(before)
    expect(undone).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^Undid "svc /) })
    expect(await documentsOf(name)).toEqual(before)
  },
)

test('contract 12.6 what was written since stays as it is, and is listed', async () => {
  const name = await aCollection()
  const [one, two, three] = await documentsOf(name)
  await world.svc(['docs', 'update', name, '--where', 'n__lte=2', 'status=gone', '--yes'])
  await world.svc(['docs', 'update', name, String(one?.id), 'status=mine'])
  await world.svc(['docs', 'create', name, 'n:=4'])

  const { exit, stderr } = await world.svc(['undo'])

  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  expect(stderr).toContain('restored 1 document')
  expect(stderr).toContain('Kept 1 document')
  expect(stderr).toContain(`  ${one?.id}`)
  const mine = { id: one?.id, data: { n: 1, status: 'mine' } }
  expect(await documentsOf(name)).toEqual([mine, two, three, { id: expect.any(String), data: { n: 4 } }])
})

test('contract 12.6 each undo takes back the command before, until there is none', async () => {
  const name = await aCollection()
  const before = await documentsOf(name)
  await world.svc(['docs', 'update', name, '--all', 'status=first', '--yes'])
  const first = await documentsOf(name)
  await world.svc(['docs', 'update', name, '--all', 'status=second', '--yes'])

  await world.svc(['undo'])
  const afterOne = await documentsOf(name)
  const undone = await world.json(['undo'])
  const none = await world.svc(['undo', '--quiet'])

  expect(afterOne).toEqual(first)
  expect(await documentsOf(name)).toEqual(before)
  expect(undone).toMatchObject({ command: `docs update ${name}`, documents: { restored: 3, kept: [] } })
  expect(none.exit).toBe(4)
})

test('at a terminal undo says what it takes back, which after a refused command is the one before it', async () => {
  const name = await aCollection()
  const before = await documentsOf(name)
  await world.svc(['docs', 'update', name, '--all', 'status=gone', '--yes'])
  const between = await documentsOf(name)
  const refused = await world.svc(['docs', 'update', name, '--where', 'n__foo=1', 'status=x', '--yes'])

  const question = `Undo "svc docs update ${name}" of `
  const no = await world.terminal(['undo'], [[question, 'n\r']])
  const after = await documentsOf(name)
  const yes = await world.terminal(['undo'], [[question, 'y\r']])

  expect(refused.exit).toBe(2)
  expect([no.exit, yes.exit]).toEqual([130, 0])
  expect(after).toEqual(between)
  expect(await documentsOf(name)).toEqual(before)
})

test('a command whose snapshot went while it ran has done its work, and says that it cannot be undone', async () => {
  const name = await aCollection()
  const { url, projectId, controlToken } = JSON.parse(
    readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'),
  ) as Record<string, string>
  const module = `const path = '${url}/_svc/api/projects/${projectId}/snapshots'
    const headers = { 'svc-control-token': '${controlToken}' }
    export default async () => {
      const { snapshots } = await (await fetch(path, { headers })).json()
      for (const { name, command } of snapshots) if (command) await fetch(path + '/' + name, { method: 'DELETE', headers })
      return { collections: { '${name}': { documents: [{ n: 7 }] } } }
    }\n`
  writeFileSync(join(world.folder, 'forgetful.mjs'), module)

  const { exit, stderr } = await world.svc(['seed', 'forgetful.mjs', '--replace', '--yes', '--quiet'])

  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  expect(stderr).toMatch(/^Snapshot "auto-[\w-]+" is gone, so svc undo cannot undo this\.$/m)
  expect((await documentsOf(name)).map(({ data }) => data.n)).toEqual([7])
})

test('contract 12.6 files of a folder, which svc undo brings back', async () => {
  for (const name of ['one.txt', 'two.txt']) {
    writeFileSync(join(world.folder, name), name)
    await world.svc(['files', 'upload', name, '--to', 'letters'])
  }
  const before = await world.json(['files', 'list'])

  const deleted = await world.svc(['files', 'delete', '--folder', 'letters', '--yes'])
  const between = await world.json(['files', 'list'])
  await world.svc(['undo'])

  expect(deleted.stderr).toMatch(/^Saved snapshot /m)
  expect(between).not.toEqual(before)
  expect(await world.json(['files', 'list'])).toEqual(before)
})

/** Repeats the request that deletes a collection, and takes that back. */
async function expectTakenBack(name: string, before: unknown, words: readonly string[]): Promise<void> {
  const replayed = await world.svc(['requests', 'replay', ...words])
  const between = await documentsOf(name).catch(() => 'gone')
  await world.svc(['undo'])

  expect(replayed.stderr).toMatch(/^Saved snapshot /m)
  expect(between).toBe('gone')
  expect(await documentsOf(name)).toEqual(before)
}

test('contract 12.6 a request that is repeated destroys as much as the first time', async () => {
  const name = await aCollection()
  const before = await documentsOf(name)
  await world.svc(['api', 'DELETE', `/collections/${name}`, '--yes'])
  await world.svc(['undo'])
  const [request] = (await world.json(['requests', 'list', '--method', 'DELETE'])) as { id: string }[]

  await expectTakenBack(name, before, [request?.id ?? ''])
})

test('contract 12.6 a request that was refused is of no project: whose it is, the key tells that it is repeated with', async () => {
  const name = await aCollection()
  const before = await documentsOf(name)
  const secret = (await world.svc(['project', 'key', '--secret', '--quiet'])).stdout.trim()
  await fetch(`${service.url}/collections/${name}`, { method: 'DELETE', headers: { 'x-api-key': 'made up' } })

  for (const header of [`x-api-key: ${secret}`, `authorization: Bearer ${secret}`]) {
    const [request] = (await world.json(['requests', 'list', '--status', '401'])) as { id: string }[]
    await expectTakenBack(name, before, [request?.id ?? '', '--header', header])
  }
})

test('contract 12.6 a token may be of a user of this project: a snapshot is saved, and deleted where nothing changed', async () => {
  const name = await aCollection()
  const before = await documentsOf(name)
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' }
  const ada = JSON.stringify({ email: 'ada@example.com', password: 'Correct4Horse' })
  const login = await fetch(`${service.url}/auth-collections/signup`, { method: 'POST', headers, body: ada })
  const { token } = (await login.json()) as { token: string }
  const refused = await fetch(`${service.url}/collections/${name}`, {
    method: 'DELETE',
    headers: { 'x-api-key': 'made up' },
  })
  const id = refused.headers.get('x-request-id') ?? ''

  const replayed = await world.svc(['requests', 'replay', id, '--header', `authorization: Bearer ${token}`])

  expect(replayed.stderr).toMatch(/^Saved snapshot /m)
  expect(replayed.stderr).toMatch(/^Nothing changed, so snapshot /m)
  expect(await documentsOf(name)).toEqual(before)
})

test('contract 12.6 one document, or what is only created, needs no snapshot', async () => {
  const name = await aCollection()
  const [one] = await documentsOf(name)

  const removed = await world.svc(['docs', 'delete', name, String(one?.id)])
  const created = await world.svc(['docs', 'batch', name, '-f', aFile([{ op: 'create', data: {} }]), '--yes'])

  const [two] = await documentsOf(name)
  const asked = await world.svc(['api', 'DELETE', `/collections/${name}/${two?.id}`])

  expect([removed.stderr, created.stderr, asked.stderr].join('')).not.toContain('snapshot')
})

test('contract 12.6 a service that is no emulator of the folder gets no snapshot', async () => {
  const name = await aCollection()
  const { url, apiKey } = (await world.json(['status'])) as { url: string; apiKey: string }
  const env = { SVC_URL: url.replace('127.0.0.1', 'localhost'), SVC_API_KEY: apiKey }

  const { exit, stderr } = await world.svc(['docs', 'delete', name, '--all', '--yes'], { env })

  const line = `-> ${new URL(env.SVC_URL).host} (SVC_URL)\n`
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: `${line}Deleted 3 documents.\n` })
})

test('a snapshot that was saved by hand has nothing where others have their command', async () => {
  await world.svc(['docs', 'delete', await aCollection(), '--all', '--yes'])
  await world.svc(['snapshot', 'save', 'by-hand'])

  const listed = await world.svc(['snapshot', 'list'])
  const shown = await world.svc(['snapshot', 'show', 'by-hand'])

  expect(listed.stdout).toMatch(/^by-hand .*B *$/m)
  expect(listed.stdout).toMatch(/^auto-\S+ .*docs delete /m)
  expect(listed.stdout + shown.stdout).not.toContain('null')
})

test('contract 13.3 a deletion tells what it takes along, and svc undo brings it back', async () => {
  const board = { type: 'link', to: 'boards', onDelete: 'delete' }
  const user = { type: 'link', to: 'users', onDelete: 'unset' }
  writeFileSync(join(world.folder, 'cards.json'), JSON.stringify({ board, user }))
  await world.svc(['collections', 'create', 'boards'])
  await world.svc(['collections', 'create', 'cards', '--schema', 'cards.json'])
  const { user: ada } = (await world.json(['users', 'signup', 'kim@example.com', '--password', 'Correct4Horse'])) as {
    user: Item
  }
  const { id } = (await world.json(['docs', 'create', 'boards', 'n:=1'])) as Item
  for (const n of [1, 2]) await world.svc(['docs', 'create', 'cards', `n:=${n}`, `board=${id}`, `user=${ada.id}`])
  const before = await documentsOf('cards')

  const ofBoard = await world.svc(['docs', 'delete', 'boards', id, '--yes'])
  const between = await documentsOf('cards')
  await world.svc(['undo'])
  const restored = await documentsOf('cards')
  const ofUser = await world.svc(['users', 'delete', 'kim@example.com', '--yes'])
  const unset = await documentsOf('cards')

  expect(ofBoard).toMatchObject({ exit: 0, stderr: expect.stringContaining('Also deletes 2 documents in "cards".') })
  expect(between).toEqual([])
  expect(restored).toEqual(before)
  expect(ofUser).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('Removes the link from 2 documents in "cards".'),
  })
  expect(ofUser.stderr).toContain('Saved snapshot')
  expect(unset.map(({ data }) => data)).toEqual([1, 2].map((n) => ({ n, board: id })))
})

test('contract 13.3 deletions of many and of collections tell what they take along, and --dry-run deletes nothing', async () => {
  const link = (onDelete: string) => ({ type: 'link', to: 'lists', onDelete })
  writeFileSync(join(world.folder, 'tasks.json'), JSON.stringify({ list: link('delete'), seen: link('unset') }))
  writeFileSync(join(world.folder, 'locks.json'), JSON.stringify({ list: link('refuse') }))
  await world.svc(['collections', 'create', 'lists'])
  await world.svc(['collections', 'create', 'tasks', '--schema', 'tasks.json'])
  await world.svc(['collections', 'create', 'locks', '--schema', 'locks.json'])
  const [first, second] = (await Promise.all(
    [1, 2].map((n) => world.json(['docs', 'create', 'lists', `n:=${n}`])),
  )) as [Item, Item]
  await world.svc(['docs', 'create', 'tasks', `list=${first.id}`])
  await world.svc(['docs', 'create', 'tasks', `list=${second.id}`])
  await world.svc(['docs', 'create', 'tasks', `seen=${second.id}`])
  const dryRun = async (...words: string[]) => world.json([...words, '--dry-run'])
  const inTasks = (counts: object) => ({ collection: 'tasks', deleted: 0, changed: 0, left: 0, ...counts })

  const all = await dryRun('docs', 'delete', 'lists', '--all')
  const byId = await dryRun('docs', 'delete', 'lists', first.id)
  const shown = await world.svc(['docs', 'delete', 'lists', '--where', 'n=2', '--dry-run'])
  const missing = await world.svc(['docs', 'delete', 'lists', first.id, 'unknown', '--dry-run'])
  const collection = await dryRun('collections', 'delete', 'lists')
  const kept = [await documentsOf('lists'), await documentsOf('tasks')].map(({ length }) => length)
  const { id: lock } = (await world.json(['docs', 'create', 'locks', `list=${first.id}`])) as Item
  const refused = await world.svc(['collections', 'delete', 'lists', '--dry-run'])
  const refusedAll = await world.svc(['docs', 'delete', 'lists', '--all', '--dry-run'])
  await world.svc(['docs', 'delete', 'locks', lock])
  const one = await world.svc(['docs', 'delete', 'lists', '--where', 'n=1', '--yes'])
  await world.svc(['undo'])
  const restored = [await documentsOf('lists'), await documentsOf('tasks')].map(({ length }) => length)
  const removed = await world.svc(['collections', 'delete', 'lists', '--yes'])

  expect(all).toEqual({ documents: 2, dependants: [inTasks({ deleted: 2, changed: 1 })] })
  expect(byId).toEqual({ documents: 1, dependants: [inTasks({ deleted: 1 })] })
  expect(shown).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(
      'Would delete 1 document of "lists".\nAlso deletes 1 document in "tasks". Removes the link from 1 document in "tasks".\n',
    ),
  })
  expect(missing.exit).toBe(4)
  expect(collection).toEqual({ documentCount: 2, dependants: [inTasks({ left: 3 })] })
  for (const { exit, stderr } of [refused, refusedAll]) {
    expect({ exit, stderr }).toEqual({
      exit: 5,
      stderr: expect.stringContaining('1 document in "locks" still links here.'),
    })
  }
  expect(one.stderr).toContain('Also deletes 1 document in "tasks".')
  expect(one.stderr).toContain('Saved snapshot')
  expect([kept, restored]).toEqual([
    [2, 3],
    [2, 3],
  ])
  expect(removed.stderr).toContain('Leaves links that lead nowhere in 3 documents in "tasks".')
})
