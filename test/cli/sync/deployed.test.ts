/** Commands at a service that is not the emulator: what they say of it is true, and nothing is made twice. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type DeployedService, openDeployedService } from '../../fixtures/requests/deployed-service.js'
import { openWorld, type Ran, type World } from '../command-line.js'

let world: World
let service: DeployedService
beforeAll(async () => {
  world = await openWorld()
  const { url } = await world.useEmulator()
  const apiKey = (await world.svc(['project', 'key', '--secret'])).stdout.trim()
  const here = createClient({ url, apiKey })
  await here.collections.create({ name: 'mine' })
  await here.collection('mine').createMany([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }])
})
afterEach(() => service.close())
afterAll(() => world.close())

const comparing = { listsCollections: true } as const

/** A service with 60 posts, and the flags that name it. */
async function open(dialect: string, options: Parameters<typeof openDeployedService>[0] = {}) {
  service = await openDeployedService(options)
  const documents = Array.from({ length: 60 }, (_, at) => ({
    id: `id-${String((at * 37) % 60).padStart(3, '0')}`,
    collection_id: 'posts',
    data: { title: `Post ${at}` },
    created_at: new Date(at).toISOString(),
  }))
  service.collections.set('posts', documents)
  return ['--url', service.url, '--key', service.apiKey, '--dialect', dialect]
}

/** The failure that a command printed under `--json`. */
function failureIn({ stdout }: Ran): unknown {
  return JSON.parse(stdout).error
}

const writes = () => service.requests.filter(({ method }) => method === 'POST')

test.each(['a', 'b', 'c'])(
  'docs create in dialect %s, its answer lost, made one document and says so',
  async (dialect) => {
    const flags = await open(dialect)
    service.loseAnswers(1)

    const ran = await world.svc(['docs', 'create', 'notes', 'title=Tea', ...flags, '--yes', '--json'])

    expect(ran.exit).toBe(7)
    expect(failureIn(ran)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('It may have been created.'),
      hint: expect.stringContaining('svc docs list notes --limit 5'),
    })
    expect(service.collections.get('notes')).toHaveLength(1)
  },
)

test('svc api says of a write whose answer was lost that it may have been carried out', async () => {
  const flags = await open('b')
  service.loseAnswers(1)

  const ran = await world.svc(['api', 'POST', '/collections/notes/documents', 'title=Tea', ...flags, '--yes'])

  expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining('The change may or may not have been saved.') })
  expect(service.collections.get('notes')).toHaveLength(1)
})

test.each([
  ['docs list posts --all', 'a, paths=nested', '"list"'],
  ['docs list posts --all', 'b', '"filters"'],
  ['docs list posts --sort title', 'b', '"filters"'],
  ['docs list posts --all', 'c, paths=nested', '"record"'],
  ['docs export posts', 'b', '"filters"'],
  ['diff posts', 'b', '"filters"'],
  ['pull posts --yes', 'b', '"filters"'],
])(
  'svc %s in dialect %s fails for the form of %s, and does not say that there is nothing',
  async (words, dialect, axis) => {
    const flags = await open(dialect, comparing)

    const { exit, stderr, stdout } = await world.svc([...words.split(' '), ...flags])

    expect(exit).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`another form of ${axis}`)
    expect(stderr).toContain('svc dialects detect')
  },
)

test('all documents come from a service that tells neither totals nor where it cuts a page', async () => {
  const flags = await open('b', { ...comparing, sorts: true, mostListed: 25 })

  const listed = await world.svc(['docs', 'list', 'posts', '--all', '--format', 'ndjson', ...flags])
  const page = await world.svc(['docs', 'list', 'posts', ...flags])
  const exported = await world.svc(['docs', 'export', 'posts', ...flags])
  const pulled = await world.json(['pull', 'posts', ...flags, '--yes'])
  const different = await world.svc(['diff', 'posts', ...flags])

  for (const { stdout } of [listed, exported]) expect(stdout.trim().split('\n')).toHaveLength(60)
  expect(page.stderr).toContain('25 of 60 documents. Next page: --offset 25')
  expect(pulled).toMatchObject({ created: 60, refused: [] })
  expect(different.exit).toBe(0)
})

test('a push stops at the first 404 of its path', async () => {
  const flags = await open('b', { ...comparing, sorts: true })

  const { exit } = await world.svc(['push', 'mine', ...flags, '--yes'])

  expect(exit).toBe(4)
  expect(writes().map(({ path }) => path)).toEqual(['/collections', '/collections/mine/batch/documents'])
})

