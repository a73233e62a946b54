/** A seed as the control API takes it: what each mode does with existing data, on every engine. Contract 11. */
import { expect, test } from 'vitest'
import { createClient, type Fields } from '../../../client/index.js'
import type { SeedMode, SeedStep } from '../../../client/protocol/model/seed/steps.js'
import { control } from '../../fixtures/control.js'
import { aProject, service } from '../../fixtures/service.js'

async function aSeededProject() {
  const { id: project, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  return {
    owner,
    held: () => control.seeds.get({ project }),
    /** Applies the steps; files are parts of the form by their names, with these bytes. */
    apply(mode: SeedMode, steps: readonly SeedStep[], files: Readonly<Record<string, string>> = {}) {
      const form = new FormData()
      form.set('mode', mode)
      form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
      for (const [part, bytes] of Object.entries(files)) form.set(part, new Blob([bytes]), `${part}.txt`)
      return control.seeds.apply({ project, form })
    },
    async fields(collection: string) {
      const { items } = await owner.collection(collection).list({ sort: 'createdAt' })
      return items.map(({ data }) => data)
    },
  }
}

const count = (created: number, updated: number, kept: number) => ({ created, updated, kept })

/** A user with a file, a file without an owner, and documents that refer to both and to each other. */
const blog: readonly SeedStep[] = [
  { step: 'file', name: 'logo', part: 'logo', path: 'img' },
  { step: 'file', name: 'face', part: 'face', path: '', isOwned: true },
  {
    ...{ step: 'user', name: 'ada', email: 'Ada@example.com', roles: ['editor'], verified: true, twoFactor: true },
    ...{ identity: { provider: 'https://id.example', subject: 'ada' } },
    ...{ data: { name: 'Ada', face: `\${files.face.url}` }, files: ['face'] },
  },
  { step: 'collection', name: 'authors', key: 'email', isAnswered: true },
  {
    step: 'documents',
    documents: [
      { name: 'ada', data: { email: 'a@x', user: `\${users.ada.id}` }, hasReferences: true, isReferred: true },
    ],
  },
  { step: 'collection', name: 'posts' },
  {
    step: 'documents',
    documents: [
      {
        name: 'hello',
        data: { title: 'Hello', by: `\${authors.ada.id}`, logo: `\${files.logo.url}` },
        hasReferences: true,
      },
      { name: 'plain', data: { title: 'Plain', tags: ['a'] } },
    ],
  },
]
const files = { logo: 'a logo', face: 'a face' }

test('contract 11 a seed creates users, files and documents that refer to each other', async () => {
  const { apply, held, fields, owner } = await aSeededProject()

  const seeded = await apply('fill', blog, files)

  const { items } = await owner.collection('authors').list()
  expect(seeded).toEqual({
    users: count(1, 0, 0),
    files: count(2, 0, 0),
    collections: [
      { name: 'authors', ...count(1, 0, 0), ids: [['ada', items[0]?.id]] },
      { name: 'posts', ...count(2, 0, 0), ids: [] },
    ],
  })
  const { users, files: kept } = await held()
  expect(users).toEqual([
    {
      ...{ id: items[0]?.data.user, email: 'Ada@example.com', roles: ['editor'], verified: true, passwordHash: null },
      ...{
        twoFactor: expect.stringMatching(/^[A-Z2-7]+$/),
        identity: { provider: 'https://id.example', subject: 'ada' },
      },
      data: { name: 'Ada', face: expect.stringMatching(/face\.txt$/) },
    },
  ])
  expect(kept).toMatchObject([
    { name: 'logo.txt', path: 'img', owner: null },
    { name: 'face.txt', owner: users[0]?.id },
  ])
  expect(await fields('posts')).toEqual([
    { title: 'Hello', by: items[0]?.id, logo: kept[0]?.url },
    { title: 'Plain', tags: ['a'] },
  ])
})

test('contract 11 the same seed once more leaves everything alone, and finds what others refer to', async () => {
  const { apply, held, fields } = await aSeededProject()
  await apply('fill', blog, files)
  const [before, posts] = [await held(), await fields('posts')]
  const more: SeedStep[] = [
    { step: 'collection', name: 'comments' },
    { step: 'documents', documents: [{ data: { by: `\${authors.ada.id}` }, hasReferences: true }] },
  ]

  const again = await apply('fill', [...blog, ...more], files)

  expect(again).toMatchObject({
    users: count(0, 0, 1),
    files: count(0, 0, 1),
    collections: [count(0, 0, 1), count(0, 0, 2), count(1, 0, 0)],
  })
  expect([await held(), await fields('posts')]).toEqual([before, posts])
  expect(await fields('comments')).toEqual([{ by: posts[0]?.by }])
})

test('contract 11 an upsert finds documents by their key of any plain type or by their fields, and files by their bytes', async () => {
  const { apply, held, fields, owner } = await aSeededProject()
  await apply('fill', blog, files)
  await owner.collections.create({ name: 'items' })
  const items = owner.collection('items')
  const skus: readonly Fields[] = [
    { sku: 1, n: 1 },
    { sku: 'two', n: 2 },
    { sku: true, n: 3 },
    { sku: null },
    { sku: ['two'] },
  ]
  for (const data of skus) await items.create(data)
  const changed: SeedStep[] = [
    ...blog,
    { step: 'collection', name: 'items', key: 'sku' },
    {
      step: 'documents',
      documents: [
        { data: { sku: 1, n: 10 } },
        { data: { sku: 'two', n: 20 } },
        { data: { sku: true, n: 30 } },
        { data: { sku: 'new', n: 40 } },
      ],
    },
  ]
  const logo = (await held()).files[0]

  const upserted = await apply('upsert', changed, { ...files, logo: 'another logo' })

  expect(upserted).toMatchObject({
    users: count(0, 1, 0),
    files: count(0, 1, 0),
    // The address of the logo has changed, and is ignored where "Hello" is matched.
    collections: [count(0, 1, 0), count(0, 2, 0), count(1, 3, 0)],
  })
  expect(await fields('items')).toEqual([
    { sku: 1, n: 10 },
    { sku: 'two', n: 20 },
    { sku: true, n: 30 },
    { sku: null },
    { sku: ['two'] },
    { sku: 'new', n: 40 },
  ])
  const now = (await held()).files.find(({ owner }) => owner === null)
  expect([now?.name, now?.id === logo?.id]).toEqual(['logo.txt', false])
})

test('contract 11 an upsert finds a number however the database writes it, and takes no text for a number or boolean', async () => {
  const { apply, fields } = await aSeededProject()
  const codes = [1, '1', true, 'true', 1e21, 1e-7, -0.5, '1e+21']
  const items = (n: number): SeedStep[] => [
    { step: 'collection', name: 'items', key: 'code' },
    { step: 'documents', documents: codes.map((code) => ({ data: { code, n } })) },
  ]

  const first = await apply('upsert', items(1))
  const second = await apply('upsert', items(2))

  expect([first, second]).toMatchObject([{ collections: [count(8, 0, 0)] }, { collections: [count(0, 8, 0)] }])
  expect(await fields('items')).toEqual(codes.map((code) => ({ code, n: 2 })))
})

test('contract 11 a seed that replaces deletes what it names first, however much that is, and nothing else', async () => {
  const { apply, held, fields, owner } = await aSeededProject()
  await apply('fill', blog, files)
  await owner.collections.create({ name: 'notes' })
  await owner.collection('notes').create({ n: 1 })
  for (let n = 0; n < 2; n++) {
    await owner.collection('posts').createMany(Array.from({ length: 1_000 }, (_, at) => ({ n: n * 1_000 + at })))
  }
  await owner.files.upload(new File(['old'], 'old.txt'))

  const replaced = await apply('replace', blog, files)

  expect(replaced).toMatchObject({ users: count(1, 0, 0), collections: [count(1, 0, 0), count(2, 0, 0)] })
  expect((await fields('posts')).map(({ title }) => title)).toEqual(['Hello', 'Plain'])
  expect(await fields('notes')).toEqual([{ n: 1 }])
  const { users, files: kept } = await held()
  expect(users).toHaveLength(1)
  expect(kept.map(({ name }) => name).sort()).toEqual(['face.txt', 'logo.txt'])
})

test('contract 11 documents that refer to a collection called files are told apart when they are seeded again', async () => {
  const { apply, fields } = await aSeededProject()
  const posts = (n: number): SeedStep[] => [
    { step: 'collection', name: 'files' },
    {
      step: 'documents',
      documents: ['one', 'two'].map((name) => ({ name, data: { name }, isReferred: true })),
    },
    { step: 'collection', name: 'posts' },
    {
      step: 'documents',
      documents: ['one', 'two'].map((name) => ({
        name,
        data: { title: 'x', file: `\${files.${name}.id}`, tags: [name, n] },
        hasReferences: true,
      })),
    },
  ]
  await apply('fill', posts(1))
  const before = await fields('posts')

  await apply('upsert', posts(2))

  const changed = before.map((post, at) => ({ ...post, tags: [['one', 'two'][at], 2] }))
  expect(await fields('posts')).toEqual(changed)
})

test('contract 11 a seed that fails in its last step has done nothing', async () => {
  const { apply, held, owner } = await aSeededProject()
  const bad: SeedStep[] = [
    { step: 'collection', name: 'strict', schema: { n: { type: 'integer' } } },
    { step: 'documents', documents: [{ data: { n: 1 } }, { data: { n: 'two' } }] },
  ]

  await expect(apply('fill', [...blog, ...bad], files)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    issues: [{ path: [blog.length + 1, 1, 'n'] }],
  })

  expect(await held()).toEqual({ users: [], files: [] })
  expect(await owner.collections.list()).toEqual([])
})

