/** Documents that are older than the schema of their collection, found and fixed; and schemas from documents. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient, type Fields } from '../../../client/index.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let svc: Client

beforeAll(async () => {
  world = await openWorld()
  const { url, apiKey } = await world.useEmulator()
  svc = createClient({ url, apiKey })
})
afterAll(() => world.close())

async function fill(name: string, documents: readonly Fields[]): Promise<string[]> {
  await svc.collections.create({ name })
  return (await svc.collection(name).createMany([...documents])).map(({ id }) => id)
}

test('each thing that is wrong with a schema is told with its place', async () => {
  await svc.collections.create({ name: 'wrong' })
  const schema = { a: { type: 'x' }, b: { type: 'x' }, c: { required: 'yes' } }

  const ran = await world.svc(['collections', 'schema', 'wrong', '--schema', '-'], { input: JSON.stringify(schema) })

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toMatch(/^error {2}"schema\.a\.type": .* Also: "schema\.b\.type": .*; "schema\.c/)
  await svc.collections.delete('wrong')
})

test('svc collections check lists what the schema would refuse, with counts and examples, until it is mended', async () => {
  const [first, second] = await fill('posts', [
    { title: 'A', views: 'many' },
    { views: 'few' },
    { title: 'C', views: 3 },
  ])
  expect(await world.svc(['collections', 'check', 'posts'])).toMatchObject({
    exit: 0,
    stderr: '"posts" has no schema, so any document is valid. Infer one: svc collections schema infer posts\n',
  })
  const schema = { title: { type: 'string', required: true }, views: { type: 'integer' } } as const
  await svc.collections.update('posts', { schema })

  const ran = await world.svc(['collections', 'check'])
  expect(ran.exit).toBe(10)
  expect(ran.stdout).toContain(`posts       "views" is not of type "integer"          2  ${first} ${second}\n`)
  expect(ran.stdout).toContain(`posts       "title" is required                       1  ${second}\n`)
  expect(ran.stderr).toContain(
    '2 of 3 documents violate the schema.\nFix them: svc docs update posts --where title__isnull=true title=value\n',
  )
  expect(await world.json(['collections', 'check', 'posts'])).toEqual({
    isValid: false,
    collections: [
      {
        ...{ name: 'posts', documents: 3, refused: 2 },
        issues: [
          {
            ...{ field: 'views', problem: '"views" is not of type "integer"', type: 'integer', documents: 2 },
            examples: [first, second],
          },
          { field: 'title', problem: '"title" is required', type: 'missing', documents: 1, examples: [second] },
        ],
      },
    ],
  })

  await world.svc(['docs', 'update', 'posts', '--where', 'title__isnull=true', 'title=None', 'views:=0', '--yes'])
  await world.svc(['docs', 'update', 'posts', '--where', 'views=many', 'views:=0', '--yes'])
  expect(await world.svc(['collections', 'check'])).toMatchObject({
    exit: 0,
    stderr: 'Checked 3 documents. All are valid.\n',
  })
})

test('svc collections create and schema take choices, links, unique fields and a title', async () => {
  await world.json(['collections', 'create', 'shelves', '--field', 'name:string'])
  const fields = [
    'title:string!',
    'shelf:link:shelves',
    'readers:links:users',
    'state:string:new,read=new',
    'n:integer:1,2',
  ]
  const unique = ['--unique', 'title', '--unique', 'shelf,n']

  const made = await world.json([
    'collections',
    'create',
    'books',
    ...fields.flatMap((field) => ['--field', field]),
    ...unique,
    '--title',
    'title',
  ])
  const shown = await world.svc(['collections', 'schema', 'books'])

  const schema = {
    title: { type: 'string', required: true, unique: true },
    shelf: { type: 'link', to: 'shelves' },
    readers: { type: 'link', to: 'users', many: true },
    state: { type: 'string', enum: ['new', 'read'], default: 'new' },
    n: { type: 'integer', enum: [1, 2] },
  }
  expect(made).toMatchObject({ schema, unique: [['shelf', 'n']], title: 'title' })
  for (const words of ['link to shelves', 'links to users', 'enum "new" | "read"'])
    expect(shown.stdout).toContain(words)
  expect(shown.stderr).toContain('Unique together: shelf, n.')
  const without = await world.svc(['collections', 'schema', 'books', '--unique', 'missing'])
  expect(without).toMatchObject({ exit: 2, stderr: expect.stringContaining('--field missing:string') })
  await world.json(['collections', 'schema', 'books', '--clear'])
  expect(await svc.collections.get('books')).not.toHaveProperty('title')
})

test('svc collections schema infer proposes choices and formats, with the documents behind them', async () => {
  const states = ['open', 'done', 'open', 'done', 'open', 'done']
  await fill('parents', [{ name: 'Ada' }])
  const parent = (await svc.collection('parents').list()).items[0]?.id ?? ''
  await fill(
    'chosen',
    states.map((state, at) => ({ state, mail: `a${at}@example.com`, ...(at > 1 ? { n: at } : {}), parent })),
  )

  const proposed = await world.json(['collections', 'schema', 'infer', 'chosen'])

  expect(proposed).toEqual({
    mail: { type: 'string', format: 'email', required: true },
    n: { type: 'integer' },
    parent: { type: 'link', to: 'parents', required: true },
    state: { type: 'string', enum: ['done', 'open'], required: true },
  })
  expect((await world.svc(['collections', 'schema', 'infer', 'chosen'])).stdout).toContain('4 of 6')
})

test('svc collections schema infer proposes what all documents fit, and keeps the rules there are', async () => {
  const when = '2026-01-31T12:00:00Z'
  await fill('things', [
    { name: 'a', size: 1, share: 0.5, on: true, at: when, tags: [], place: { x: 1 }, mixed: 1, maybe: null },
    { name: 'b', size: 2, share: 1, on: false, at: '2026-02-01', tags: ['x'], place: {}, mixed: 'x', extra: 1 },
  ])
  await svc.collections.update('things', { schema: { size: { type: 'number', default: 7 } } })
  const before = await svc.collections.get('things')

  const proposed = await world.json(['collections', 'schema', 'infer', 'things'])
  expect(Object.keys(proposed as object).slice(0, 2)).toEqual(['size', 'at'])
  expect((await world.svc(['collections', 'schema', 'infer', 'things'])).stderr).toContain(
    'Existing rules stay. Find documents that break them: svc collections check things\n',
  )
  expect(proposed).toEqual({
    at: { type: 'datetime', required: true },
    extra: { type: 'integer' },
    maybe: { type: 'any' },
    mixed: { type: 'any', required: true },
    name: { type: 'string', required: true },
    on: { type: 'boolean', required: true },
    place: { type: 'object', required: true, fields: { x: { type: 'integer' } } },
    share: { type: 'number', required: true },
    size: { type: 'number', default: 7 },
    tags: { type: 'array', required: true, items: { type: 'string' } },
  })
  expect(await svc.collections.get('things')).toEqual(before)

  const optional = (await world.json(['collections', 'schema', 'infer', 'things', '--optional', '--apply'])) as object
  expect(Object.values(optional).some(({ required }) => required)).toBe(false)
  expect((await svc.collections.get('things')).schema).toEqual(optional)
  await svc.collections.update('things', { schema: {} })
  await world.json(['collections', 'schema', 'infer', 'things', '--apply'])
  expect(await world.svc(['collections', 'check', 'things'])).toMatchObject({ exit: 0 })
  await expect(svc.collection('things').create({ name: 'c' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('svc collections schema infer says that an empty collection shows nothing', async () => {
  await svc.collections.create({ name: 'empty' })
  expect(await world.svc(['collections', 'schema', 'infer', 'empty'])).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: '"empty" has no documents to infer a schema from.\n',
  })
  expect(await world.json(['collections', 'schema', 'infer', 'empty', '--apply'])).toEqual({})
})

test('contract 13.2 collections schema --dry-run shows what a change does to documents, and writes nothing', async () => {
  const [first, second] = await fill('tasks', [{ slug: 'fix', points: 21 }, { slug: 'fix' }])
  const words = ['collections', 'schema', 'tasks', '--schema', '-', '--dry-run']
  const rules = { points: { type: 'integer', max: 13 }, slug: { type: 'string', unique: true } }
  const input = JSON.stringify(rules)

  const { exit, stdout, stderr } = await world.svc(words, { input })
  const whole = JSON.parse((await world.svc([...words, '--json'], { input })).stdout)
  const fitting = await world.svc(['collections', 'schema', 'tasks', '--field', 'slug:string!', '--dry-run'])

  expect(exit).toBe(10)
  expect(stdout).toMatch(/^breaks +points +new, integer +1$/m)
  expect(stdout).toMatch(/^blocked +slug +unique +1$/m)
  expect(stdout).toMatch(new RegExp(`^${first} +21 +"points" must be at most 13$`, 'm'))
  expect(stdout).toMatch(new RegExp(`^${second} +"fix" +has the same value as "${first}"$`, 'm'))
  expect(stderr).toContain('Repair points: svc docs update tasks --where points__gt=13 points:=13\n')
  expect(stderr).toContain('Repair slug: svc docs migrate tasks migration.ts\n')
  expect(whole).toMatchObject({ collection: 'tasks', documentCount: 2 })
  expect([fitting.exit, fitting.stderr]).toEqual([0, 'Compared with 2 documents. All fit.\n'])
  expect((await svc.collections.get('tasks')).schema).toEqual({})
})

test('a dry run without a change is refused', async () => {
  const { exit, stderr } = await world.svc(['collections', 'schema', 'tasks', '--dry-run'])

  expect([exit, stderr]).toEqual([2, expect.stringContaining('--dry-run needs a change.')])
})
