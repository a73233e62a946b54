import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unknownOutcome } from '../../../client/protocol/model/error-words.js'
import { openDeployedService } from '../../fixtures/requests/deployed-service.js'
import { openWorld, type World } from '../command-line.js'
import { type FakeService, failure, openFakeService } from '../fake-service.js'

// Tests output and conditions of lists.

const total = 130
let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  const rows = Array.from({ length: total }, (_, n) =>
    JSON.stringify({ title: `Post ${n}`, n, ...(n < 2 ? { rare: 'yes' } : {}) }),
  )
  await world.svc(['docs', 'import', 'posts', '-'], { input: `${rows.join('\n')}\n` })
})
afterAll(() => world.close())

test('contract 12.3 a page that was cut says so, and --quiet does not hide it', async () => {
  const cut = await world.svc(['docs', 'list', 'posts', '--limit', '120', '--quiet'])
  const json = await world.svc(['docs', 'list', 'posts', '--limit', '120', '--json'])
  const whole = await world.svc(['docs', 'list', 'posts', '--limit', '100', '--quiet'])
  const all = await world.svc(['docs', 'list', 'posts', '--limit', '120', '--offset', '100', '--quiet'])

  expect(cut).toMatchObject({
    exit: 0,
    stderr: 'Showing 100 of the requested 120 records, because a page has at most 100 here.\n',
  })
  expect(cut.stdout.trimEnd().split('\n')).toHaveLength(1 + 100)
  expect(json.stderr).toBe('')
  expect(JSON.parse(json.stdout)).toMatchObject({ limit: 100 })
  expect(whole.stderr).toBe('')
  expect(all.stderr).toBe('')
})

test('contract 13.7 docs aggregate computes numbers and counts values', async () => {
  const numbers = ['--sum', 'n', '--max', 'n', '--avg', 'rare', '--count', 'rare']
  const table = await world.svc(['docs', 'aggregate', 'posts', ...numbers])
  const few = await world.json(['docs', 'aggregate', 'posts', '--sum', 'n', '--sum', 'rare', '--where', 'n__lt=3'])
  const groups = await world.svc(['docs', 'aggregate', 'posts', '--group-by', 'rare'])
  const grouped = await world.json(['docs', 'aggregate', 'posts', '--group-by', 'n', '--where', 'rare=yes'])

  const rows = table.stdout.split('\n').map((line) => line.trim().split(/\s+/))
  expect(rows.slice(1, 5)).toEqual([
    ['count', 'rare', '2'],
    ['sum', 'n', '8385'],
    ['avg', 'rare', 'null'],
    ['max', 'n', '129'],
  ])
  expect(few).toEqual({
    results: [
      { operation: 'sum', field: 'n', result: 3 },
      { operation: 'sum', field: 'rare', result: 0 },
    ],
  })
  expect(groups.stdout).toMatch(/^rare +documents *\nyes +2 *\n$/)
  expect(grouped).toEqual({
    groups: [
      { value: 0, count: 1 },
      { value: 1, count: 1 },
    ],
  })
})

test('contract 13.7 docs aggregate says what is missing', async () => {
  const nothing = await world.svc(['docs', 'aggregate', 'posts'])
  const both = await world.svc(['docs', 'aggregate', 'posts', '--sum', 'n', '--group-by', 'n'])
  const none = await world.svc(['docs', 'aggregate', 'posts', '--group-by', 'nope'])
  const gone = await world.svc(['docs', 'aggregate', 'pots', '--sum', 'n'])

  expect([nothing.exit, both.exit]).toEqual([2, 2])
  expect(nothing.stderr).toContain('--group-by status')
  expect(none).toMatchObject({ exit: 0, stdout: '', stderr: 'No document has a value in "nope".\n' })
  expect(gone.stderr).toMatch(/No collection "pots"\.\s+Did you mean "posts"\?/)
})

test('collections list says which are guarded', async () => {
  await world.svc(['collections', 'create', 'guarded'])
  await world.svc(['collections', 'permissions', 'guarded', '--update', 'editor'])
  const { stdout } = await world.svc(['collections', 'list'])

  expect(stdout).toMatch(/^guarded .*update: editor /m)
  expect(stdout).toMatch(/^posts .* open /m)
})

