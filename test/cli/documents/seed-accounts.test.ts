/** Users and files of a seed, and documents that reference them. */
import { expect, test } from 'vitest'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, listed, fields } = seeds
const password = 'Correct4Horse'
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const blog = (own: string) => ({
  files: { cover: { file: 'img/cover.png', path: 'covers' }, avatar: { file: 'img/ada.png', owned: true } },
  users: {
    ada: {
      email: `${own}ada@example.com`,
      password,
      roles: ['editor'],
      verified: true,
      twoFactor: secret,
      data: { name: 'Ada', avatar: `\${files.avatar.url}` },
    },
    bob: { email: `${own}bob@example.com`, identity: { provider: 'google', subject: `${own}bob` } },
  },
  collections: {
    [`${own}posts`]: {
      permissions: { create: ['editor'] },
      documents: { hello: { title: 'Hello', author: `\${users.ada.id}`, cover: `\${files.cover.url}` } },
    },
  },
})

function write(content: object) {
  file('img/cover.png', 'a cover')
  file('img/ada.png', 'a face')
  return file(`${seeds.own}.json`, JSON.stringify(content))
}

const users = async () => {
  const page = await seeds.world.json(['users', 'list', '--limit', '100'])
  const { items } = page as { items: { id: string; email: string; data: Record<string, string> }[] }
  return items.filter(({ email }) => email.startsWith(seeds.own))
}

test('a seed has users with passwords, roles and two-factor login, and documents that refer to them', async () => {
  const seed = write(blog(seeds.own))

  const planted = await seeds.world.json(['seed', seed])
  const [ada] = (await users()).filter(({ email }) => email.includes('ada'))
  const login = ['users', 'login', `${seeds.own}ada@example.com`, '--password', password]
  const asked = await seeds.world.svc(login)
  const { code } = (await seeds.world.json(['users', '2fa', 'code', ada?.email ?? ''])) as { code: string }
  const loggedIn = await seeds.world.json([...login, '--code', code])

  expect(planted).toEqual([
    { file: seed, collection: 'users', created: 2, updated: 0, kept: 0 },
    { file: seed, collection: 'files', created: 2, updated: 0, kept: 0 },
    { file: seed, collection: `${seeds.own}posts`, created: 1, updated: 0, kept: 0 },
  ])
  expect(ada).toMatchObject({ roles: ['editor'], emailVerified: true, data: { name: 'Ada' } })
  expect((await listed(`${seeds.own}posts`))[0]?.data).toMatchObject({ title: 'Hello', author: ada?.id })
  expect(asked.exit).not.toBe(0)
  expect(loggedIn).toMatchObject({ user: { id: ada?.id } })
})

test('files beside a seed can be fetched where documents and users say, and one that is owned goes with its user', async () => {
  await seeds.world.json(['seed', write(blog(seeds.own))])
  const [post] = await fields(`${seeds.own}posts`)
  const [ada] = (await users()).filter(({ email }) => email.includes('ada'))
  const read = async (url: unknown) => {
    const answer = await fetch(String(url))
    return answer.ok ? answer.text() : answer.status
  }
  const [cover, face] = [await read(post?.cover), await read(ada?.data.avatar)]

  await seeds.world.svc(['users', 'delete', ada?.id ?? '', '--yes'])

  expect([cover, face]).toEqual(['a cover', 'a face'])
  expect(await read(ada?.data.avatar)).toBe(404)
  expect(await read(post?.cover)).toBe('a cover')
})

test('seeding again keeps users and files, and --upsert brings users up to date and takes a changed file', async () => {
  const seed = write(blog(seeds.own))
  await seeds.world.json(['seed', seed])
  const [before] = await fields(`${seeds.own}posts`)
  const changed = blog(seeds.own)
  Object.assign(changed.users.ada, {
    roles: ['admin'],
    data: { city: 'London', avatar: changed.users.ada.data.avatar },
  })

  const again = await seeds.world.json(['seed', seed])
  write(changed)
  file('img/cover.png', 'another cover')
  const upserted = await seeds.world.json(['seed', seed, '--upsert'])
  const [ada] = (await users()).filter(({ email }) => email.includes('ada'))
  const [after] = await fields(`${seeds.own}posts`)

  expect(again).toMatchObject([{ kept: 2 }, { kept: 1 }, { kept: 1 }])
  expect(upserted).toMatchObject([{ updated: 2 }, { updated: 1 }, { updated: 1 }])
  expect(ada).toMatchObject({ roles: ['admin'], data: { name: 'Ada', city: 'London' } })
  expect(after?.cover).not.toBe(before?.cover)
  expect(await (await fetch(String(after?.cover))).text()).toBe('another cover')
})

const mistakes: readonly (readonly [what: string, content: string, said: RegExp])[] = [
  [
    'a key of a user that nothing reads',
    '{"users": {\n"ada": {"email": "a@x.org",\n"pass": "x"}}}',
    /:3: unknown "pass" in "users\.ada"/,
  ],
  [
    'a weak password',
    '{"users": {\n"ada": {"email": "weak@x.org", "password": "short"}}}',
    /:2: "users\.ada": A password needs/,
  ],
  [
    'a file outside of the folder',
    '{"files": {\n"hosts": "../hosts"}}',
    /:2: "\.\.\/hosts" is outside the folder of the seed/,
  ],
  ['a file that is not there', '{"files": {\n"cover": "none.png"}}', /:2: file "none\.png" does not exist/],
  ['a type that no schema has', '{"collections": {\n"bad": {"schema": {"n": {"type": "int"}}}}}', /:2: "bad": .*type/],
  [
    'a user who is not there',
    `{"users": {"ada": {"email": "nobody@x.org"}}, "collections": {"bad": {"documents": [\n{"who": "\${users.bob.id}"}]}}}`,
    /:2: "0" refers to \$\{users\.bob\.id\}, but this user does not exist/,
  ],
]

test.each(mistakes)('%s is named with file and line, and nothing is written', async (_what, content, said) => {
  const ran = await seeds.world.svc(['seed', file(`${seeds.own}.json`, content)])

  expect(ran).toMatchObject({ exit: 5, stdout: '', stderr: expect.stringMatching(said) })
  expect((await seeds.world.svc(['users', 'get', 'nobody@x.org'])).exit).toBe(4)
  expect((await seeds.world.svc(['collections', 'get', 'bad'])).exit).toBe(4)
})

test('a hosted service is said to take no users, before anything is written', async () => {
  const { url } = (await seeds.world.json(['status'])) as { url: string }
  const elsewhere = { SVC_URL: url.replace('127.0.0.1', 'localhost'), SVC_API_KEY: 'svc_other' }

  const ran = await seeds.world.svc(['seed', write(blog(seeds.own))], { env: elsewhere })

  expect(ran).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('only an emulator can be seeded with users and files'),
  })
})
