/** The command line with a key of few scopes against `svc serve`: what it refuses, with which code and hint. */
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, type Ran, type World } from '../cli/command-line.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

/** Is in all that a stranger may not read. */
const secret = 'S3CRET'

let serve: ServeWorld
let serving: Serving
let world: World
let project: ServedProject
let key: string
let ids: { readonly note: string; readonly vault: string; readonly person: string; readonly file: string }

beforeAll(async () => {
  ;[serve, world] = await Promise.all([openServeWorld(), openWorld()])
  serving = await serve.start()
  project = await serving.newProject()
  const { owner } = project
  const only = (role: string) => ({ create: [role], read: [role], update: [role], delete: [role] })
  await owner.collections.create({ name: 'notes', permissions: only('editor') })
  await owner.collections.create({ name: 'vault', permissions: only('admin') })
  await owner.collections.create({ name: 'people', permissions: { hidden: { title: [] }, readonly: { rank: [] } } })
  const create = async (name: string) => (await owner.collection(name).create({ title: secret, n: 1 })).id
  const { id: file } = await owner.files.upload(new File([secret], 'note.txt'))
  ids = { note: await create('notes'), vault: await create('vault'), person: await create('people'), file }
  const scopes = ['read:notes', 'read:people', 'write:people']
  key = (await serving.admin<{ key: string }>('POST', `/projects/${project.id}/keys`, { scopes })).key
})
afterAll(async () => {
  await world.close()
  await serve.close()
})

const as = (apiKey: string, words: readonly string[]): Promise<Ran> =>
  world.svc(words, { env: { SVC_URL: serving.url, SVC_API_KEY: apiKey } })

/** Attempts of a stranger, with exit code and message. `at` is for ids, which the owner creates first. */
type Way = readonly [words: (at: typeof ids) => string, exit: number, said: RegExp]

const scopeOf = (scope: string, collection: string) =>
  new RegExp(`scopes of the key do not include "${scope}" in "${collection}"`)
const roles = /Sign in as a user with permission to read documents in "notes"/
const isHidden = /"title" in "people" is hidden from you/
const isDevelopment = /No emulator runs in this folder\.\n.*does not use SVC_URL/
const notOwner = /is not the emulator of this folder\. You are the owner only of that one/

const ways: readonly Way[] = [
  [({ note }) => `docs get notes ${note}`, 3, roles],
  [({ vault }) => `docs get vault ${vault}`, 3, scopeOf('read', 'vault')],
  [() => 'docs list notes', 3, roles],
  [() => 'docs count vault', 3, scopeOf('read', 'vault')],
  [() => 'docs export vault --out -', 3, scopeOf('read', 'vault')],
  [() => 'docs list people', 0, /1 of 1 documents/],
  [() => 'docs export people', 0, /Exported 1 document /],
  [() => 'docs count people --where title__startswith=S3', 3, isHidden],
  [() => 'docs list people --sort title', 3, isHidden],
  [({ person }) => `docs update people ${person} title=Mine`, 3, isHidden],
  [({ person }) => `docs update people ${person} rank:=2`, 3, /"rank" in "people" is read-only for you/],
  [({ note }) => `docs delete notes ${note} --yes`, 3, scopeOf('write', 'notes')],
  [() => 'docs delete vault --all --yes', 3, scopeOf('read', 'vault')],
  [() => 'tail notes --timeout 0', 3, roles],
  [() => 'tail vault --timeout 0', 3, scopeOf('read', 'vault')],
  [() => 'tail people --since 0 --max 1 --timeout 30', 0, /1 event/],
  [() => 'tail --all --timeout 0', 8, isDevelopment],
  [() => 'collections get vault', 3, scopeOf('read', 'vault')],
  [() => 'collections check vault', 3, scopeOf('read', 'vault')],
  [() => 'collections permissions notes', 3, /You may not see the permissions of "notes"/],
  [() => 'collections permissions people --open hidden', 3, scopeOf('admin', 'people')],
  [() => 'collections delete people --yes', 3, scopeOf('admin', 'people')],
  [() => 'types generate vault --out types.ts', 3, scopeOf('read', 'vault')],
  [({ file }) => `files download ${file} --to files`, 3, /scopes of the key do not include "read"/],
  [() => 'files list', 3, /scopes of the key do not include "read"/],
  [() => 'users list', 3, /scopes of the key do not include "read"/],
  [() => 'users signup eve@example.com --password Correct4Horse', 3, /scopes of the key do not include "write"/],
  [() => 'users update ada@example.com --role admin', 3, notOwner],
  [() => 'docs list notes --as ada@example.com', 3, notOwner],
  [({ note }) => `docs transfer notes ${note} --no-owner`, 3, notOwner],
  [({ note }) => `docs history notes ${note}`, 8, isDevelopment],
  [() => 'seed export', 8, isDevelopment],
  [() => 'undo', 8, isDevelopment],
  [() => 'keys create --scope admin', 8, isDevelopment],
  [() => 'audit list', 8, isDevelopment],
  [() => 'requests list', 8, isDevelopment],
  [() => 'project key --secret', 8, isDevelopment],
  [() => 'open --print', 8, isDevelopment],
  [() => 'status', 8, isDevelopment],
]