test.each([
  ['users', [1, 2].map((n) => ({ id: `u${n}`, email: `u${n}@example.com`, roles: [] }))],
  ['files', [1, 2].map((n) => ({ id: `f${n}`, name: 'a.txt', path: '', size: 1, mimeType: 'text/plain', url: '/a' }))],
])('contract 12.3 a page of %s that was cut says so, too', async (what, items) => {
  const service = await openFakeService(() => ({ body: { [what]: items, total: 5, limit: 2, offset: 0 } }))

  const cut = await world.svc([what, 'list', '--limit', '3', '--quiet', '--url', service.url, '--key', 'k'])

  service.close()
  expect(cut).toMatchObject({
    exit: 0,
    stderr: 'Showing 2 of the requested 3 records, because a page has at most 2 here.\n',
  })
})

test('a table shows linked documents by title, else by id', async () => {
  await world.svc(['collections', 'create', 'writers'])
  await world.svc(['collections', 'create', 'books'])
  const create = async (...fields: string[]) =>
    ((await world.json(['docs', 'create', 'writers', ...fields])) as { id: string }).id
  const named = await create('name=Ada', 'born:=1815')
  const nameless = await create('born:=1906')
  for (const id of [named, nameless]) await world.svc(['docs', 'create', 'books', `writer=${id}`])

  const { stdout } = await world.svc(['docs', 'list', 'books', '--populate', 'writer', '--columns', 'writer'])

  expect(stdout).toBe(`writer\n${nameless}\nAda\n`)
})

test('a table of --all has the fields of the last document as well as those of the first', async () => {
  const { stdout } = await world.svc(['docs', 'list', 'posts', '--all'])

  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(1 + total)
  expect(lines[0]).toContain('rare')
  expect(lines.filter((line) => line.includes('yes'))).toHaveLength(2)
})

test('an id is never cut, however narrow the terminal', async () => {
  const page = (await world.json(['docs', 'list', 'posts', '--limit', '3'])) as { items: { id: string }[] }
  for (const columns of [24, 40, 50]) {
    const { stdout } = await world.terminal(['docs', 'list', 'posts', '--limit', '3'], [], { columns })
    for (const { id } of page.items) expect(stdout).toContain(id)
  }
})

test.each([
  ['any of one group', ['--or', 'a:n=1', '--or', 'a:n=2'], 2],
  ['one of each group', ['--or', 'a:n__lt=5', '--or', 'a:n__gt=127', '--or', 'b:n=4', '--or', 'b:n=60'], 1],
  ['a named group beside the nameless one', ['--or', 'n__gte=3', '--or', 'n=0', '--or', 'b:n=3', '--or', 'b:n=1'], 1],
  ['a condition beside groups', ['-w', 'n__lt=10', '--or', 'a:n=9', '--or', 'a:n=99'], 1],
  ['values with colons', ['--or', 'title=a:b', '--or', 'n=7'], 1],
])('--or group:field=value asks for %s', async (_, words, count) => {
  expect(await world.json(['docs', 'count', 'posts', ...words])).toEqual({ count })
})

test('every command that takes --where takes named groups', async () => {
  const groups = ['--or', 'a:n=1', '--or', 'a:n=2', '--or', 'b:n=2', '--or', 'b:n=3']
  const listed = (await world.json(['docs', 'list', 'posts', ...groups])) as { items: { data: { n: number } }[] }
  const exported = await world.svc(['docs', 'export', 'posts', ...groups])
  const users = (await world.json(['users', 'list', '--or', 'a:x=1', '--or', 'a:y=1'])) as { items: unknown[] }
  const tailed = await world.svc([
    'tail',
    'posts',
    ...groups,
    '--since',
    '0',
    '--max',
    '1',
    '--timeout',
    '20',
    '--json',
  ])
  const deleted = await world.json(['docs', 'delete', 'posts', ...groups, '-w', 'n=1', '--yes'])

  expect(listed.items.map(({ data }) => data.n)).toEqual([2])
  expect(JSON.parse(exported.stdout)).toMatchObject({ n: 2 })
  expect(users.items).toEqual([])
  expect(JSON.parse(tailed.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ document: { data: { n: 2 } } })
  expect(deleted).toEqual({ deleted: 0 })
})

// The titles are "Post 0" and so on; only a service whose own `contains` does not ignore case tells "post" from them.
test.each([
  ['a', 'title__contains=post 12', 11],
  ['a', 'title__icontains=post 12', 11],
  ['b', 'title__contains=post 12', 0],
  ['b', 'title__contains=Post 12', 11],
  ['b', 'title__icontains=post 12', 11],
  ['c', 'title__contains=post 12', 11],
  ['c', 'title__icontains=post 12', 11],
  ['a, filters=single', 'title__contains=post 12', 0],
  ['a, filters=single', 'title__icontains=post 12', 11],
])('in dialect %s, --where %s finds %i, and so does --or', async (dialect, condition, count) => {
  const to = ['--dialect', dialect]

  expect(await world.json(['docs', 'count', 'posts', '-w', condition, ...to])).toEqual({ count })
  expect(await world.json(['docs', 'count', 'posts', '--or', condition, '--or', 'n=-1', ...to])).toEqual({ count })
})