test.each(['fill', 'upsert'] as const)(
  'contract 11 a seed (%s) that gives a user the identity of another one is refused, with its step',
  async (mode) => {
    const { apply, held } = await aSeededProject()
    const identity = { provider: 'https://id.example', subject: 'ada' }
    await apply('fill', [{ step: 'user', name: 'ada', email: 'ada@example.com', identity }])
    // One is there to be changed, the other is created.
    if (mode === 'upsert') await apply('fill', [{ step: 'user', name: 'bob', email: 'bob@example.com' }])
    const before = await held()
    const bob: SeedStep = { step: 'user', name: 'bob', email: 'bob@example.com', identity }

    await expect(apply(mode, [{ step: 'collection', name: 'posts' }, bob])).rejects.toMatchObject({
      ...{ code: 'EMAIL_ALREADY_EXISTS', message: 'Another user already has the identity "ada".' },
      issues: [{ path: [1] }],
    })

    expect(await held()).toEqual(before)
  },
)

test('contract 13.2 a seed may link to documents that follow, and to nothing that is not there', async () => {
  const { apply, fields, owner } = await aSeededProject()
  const seed = (board: string): readonly SeedStep[] => [
    { step: 'collection', name: 'cards', schema: { board: { type: 'link', to: 'boards' } } },
    { step: 'documents', documents: [{ name: 'card', data: { board }, hasReferences: true }] },
    { step: 'collection', name: 'boards' },
    { step: 'documents', documents: [{ name: 'first', data: {}, isReferred: true }] },
  ]

  const wrong = await apply('fill', seed('01900000-0000-7000-8000-000000000000')).catch((error: unknown) => error)
  await apply('fill', seed(`\${boards.first.id}`))

  expect(wrong).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: [1, 0, 'board'] }] })
  const { items } = await owner.collection('boards').list()
  expect(await fields('cards')).toEqual([{ board: items[0]?.id }])
})