describe('a stranger at the command line', () => {
  it('finds no way to what is not theirs, and each says why', { timeout: 600_000 }, async () => {
    const before = await everything()

    for (const [words, exit, said] of ways) {
      const line = words(ids)
      const ran = await as(key, line.split(' '))
      expect([line, ran.exit, ran.stderr]).toEqual([line, exit, expect.stringMatching(said)])
      expect(ran.stdout + ran.stderr, line).not.toContain(secret)
    }
    expect(await everything()).toBe(before)
  })

  it('is told where to see who may, and no command that would be refused as well', async () => {
    const [list, tail, permissions] = await Promise.all([
      as(key, ['docs', 'list', 'notes']),
      as(key, ['tail', 'notes', '--timeout', '0']),
      as(key, ['collections', 'permissions', 'notes']),
    ])
    const open = await as(key, ['docs', 'list', 'people', '--sort', 'title'])

    const withSecret = 'Show the permissions: SVC_API_KEY=svc_secret_… svc collections permissions notes'
    expect([list.stderr, tail.stderr]).toEqual(Array(2).fill(expect.stringContaining(withSecret)))
    expect(permissions.stderr).toContain('Use the secret key of the project: SVC_API_KEY=svc_secret_…')
    expect(open.stderr).toContain('Show the permissions: svc collections permissions people')
  })
})

describe('a user whose address is spelled wrong', () => {
  it('is taken for one of a similar name, not for any of the same domain', async () => {
    await project.owner.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })

    const [other, near] = [
      await as(project.secretKey, ['users', 'get', 'nosuch@example.com']),
      await as(project.secretKey, ['users', 'get', 'adda@exmaple.com']),
    ]

    expect(other.stderr).toMatch(/No user "nosuch@example.com"\.\n.*List them: svc users list/)
    expect(near.stderr).toContain('Did you mean "ada@example.com"?')
  })
})

describe('pull, push and diff by a key of few scopes', () => {
  beforeAll(async () => {
    await world.dev('--memory')
  })

  it('name the scope that is missing, and the key that it takes', async () => {
    const flags = ['--url', serving.url, '--key', key]
    const [unlisted, closed] = [
      await world.svc(['pull', 'vault', ...flags, '--yes']),
      await world.svc(['diff', 'notes', ...flags]),
    ]

    expect([unlisted.exit, unlisted.stderr]).toEqual([3, expect.stringMatching(scopeOf('read', 'vault'))])
    expect([closed.exit, closed.stderr]).toEqual([3, expect.stringMatching(roles)])
    expect(closed.stderr).toContain('Use the secret key, or name the collections that this key is for')
  })
})

describe('svc wait', () => {
  it('ends once svc serve is ready', async () => {
    expect(await world.json(['wait', '--url', serving.url])).toMatchObject({ url: serving.url })
  })

  it('speaks of the address where nothing answers there', async () => {
    const { exit, stderr } = await world.svc(['wait', '--url', `http://127.0.0.1:${await getPort()}`, '--timeout', '1'])

    expect([exit, stderr]).toEqual([7, expect.stringContaining('Check the address, and whether the service runs.')])
  })
})

/** All that the owner has, as text. */
async function everything(): Promise<string> {
  const { owner } = project
  const collections = await owner.collections.list()
  const lists = await Promise.all(collections.map(({ name }) => owner.collection(name).list()))
  // Changes get their numbers a moment after they are committed.
  const found = lists.map(({ items, total }) => ({ items, total }))
  return JSON.stringify([collections, found, await owner.files.list(), await owner.users.list()])
}