test.each([
  ['docs', 'list', 'posts', '-w', 'n_gte=1'],
  ['docs', 'count', 'posts', '--or', 'a:n_gte=1'],
  ['docs', 'delete', 'posts', '-w', 'n_gte=1', '--yes'],
  ['docs', 'export', 'posts', '-w', 'n_gte=1'],
  ['users', 'list', '-w', 'n_gte=1'],
  ['tail', 'posts', '-w', 'n_gte=1', '--timeout', '0'],
])('svc %s %s says so when a suffix of the other family finds nothing', async (...words) => {
  const { exit, stderr } = await world.svc(words)

  expect(exit).toBe(0)
  expect(stderr).toContain(`"n_gte" is read as a field name. To compare "n", write n__gte:`)
})

describe('conditions that find nothing', () => {
  beforeAll(async () => {
    await world.svc(['collections', 'create', 'products', '--field', 'price:number', '--field', 'due:datetime'])
    const rows = [
      { price: 4, due: '2026-01-01', sold: true, stock: 7, views_in: 1 },
      { price: 5, size: { width: 2 } },
    ]
    await world.svc(['docs', 'import', 'products', '-'], { input: JSON.stringify(rows) })
  })

  const unknown = 'No document of "products" has a field'

  test.each([
    ['prise__gte=5', `${unknown} "prise". Did you mean "price"?`],
    ['size.height=5', `${unknown} "size.height".`],
    ['price__gte=abc', '"price" is a number here, so price__gte=abc never matches.'],
    ['price__contains=4', '"price" is a number here, so price__contains=4 never matches.'],
    ['stock=many', '"stock" is a number here, so stock=many never matches.'],
    ['sold=yes', '"sold" is true or false here, so sold=yes never matches.'],
    ['price_gte=4', '"price_gte" is read as a field name. To compare "price", write price__gte:'],
    ['price__gte=9', ''],
    ['stock__in=1,none', ''],
    ['views_in=2', ''],
    ['id=x', ''],
  ])('%s is explained in every dialect: %s', async (condition, note) => {
    const runs = await Promise.all(
      ['a', 'b', 'c'].map((dialect) => world.svc(['docs', 'list', 'products', '-w', condition, '--dialect', dialect])),
    )

    for (const { exit, stderr } of runs) {
      const [count, ...explained] = stderr.trimEnd().split('\n')
      expect({ exit, count }).toEqual({ exit: 0, count: 'No documents.' })
      expect(explained).toEqual(note === '' ? [] : [expect.stringContaining(note)])
    }
  })

  test.each([
    ['docs', 'list', 'products', '--all', '-w', 'prise=5'],
    ['docs', 'count', 'products', '--or', 'a:prise=5'],
    ['docs', 'delete', 'products', '-w', 'prise=5', '--yes'],
    ['docs', 'update', 'products', '-w', 'prise=5', 'price:=1', '--yes'],
    ['docs', 'export', 'products', '-w', 'prise=5'],
    ['tail', 'products', '-w', 'prise=5', '--timeout', '0'],
  ])('svc %s %s names the field that no document has', async (...words) => {
    const { stderr } = await world.svc(words)

    expect(stderr).toContain(`${unknown} "prise". Did you mean "price"?`)
  })

  test('users have fields, too', async () => {
    await world.svc(['users', 'signup', 'ada@example.com', '--password', 'correct horse battery'])

    expect((await world.svc(['users', 'list', '-w', 'plan=pro'])).stderr).toContain('No user has a field "plan".')
    expect((await world.svc(['users', 'list', '-w', 'email=x'])).stderr).toBe('No users.\n')
  })

  test('the explanation costs two requests, and none where nobody reads it', async () => {
    const asked: string[] = []
    const headers = { 'svc-dialect': 'a' }
    const service = await openFakeService(({ path }) => {
      asked.push(path.split('?')[0] ?? '')
      if (path.startsWith('/collections/posts/documents') || path.startsWith('/collections/posts?'))
        return { headers, body: { documents: [], total: 0, limit: 20, offset: 0 } }
      return { headers, body: { id: 'c', name: 'posts', schema: {}, created_at: '', document_count: 3 } }
    })
    const list = ['docs', 'list', 'posts', '-w', 'prise=5', '--url', service.url, '--key', 'k', '--dialect', 'a']
    const counts: number[] = []
    for (const more of [[], ['--quiet'], ['--json']]) {
      asked.length = 0
      await world.svc([...list, ...more])
      counts.push(asked.length)
    }

    service.close()
    expect(counts).toEqual([3, 1, 1])
  })

  test('a service that does not show its schemas gets one request more, and no field is called unknown', async () => {
    const service = await openDeployedService()
    service.collections.set('posts', [{ id: 'x', collection_id: 'posts', data: { n: 1 }, created_at: '2026-01-01' }])
    const to = ['--url', service.url, '--key', service.apiKey, '--dialect', 'b, paths=nested']

    const { stderr } = await world.svc(['docs', 'list', 'posts', '-w', 'rare=5', ...to])

    await service.close()
    expect(stderr).not.toContain('rare')
    expect(service.requests).toHaveLength(2)
  })
})