test('a push and an import whose documents are not kept fail, and say how many are not there', async () => {
  const flags = await open('b', { ...comparing, sorts: true, batches: 'forgotten' })
  writeFileSync(join(world.folder, 'rows.ndjson'), '{"a":1}\n{"a":2}\n')

  const pushed = await world.svc(['push', 'mine', ...flags, '--yes', '--json'])
  const imported = await world.svc(['docs', 'import', 'posts', 'rows.ndjson', ...flags, '--yes', '--json'])

  expect([pushed.exit, imported.exit]).toEqual([1, 1])
  expect(failureIn(pushed)).toMatchObject({
    code: 'NOT_SAVED',
    message: expect.stringContaining('3 of 3 documents that it acknowledged as created are not there'),
  })
  expect(failureIn(imported)).toMatchObject({
    code: 'NOT_SAVED',
    message: expect.stringContaining('2 new documents, but "posts" has 0 more than before'),
  })
})

test('a push and an import whose documents are kept succeed', async () => {
  const flags = await open('b', { ...comparing, sorts: true, batches: 'kept' })
  writeFileSync(join(world.folder, 'kept.ndjson'), '{"a":1}\n{"a":2}\n')

  const pushed = await world.json(['push', 'mine', ...flags, '--yes'])
  const imported = await world.json(['docs', 'import', 'posts', 'kept.ndjson', ...flags, '--yes'])

  expect(pushed).toMatchObject({ created: 3, refused: [] })
  expect(imported).toMatchObject({ accepted: 2, refused: 0 })
  expect(service.collections.get('mine')).toHaveLength(3)
})

test('an import whose answer was lost goes on only where keys are obeyed', async () => {
  const flags = await open('b', { ...comparing, sorts: true, batches: 'kept' })
  writeFileSync(join(world.folder, 'lost.ndjson'), '{"a":1}\n{"a":2}\n')
  service.loseAnswers(1)
  const command = ['docs', 'import', 'posts', 'lost.ndjson', ...flags, '--yes', '--json']

  const lost = await world.svc(command)
  const again = await world.svc(command)

  expect([lost.exit, again.exit]).toEqual([7, 7])
  for (const ran of [lost, again]) expect(failureIn(ran)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(service.collections.get('posts')).toHaveLength(62)
})

test('what is there is found where a filter by ids finds nothing: a push and a batch invent no loss and no success', async () => {
  const flags = await open('b', { ...comparing, batches: 'kept' })
  const [first] = service.collections.get('posts') ?? []
  const kept = { op: 'create', collection: 'posts', data: { a: 1 }, unless: first?.id }
  const stale = { op: 'delete', collection: 'posts', id: first?.id, was: { title: 'Another' } }
  writeFileSync(join(world.folder, 'kept-one.ndjson'), JSON.stringify(kept))
  writeFileSync(join(world.folder, 'stale-one.ndjson'), JSON.stringify(stale))
  const batch = (file: string) => world.json(['docs', 'batch', '-f', file, ...flags, '--yes', '--no-backup'])

  const pushed = await world.json(['push', 'mine', ...flags, '--yes'])
  const creating = await batch('kept-one.ndjson')
  const deleting = await batch('stale-one.ndjson')

  expect(pushed).toMatchObject({ created: 3, refused: [] })
  expect(deleting).toMatchObject({ deleted: 0, refusals: [{ problem: 'was changed in the meantime' }] })
  expect(creating).toMatchObject({ refused: 0 })
  expect(service.collections.get('posts')).toHaveLength(60)
})

test('where no single collection is shown, documents are exported, imported, migrated, seeded, deleted and brought back', async () => {
  const flags = await open('b', { sorts: true, batches: 'kept' })
  await world.svc(['profiles', 'add', 'deployed', ...flags])
  const there = ['--profile', 'deployed', '--yes']
  writeFileSync(join(world.folder, 'more.ndjson'), '{"a":1}\n{"a":2}\n')
  writeFileSync(join(world.folder, 'again.js'), 'export default ({ data }) => ({ ...data, seen: true })\n')
  writeFileSync(join(world.folder, 'seed.json'), '{"collections":{"letters":{"documents":[{"a":1}]}}}')

  const imported = await world.json(['docs', 'import', 'posts', 'more.ndjson', ...there])
  const exported = await world.json(['docs', 'export', 'posts', '--out', 'posts.ndjson', ...there])
  const migrated = await world.svc(['docs', 'migrate', 'posts', 'again.js', ...there, '--json'], {
    env: { SVC_TRUST_CODE: '1' },
  })
  const seeded = [await world.json(['seed', ...there]), await world.json(['seed', ...there])]
  const deleted = await world.svc(['docs', 'delete', 'posts', '--all', ...there])
  const [, backup = ''] = /docs batch -f (\S+)/.exec(deleted.stderr) ?? []
  const emptied = service.collections.get('posts')?.length
  const restored = await world.json(['docs', 'batch', '-f', backup, ...there])

  expect(imported).toMatchObject({ accepted: 2 })
  expect(exported).toMatchObject({ exported: 62 })
  expect(JSON.parse(migrated.stdout)).toMatchObject({ changed: 62, refused: 0 })
  expect(seeded).toMatchObject([[{ created: 1 }], [{ kept: 1 }]])
  expect([emptied, restored]).toEqual([0, expect.objectContaining({ created: 62, refused: 0 })])
})
