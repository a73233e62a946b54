/** Existing data exported as a seed, and generated data. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, fields } = seeds
const at = (name: string) => join(seeds.world.folder, name)
const text = (name: string) => readFileSync(at(name), 'utf8')
const usersByName = async () =>
  (await seeds.listed('users')).toSorted((one, other) => (String(one.data.name) < String(other.data.name) ? -1 : 1))

/** Documents that refer to each other across collections, to users and to files. */
const world = {
  files: { cover: { file: 'img/cover.png', path: 'covers' }, face: { file: 'img/ada.png', owned: true } },
  users: {
    ada: {
      email: 'ada@example.com',
      password: 'Correct4Horse',
      roles: ['editor'],
      verified: true,
      twoFactor: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      data: { name: 'Ada', face: `\${files.face.url}` },
    },
    bob: { email: 'bob@example.com', identity: { provider: 'google', subject: 'bob' } },
  },
  collections: {
    authors: { documents: { ada: { name: 'Ada', user: `\${users.ada.id}`, best: `\${posts.hello.id}` } } },
    posts: {
      schema: { title: { type: 'string', required: true }, lead: { type: 'string' } },
      permissions: { read: ['editor'], hidden: { cover: [] }, readonly: { 'meta.rank': ['editor'] } },
      documents: { hello: { title: 'Hello', author: `\${authors.ada.id}`, cover: `see \${files.cover.url}` } },
    },
  },
}

test('export, reset and seed lead to the same state, written as the same text', async () => {
  file('img/cover.png', 'a cover')
  file('img/ada.png', 'a face')
  await seeds.world.json(['seed', file('world.json', JSON.stringify(world))])

  const exported = await seeds.world.json(['seed', 'export', '-o', 'out/one.json'])
  await seeds.world.json(['reset', '--yes'])
  await seeds.world.json(['seed', 'out/one.json'])
  file('again/one.json.part', 'what a killed process left')
  await seeds.world.json(['seed', 'export', '-o', 'again/one.json'])
  const login = await seeds.world.svc(['users', 'login', 'ada@example.com', '--password', 'Correct4Horse'])

  expect(exported).toMatchObject({ collections: 2, documents: 2, users: 2, files: 2 })
  expect(text('again/one.json')).toBe(text('out/one.json'))
  // It holds hashes of passwords.
  expect(statSync(at('again/one.json')).mode & 0o777).toBe(0o600)
  expect(text('again/files/cover.png')).toBe('a cover')
  const content = JSON.parse(text('out/one.json'))
  expect(content.collections.posts).toEqual({
    ...world.collections.posts,
    documents: { hello: { author: `\${authors.ada.id}`, cover: `see \${files.cover.url}`, title: 'Hello' } },
  })
  expect(Object.keys(content.collections.posts.schema)).toEqual(['title', 'lead'])
  expect(content.users.ada).toMatchObject({ data: { face: `\${files.ada.url}` }, passwordHash: expect.any(String) })
  expect(login).toMatchObject({ exit: 3, stderr: expect.stringContaining('code') })
})

test('with collections it holds these, and what they refer to', async () => {
  await seeds.world.json(['reset', '--yes'])
  await seeds.world.json(['seed', file('world.json', JSON.stringify(world))])

  await seeds.world.json(['seed', 'export', 'posts', '-o', 'posts-only/seed.json'])

  const content = JSON.parse(text('posts-only/seed.json'))
  expect(Object.keys(content.collections)).toEqual(['posts'])
  expect(content.users).toBeUndefined()
  expect(Object.keys(content.files)).toEqual(['cover'])
  expect(existsSync(at('posts-only/files/ada.png'))).toBe(false)
})

test('stored files go into no folder beside a device or a pipe: that is said before anything is written', async () => {
  await seeds.world.json(['reset', '--yes'])
  await seeds.world.json(['seed', file('world.json', JSON.stringify(world))])
  await execa('mkfifo', [at('pipe')])

  for (const place of ['/dev/stdout', 'pipe']) {
    const ran = await seeds.world.svc(['seed', 'export', '-o', place])

    expect(ran).toMatchObject({ exit: 2, stdout: '' })
    expect(ran.stderr).toContain(`"${place}" is a device or a pipe, so there is no folder for 2 stored files.`)
  }
  expect(await seeds.world.svc(['seed', 'export', '-o', '-'])).toMatchObject({
    ...{ exit: 2, stdout: '' },
    stderr: expect.stringContaining('The seed goes to stdout, so there is no folder for 2 stored files.'),
  })
  expect([existsSync('/dev/files'), existsSync(at('files'))]).toEqual([false, false])
  const withoutFiles = await seeds.world.svc(['seed', 'export', 'posts', '-o', '/dev/stdout'])
  expect(withoutFiles.stderr).toContain('no folder for 1 stored file')
})