test.each([
  ['n<=5', 'n__lte=5'],
  ['n>=5', 'n__gte=5'],
  ['n!=5', 'n__ne=5'],
])('for %s the condition %s is suggested', async (given, suggested) => {
  const { exit, stderr } = await world.svc(['docs', 'list', 'posts', '--where', given])

  expect(exit).toBe(2)
  expect(stderr).toContain(`Use ${suggested}.`)
})

test('what is created is printed, and a refused row kept, with its fields in the order given', async () => {
  const names = ['zebra', 'title', 'a', 'mid']
  await world.svc(['collections', 'create', 'ordered', '--field', 'a:integer'])
  const row = { zebra: 'x', title: 'y', a: 'no number', mid: 'z' }

  const created = await world.svc(['docs', 'create', 'ordered', 'zebra=1', 'title=2', 'a:=3', 'mid=4'])
  const json = await world.json(['docs', 'create', 'ordered', 'zebra=1', 'title=2', 'a:=3', 'mid=4'])
  await world.svc(['docs', 'import', 'ordered', '-'], { input: JSON.stringify(row) })

  const printed = created.stdout.split('\n').map((line) => line.split(' ')[0])
  expect(printed.slice(0, 6)).toEqual(['id', ...names, 'createdAt'])
  expect(Object.keys((json as { data: object }).data)).toEqual(names)
  const refused = JSON.parse(readFileSync(join(world.folder, 'ordered.refused.ndjson'), 'utf8'))
  expect(Object.keys(refused.row)).toEqual(names)
})

test('a document is printed with its fields in the order of the answer', async () => {
  const data = { zebra: 1, a: 2, mid: 3, __proto__x: 4 }
  const document = { id: 'x', collection: 'posts', data, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: null }
  const service = await openFakeService(({ path }) =>
    path.includes('/x') ? { body: document } : { body: { documents: [document], total: 1, limit: 20, offset: 0 } },
  )
  const to = ['--url', service.url, '--key', 'k']

  const shown = await world.svc(['docs', 'get', 'posts', 'x', ...to])
  const table = await world.svc(['docs', 'list', 'posts', ...to])
  const csv = await world.svc(['docs', 'list', 'posts', '--format', 'csv', ...to])

  const edited = await world.svc(['docs', 'edit', 'posts', 'x', ...to], { env: { EDITOR: 'cat' } })

  service.close()
  expect(edited.stderr).toContain(JSON.stringify(data, null, 2))
  const names = ['id', ...Object.keys(data), 'createdAt']
  const firstWords = shown.stdout.split('\n').map((line) => line.split(' ')[0])
  expect(firstWords.slice(0, names.length)).toEqual(names)
  expect(table.stdout.split('\n')[0]?.split(/ +/)).toEqual(names)
  expect(csv.stdout.split('\n')[0]?.split(',').slice(0, names.length)).toEqual(names)
})

test('a table begins with what names a document and ends with the times, whichever document has which field', async () => {
  const rows = [
    { done: true, Title: 'Tea' },
    { done: false, Title: 'Soup', a: 1 },
  ]
  await world.svc(['docs', 'import', 'varied', '-', '--create'], { input: JSON.stringify(rows) })

  const table = await world.svc(['docs', 'list', 'varied', '--sort', 'createdAt'])
  const csv = await world.svc(['docs', 'list', 'varied', '--sort', 'createdAt', '--format', 'csv'])

  expect(table.stdout.split('\n')[0]?.split(/ +/)).toEqual(['id', 'Title', 'done', 'a', 'createdAt'])
  expect(csv.stdout.split('\n')[0]).toBe('id,done,Title,a,createdAt,updatedAt')
})

