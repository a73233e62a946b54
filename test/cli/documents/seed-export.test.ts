/** Existing data exported as a seed, and generated data. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, fields } = seeds
const at = (name: string) => join(seeds.world.folder, name)
const text = (name: string) => readFileSync(at(name), 'utf8')

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
  await seeds.world.json(['seed', 'export', '-o', 'again/one.json'])
  const login = await seeds.world.svc(['users', 'login', 'ada@example.com', '--password', 'Correct4Horse'])

  expect(exported).toMatchObject({ collections: 2, documents: 2, users: 2, files: 2 })
  expect(text('again/one.json')).toBe(text('out/one.json'))
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