test('made-up documents follow schema and samples, and the same number makes up the same', async () => {
  const name = `${seeds.own}people`
  const schema = { name: { type: 'string' }, age: { type: 'integer', required: true }, joined: { type: 'datetime' } }
  const documents = Array.from({ length: 9 }, (_, n) => ({ name: 'x', age: 20 + n, status: n % 2 ? 'on' : 'off' }))
  await seeds.world.json([
    'seed',
    file(`${name}.json`, JSON.stringify({ collections: { [name]: { schema, documents } } })),
  ])
  const generate = (...words: string[]) => seeds.world.json(['seed', 'generate', name, '--random-seed', '7', ...words])

  await generate('--count', '20', '-o', 'one.ndjson')
  await generate('--count', '20', '-o', 'two.ndjson')
  await generate('--count', '5')

  const made = text('one.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(text('two.ndjson')).toBe(text('one.ndjson'))
  expect(made).toHaveLength(20)
  for (const one of made) {
    expect(one.age).toBeGreaterThanOrEqual(20)
    expect(one.age).toBeLessThanOrEqual(28)
    expect(['on', 'off']).toContain(one.status)
  }
  expect((await fields(name, '--limit', '100')).slice(9)).toEqual(made.slice(0, 5))
})

test('a collection without schema and documents is said to give nothing to go by', async () => {
  await seeds.world.json(['collections', 'create', `${seeds.own}empty`])

  const ran = await seeds.world.svc(['seed', 'generate', `${seeds.own}empty`])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('neither a schema nor documents') })
})

test('a required link without enough records to lead to is refused with the command that creates them', async () => {
  const [name, towns] = [`${seeds.own}homes`, `${seeds.own}towns`]
  await seeds.world.json(['collections', 'create', towns])
  await seeds.world.json(['collections', 'create', name, '--field', `in:link:${towns}!`])

  const ran = await seeds.world.svc(['seed', 'generate', name, '--count', '2'])

  expect(ran).toMatchObject({
    exit: 5,
    stderr:
      'error  Found 0 values for "in" of 2 documents, but it is required.\n' +
      `       Create what it links to: svc seed generate ${towns}\n`,
  })
})

test('a collection may be called users or files beside the parts of that name: references lead to its documents', async () => {
  await seeds.world.json(['reset', '--yes'])
  file('img/cover.png', 'a cover')
  const collections = {
    users: {
      documents: {
        // If two are written within a millisecond, the first has the smaller id: the one that is referred to.
        bob: { name: 'Bob', account: `\${users.ada.id}` },
        ada: { name: 'Ada', best: `\${collection:users.bob.id}` },
      },
    },
    files: { documents: { cover: { name: 'Cover' } } },
    posts: {
      documents: [
        {
          author: `\${collection:users.ada.id}`,
          by: `\${collection:users.ada.name} <\${users.ada.email}>`,
          kind: `\${collection:files.cover.id}`,
          picture: `\${files.cover.url}`,
        },
      ],
    },
  }
  const named = { files: { cover: 'img/cover.png' }, users: { ada: { email: 'ada@example.com' } }, collections }
  await seeds.world.json(['seed', file('named.json', JSON.stringify(named))])

  await seeds.world.json(['seed', 'export', '-o', 'named-one.json'])
  await seeds.world.json(['reset', '--yes'])
  const planted = await seeds.world.svc(['seed', 'named-one.json'])
  await seeds.world.json(['seed', 'export', '-o', 'named-two.json'])

  const content = JSON.parse(text('named-one.json'))
  const [post] = await fields('posts')
  const [ada, bob] = await usersByName()
  const [cover] = await seeds.listed('files')
  const { id: account } = (await seeds.world.json(['users', 'get', 'ada@example.com'])) as { id: string }
  expect(planted.exit).toBe(0)
  expect(text('named-two.json')).toBe(text('named-one.json'))
  expect(content.collections.posts.documents[0].author).toBe(`\${collection:users.ada.id}`)
  expect(content.collections.users.documents.bob.account).toBe(`\${users.ada.id}`)
  expect(post).toMatchObject({ author: ada?.id, by: 'Ada <ada@example.com>', kind: cover?.id })
  expect([ada?.data, bob?.data]).toMatchObject([
    { name: 'Ada', best: bob?.id },
    { name: 'Bob', account },
  ])
})

test('without such a part, users and files are collections as all others', async () => {
  await seeds.world.json(['reset', '--yes'])
  const collections = {
    users: { documents: { ada: { name: 'Ada', best: `\${users.bob.id}` }, bob: { name: 'Bob' } } },
    posts: { documents: [{ author: `\${users.ada.id}`, editor: `\${collection:users.bob.id}` }] },
  }

  const planted = await seeds.world.svc(['seed', file('plain-users.json', JSON.stringify({ collections }))])

  const [ada, bob] = await usersByName()
  expect(planted.exit).toBe(0)
  expect(ada?.data).toEqual({ name: 'Ada', best: bob?.id })
  expect(await fields('posts')).toEqual([{ author: ada?.id, editor: bob?.id }])
})

test('made-up documents of which some were created before a failure say how many, why, and how to go on', async () => {
  const name = `${seeds.own}cut`
  const rows = `${JSON.stringify({ title: 'Hello' })}\n`
  await seeds.world.json(['seed', file(`${name}.ndjson`, rows)])
  const { url, apiKey } = (await seeds.world.json(['status'])) as { url: string; apiKey: string }
  const proxy = await openHoldingProxy(url, 1)
  const generating = seeds.world.svc(['seed', 'generate', name, '--count', '1500', '--yes'], {
    env: { SVC_URL: proxy.url, SVC_API_KEY: apiKey },
  })
  await proxy.held
  const limited = ['--status', '429', '--retry-after', '1h', '--path', `/collections/${name}/**`]
  await seeds.world.json(['faults', 'add', 'status', ...limited])
  proxy.release()

  const ran = await generating

  proxy.close()
  expect(ran.exit).toBe(6)
  expect(ran.stderr).toContain('1,000 of 1,500 documents were created.')
  expect(ran.stderr).toContain(`svc seed generate ${name} --count 500 --url ${proxy.url}`)
})