test.each([
  [429, 'RATE_LIMITED', 6],
  [401, 'UNAUTHORIZED', 3],
  [403, 'FORBIDDEN', 3],
  [404, 'NOT_FOUND', 4],
  [422, 'VALIDATION_ERROR', 5],
  [500, 'INTERNAL', 1],
])('an answer of %i (%s) ends a command, and svc api, with %i', async (status, code, exit) => {
  const service: FakeService = await openFakeService(() => ({
    ...failure(status, code, 'So it is.'),
    headers: { 'retry-after': '60' },
  }))

  const listed = await world.svc(['collections', 'list', '--url', service.url, '--key', 'k'])
  const asked = await world.svc(['api', 'GET', '/collections', '--url', service.url, '--key', 'k', '--json'])

  service.close()
  expect(listed.exit).toBe(exit)
  expect(asked.exit).toBe(exit)
  expect(JSON.parse(asked.stdout)).toEqual({
    error: expect.objectContaining({ code, exit, message: `GET /collections answered ${status}: So it is.` }),
  })
})

test.each([
  ['The request took too long. Request less data, or filter on other fields.', false],
  ['The disk is nearly full. Free some space.', false],
  ['The file storage does not respond.', true],
])('where the service says what to do, the command line says nothing else: %s', async (message, isRepeated) => {
  const service = await openFakeService(() => ({
    ...failure(503, 'UNAVAILABLE', message),
    headers: { 'svc-dialect': 'a' },
  }))

  const { stderr } = await world.svc(['docs', 'update', 'posts', 'x', 'a=b', '--url', service.url, '--key', 'k'])

  service.close()
  expect(stderr).toContain(message)
  expect(stderr.includes('Repeat the command')).toBe(isRepeated)
})

test('what may have been done is not to be repeated before it was looked at', async () => {
  const service = await openFakeService(() => ({
    ...failure(503, 'UNAVAILABLE', unknownOutcome),
    headers: { 'svc-dialect': 'a' },
  }))

  const { stderr } = await world.svc([
    'docs',
    'update',
    'posts',
    'x',
    'title=Hello',
    '--url',
    service.url,
    '--key',
    'k',
  ])

  service.close()
  expect(stderr).toContain('Check whether it was done')
  expect(stderr).not.toContain('Repeat the command')
})

test('contract 2.4 a field may be called as what every object has, and is missing where it is not given', async () => {
  await world.svc(['collections', 'create', 'own'])
  await world.svc(['docs', 'create', 'own', 'constructor=x', '__proto__=y'])
  await world.svc(['docs', 'create', 'own', 'title=Hello'])
  const columns = ['--columns', 'title,constructor,__proto__,toString', '--sort', 'createdAt']

  const all = await world.svc(['docs', 'list', 'own', '--sort', 'createdAt'])
  const chosen = await world.svc(['docs', 'list', 'own', ...columns])
  const csv = await world.svc(['docs', 'list', 'own', ...columns, '--format', 'csv'])

  expect(all).toMatchObject({ exit: 0, stdout: expect.stringMatching(/constructor/) })
  expect(all.stdout).not.toMatch(/function|\{\}/)
  expect(chosen.stdout.split('\n').map((line) => line.trim())).toEqual([
    expect.stringMatching(/^title +constructor +__proto__ +toString$/),
    expect.stringMatching(/^x +y$/),
    'Hello',
    '',
  ])
  expect(csv.stdout).toBe('title,constructor,__proto__,toString\n,x,y,\nHello,,,\n')
})

test('contract 2.4 an array may be called as what every object has', async () => {
  await world.svc(['collections', 'create', 'arrays'])
  const { id } = (await world.json(['docs', 'create', 'arrays', 'constructor:=["a"]'])) as { id: string }

  const ran = await world.svc(['docs', 'update', 'arrays', id, '--append', 'constructor=b', '--append', '__proto__=c'])

  expect(ran.exit).toBe(0)
  const { data } = (await world.json(['docs', 'get', 'arrays', id])) as { data: object }
  expect(Object.entries(data)).toEqual([
    ['__proto__', ['c']],
    ['constructor', ['a', 'b']],
  ])
})
