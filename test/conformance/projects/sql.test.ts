/** The console's queries: what they can read, and what they cannot. Contract 11, decision 78. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { aProject, service } from '../../fixtures/service.js'
import { attacks } from './sql-attacks.js'

let project: string
let other: string

beforeAll(async () => {
  const mine = await aProject()
  const theirs = await aProject()
  project = mine.id
  other = theirs.id
  for (const { secretKey } of [mine, theirs]) {
    const owner = createClient({ url: service.url, apiKey: secretKey })
    const isMine = secretKey === mine.secretKey
    await owner.collections.create({ name: 'posts' })
    await owner.collections.create({
      name: 'authors',
      schema: { name: { type: 'string' }, born: { type: 'number' } },
    })
    const { id: author } = await owner.collection('authors').create({ name: isMine ? 'Ada' : 'Mallory', born: 1815 })
    await owner.collection('posts').createMany([
      { title: 'Tea', views: 3, authorId: author, tags: ['a', 'b'], isDraft: false, order: 1, mixed: 1 },
      { title: 'Milk', views: 5, authorId: author, tags: ['b'], isDraft: true, order: 2, mixed: 'one' },
      { title: isMine ? "O'Hara" : 'hidden', raw: isMine ? 'many' : 'secret of another', 'a "b"': 1, order: 3 },
    ])
    await owner.auth.signUp({ email: `ada@${isMine ? 'here' : 'elsewhere'}.example`, password: 'Correct4Horse' })
  }
})

const run = (query: string, limit?: number) => control.sql.run({ project, query, ...(limit ? { limit } : {}) })
const rowsOf = async (query: string) => (await run(query)).rows

describe('a query reads', () => {
  const answers: readonly (readonly [query: string, rows: readonly unknown[]])[] = [
    ['select title from posts order by title;', [['Milk'], ["O'Hara"], ['Tea']]],
    ['select title -- a comment', []],
    ["select title, views from posts where views > 3 and title like 'M%'", [['Milk', 5]]],
    ['select sum(views) as views, count(*) from posts', [[8, 3]]],
    [
      'select p.title, a.name from posts p join authors a on a.id = p."authorId" order by 1',
      [
        ['Milk', 'Ada'],
        ['Tea', 'Ada'],
      ],
    ],
    [
      'select tag, count(*) from posts cross join lateral jsonb_array_elements_text(tags) as t(tag) group by tag order by tag',
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    ["select data->>'title', data['order'] from posts where \"isDraft\"", [['Milk', 2]]],
    [
      'with recent as (select title, "order" from posts), last as (select * from recent order by "order" desc limit 1) select title from last',
      [["O'Hara"]],
    ],
    ['select title, row_number() over (order by title) from posts limit 1', [['Milk', 1]]],
    ['select 1 as a, 2 as a', [[1, 2]]],
    [
      'values (1, null), (2, true)',
      [
        [1, null],
        [2, true],
      ],
    ],
    [
      "select 'é', extract(year from timestamp '2020-01-01'), substring('tea' from 1 for 2), upper('x') || 'y'",
      [['é', 2020, 'te', 'Xy']],
    ],
    ['select email, email_verified, roles from users', [['ada@here.example', false, []]]],
    ['select "a ""b""" from posts where "a ""b""" is not null', [[1]]],
    ['select mixed from posts where mixed is not null order by "order"', [[1], ['one']]],
    [
      'select title from posts where exists (select 1 from authors where born = 1815) and title in (select title from posts where views = 3)',
      [['Tea']],
    ],
    ["select string_agg(title, ', ' order by title) from posts", [["Milk, O'Hara, Tea"]]],
    ['select title from posts union select name from authors order by 1 limit 1', [['Ada']]],
    [
      "select case when views > 3 then 1 else 0 end, coalesce(views, 0), nullif(views, 3) from posts where title = 'Tea'",
      [[0, 3, null]],
    ],
  ]

  test.each(answers.filter(([query]) => !query.includes('--')))('%s', async (query, rows) => {
    expect(await rowsOf(query)).toEqual(rows)
  })

  test('the columns in their order, also where there are no rows', async () => {
    expect(await run('select title as b, id as a, 1 as b from posts where false')).toMatchObject({
      ...{ columns: ['b', 'a', 'b'], rows: [], isCut: false },
    })
  })

  test('a comment at its end, and a semicolon', async () => {
    expect(await rowsOf('select 1 -- all of it')).toEqual([[1]])
    expect(await rowsOf('/* first */ select 2 ; -- done')).toEqual([[2]])
  })

  test('as many rows as were asked for, and says when there are more', async () => {
    expect(await run('select title from posts order by title', 2)).toMatchObject({
      rows: [['Milk'], ["O'Hara"]],
      isCut: true,
    })
    expect(await run('select title from posts order by title', 3)).toMatchObject({ isCut: false })
  })

  test('the columns that a view has', async () => {
    const { columns } = await control.sql.view({ project, name: 'posts' })
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual({
      ...{ id: 'text', created_at: 'time', updated_at: 'time', version: 'number', data: 'json' },
      ...{
        title: 'text',
        views: 'number',
        authorId: 'text',
        tags: 'json',
        isDraft: 'boolean',
        raw: 'text',
        order: 'number',
      },
      ...{ mixed: 'json', 'a "b"': 'number' },
    })
    await expect(control.sql.view({ project, name: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a fault has its place', () => {
  test.each([
    ['select from posts where', 23, 'Syntax error at end of input.'],
    ["select 'é', titel from posts", 12, 'Column "titel" does not exist.'],
    ['select authorId from posts', 7, 'Column "authorid" does not exist. Write "authorId" in double quotes.'],
    ['select 1; select 2', 0, 'Send one statement at a time.'],
    ['select title from nowhere', 18, 'No collection "nowhere".'],
    ['select title, nothing(1) from posts', 14, 'Function nothing(integer) does not exist.'],
    ['select 1/0', 0, 'Division by zero.'],
  ])('%s', async (query, at, message) => {
    await expect(run(query)).rejects.toMatchObject({
      ...{ code: 'INVALID_QUERY', message, issues: [{ path: ['query', at] }] },
    })
  })
})

describe.each(Object.entries(attacks))('nobody gets at %s', (_, tried) => {
  test.each(tried)('%s', async (query, refusal) => {
    await expect(run(query)).rejects.toMatchObject({ code: 'INVALID_QUERY', message: expect.stringMatching(refusal) })
  })
})

test('rows of another project are in no answer, whatever a condition does with rows', async () => {
  const everything = JSON.stringify([
    await rowsOf('select * from posts'),
    await rowsOf('select * from users'),
    await rowsOf('select a.data, b.data from posts a, authors b'),
  ])
  // Were the condition evaluated before the project's, its error would leak the other project's data.
  const failing = run('select title from posts where raw::int > 0')

  expect(everything).not.toMatch(/secret of another|hidden|Mallory|elsewhere/)
  await expect(failing).rejects.toMatchObject({ message: 'Invalid input syntax for type integer: "many".' })
  expect((await control.sql.run({ project: other, query: 'select name from authors' })).rows).toEqual([['Mallory']])
})

test('files are a view without their bytes, and without files that are on their way out', async () => {
  const { id, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  await owner.collections.create({ name: 'posts' })
  await owner.collection('posts').create({ file: new File(['old'], 'old.txt') })
  const file = await owner.files.upload(new File(['hello'], 'a.txt', { type: 'text/plain' }), { path: 'letters' })
  const query = 'select name, path, size, mime_type, document_id from files order by name'

  const { rows } = await control.sql.run({ project: id, query })
  const { columns } = await control.sql.view({ project: id, name: 'files' })
  await owner.files.delete(file.id)

  expect(rows).toEqual([
    ['a.txt', 'letters', 5, 'text/plain', null],
    ['old.txt', expect.any(String), 3, 'text/plain', expect.any(String)],
  ])
  expect(columns.map(({ name }) => name)).toEqual([
    ...['id', 'created_at', 'size', 'name', 'path', 'mime_type', 'document_id', 'collection_id', 'user_id'],
  ])
  expect((await control.sql.run({ project: id, query })).rows).toHaveLength(1)
})

test('a query that does not end keeps nobody else waiting, and the next one has a new copy', async () => {
  const { id, secretKey } = await aProject()
  const others = createClient({ url: service.url, apiKey: secretKey })
  await others.collections.create({ name: 'posts' })
  let isOver = false
  const joined = run('select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b').finally(() => {
    isOver = true
  })
  joined.catch(() => undefined)

  await others.collection('posts').create({ title: 'meanwhile' })
  const { total } = await others.collection('posts').list()

  expect({ total, isOver }).toEqual({ total: 1, isOver: false })
  await expect(joined).rejects.toMatchObject({ code: 'INVALID_QUERY', message: expect.stringMatching(/5 seconds/) })
  expect((await control.sql.run({ project: id, query: 'select title from posts' })).rows).toEqual([['meanwhile']])
})

test('a query sees what was written since the last one, and no more rows than fit', async () => {
  const { id, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  const titles = async (query = 'select title from posts order by id') =>
    (await control.sql.run({ project: id, query })).rows.flat()
  await owner.collections.create({ name: 'posts' })
  const { id: first } = await owner.collection('posts').create({ title: 'one' })
  const before = await titles()

  await owner.collection('posts').update(first, { title: 'other' })
  await owner.collection('posts').create({ title: 'two', more: true })

  expect([before, await titles()]).toEqual([['one'], ['other', 'two']])
  expect(await titles('select title from posts where more')).toEqual(['two'])
  const large = await control.sql.run({ project: id, query: "select repeat('x', 3000000) from posts" })
  expect({ rows: large.rows.length, isCut: large.isCut }).toEqual({ rows: 1, isCut: true })
  await owner.collections.delete('posts')
  await expect(titles()).rejects.toMatchObject({ message: 'No collection "posts".' })
})

test('a collection can have any name, also that of a table', async () => {
  const { id, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  for (const name of ['sessions', 'select', 'pg_class', 'users']) {
    await owner.collections.create({ name })
    await owner.collection(name).create({ of: name })
    const { rows } = await control.sql.run({ project: id, query: `select "of" from "${name}"` })
    expect(rows).toEqual([[name]])
  }
})
