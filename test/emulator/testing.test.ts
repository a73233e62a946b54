import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { startTestEmulator, type TestEmulator, type TestProject, testProject } from '../../emulator/testing/index.js'
import { hungMilliseconds } from '../cli/command-line.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

/** The reset link's token, as an app's page would read it. */
const tokenIn = (link = '') => new URL(link).searchParams.get('token') ?? ''

it('gives each test a project of its own, with its settings', async () => {
  const one = await emulator.newProject()
  const other = await emulator.newProject({ dialect: 'c' })
  await createClient(one).collections.create({ name: 'posts' })

  const answer = await fetch(`${other.url}/collections`, { headers: { 'x-api-key': other.apiKey } })

  expect((await createClient(one).collections.list()).map(({ name }) => name)).toEqual(['posts'])
  expect(await answer.json()).toEqual({ success: true, data: [] })
})

it('says why a project cannot be made', async () => {
  await expect(emulator.newProject({ dialect: 'z' })).rejects.toThrow(/could not be created: .*dialect/i)
})

it('has typed clients with the public and with the secret key, for the emulator as for each project', async () => {
  const project = await emulator.project<{ posts: { title: string } }>()
  const permissions = { create: ['editor'], read: ['editor'] }
  await project.secretClient.collections.create({ name: 'posts', permissions })

  const { id } = await project.secretClient.collection('posts').create({ title: 'Tea' })

  expect((await project.secretClient.collection('posts').get(id)).data.title).toBe('Tea')
  await expect(project.client.collection('posts').get(id)).rejects.toMatchObject({ status: 401 })
  expect(await emulator.client.collections.list()).toEqual([])
})

it('makes users with roles and acts as them', async () => {
  const project = await emulator.project({ requireVerifiedEmail: true })
  await project.secretClient.collections.create({ name: 'posts', permissions: { create: ['editor'] } })
  const editor = await project.users.create({ email: 'ada@example.com', roles: ['editor'], data: { name: 'Ada' } })
  const reader = await project.users.create()

  const [asEditor, asReader] = [await project.users.actAs(editor), await project.users.actAs(reader)]

  expect(await asEditor.collection('posts').create({ title: 'Tea' })).toMatchObject({ data: { title: 'Tea' } })
  await expect(asReader.collection('posts').create({ title: 'Tea' })).rejects.toMatchObject({ status: 403 })
  expect(await asEditor.auth.me()).toMatchObject({
    email: 'ada@example.com',
    emailVerified: true,
    data: { name: 'Ada' },
  })
})

it('tells which permissions no request has used, by collection, action and word', async () => {
  const [one, two] = [await emulator.project(), await emulator.project()]
  for (const { secretClient } of [one, two]) {
    await secretClient.collections.create({
      name: 'recipes',
      permissions: {
        read: ['authenticated'],
        create: ['editor', 'admin'],
        update: ['editor', 'owner'],
        delete: ['owner'],
      },
    })
  }
  const editor = await one.users.actAs(await one.users.create({ roles: ['editor'] }))
  const reader = await two.users.actAs(await two.users.create())
  const { id } = await editor.collection('recipes').create({ title: 'Tea' })
  await one.secretClient.collection('recipes').update(id, { title: 'Coffee' })
  await one.client
    .collection('recipes')
    .list()
    .catch(() => undefined)
  await reader
    .collection('recipes')
    .update(id, { title: 'Mine' })
    .catch(() => undefined)
  const ending = new AbortController()
  const subscription = reader.collection('recipes').subscribe({ signal: ending.signal })
  await subscription.ready
  ending.abort()

  const { hit, missed } = await emulator.permissionCoverage()

  const words = (permissions: typeof hit) =>
    permissions.flatMap(({ collection, permission, word }) => (collection === 'recipes' ? `${permission} ${word}` : []))
  expect(words(hit).sort()).toEqual(['create editor', 'read authenticated', 'update owner'])
  expect(words(missed).sort()).toEqual(['create admin', 'delete owner', 'update editor'])
})

it('makes users who log in with a second factor, and tells their code', async () => {
  const { client, users } = await emulator.project()
  const ada = await users.create({ twoFactor: true })

  const asked = await client.auth.logIn(ada.credentials)
  const signedIn = await client.auth.verifyCode({ email: ada.email, code: await users.code(ada) })

  expect(asked).toMatchObject({ requires2fa: true })
  expect(signedIn).toMatchObject({ user: { id: ada.id } })
})

it('waits for a mail by address and subject, and knows its link', async () => {
  const { client, users, mail } = await emulator.project()
  const [ada, grace] = [await users.create(), await users.create()]
  await client.auth.requestPasswordReset(ada.email)
  const waiting = mail.waitFor({ to: grace.email, subject: /password/i })
  await client.auth.requestPasswordReset(grace.email)

  const { link, to } = await waiting
  await client.auth.resetPassword({ token: tokenIn(link), newPassword: 'New4Horses!' })

  expect(to).toBe(grace.email)
  expect(await client.auth.logIn({ email: grace.email, password: 'New4Horses!' })).toMatchObject({
    user: { id: grace.id },
  })
})

it('says which mails there are where none fits', async () => {
  const { client, users, mail } = await emulator.project()
  const ada = await users.create()
  await client.auth.requestPasswordReset(ada.email)

  const waiting = mail.waitFor({ to: ada.email, subject: 'Your invoice', timeout: 50 })

  await expect(waiting).rejects.toThrow(/subject "Your invoice" arrived within 50 ms.*\n {2}".*password.*" to user-/i)
  await mail.clear()
  await expect(mail.waitFor({ timeout: 0 })).rejects.toThrow('The project has no mail.')
})

it('lets the next logins through the provider fail, of one project only', async () => {
  const [one, other] = [await emulator.project(), await emulator.project()]
  const logIn = async ({ client, idp }: TestProject) =>
    client.auth.finishLogin(await idp.logIn(await client.auth.startLogin(), 'grace'))
  await one.idp.next('no-email')

  const failed = await logIn(one)
  const elsewhere = await logIn(other)
  const next = await logIn(one)

  expect(failed).toEqual({ error: 'no_email_provided' })
  for (const result of [elsewhere, next]) expect(result).toMatchObject({ user: { email: 'grace@example.com' } })
})

it('empties a project and leaves its keys', async () => {
  const project = await emulator.project()
  await project.client.collections.create({ name: 'posts' })
  await project.client.collection('posts').create({ title: 'Tea' })
  await project.users.create()

  await project.reset({ users: true })
  const kept = await project.client.collection('posts').list()
  await project.reset()

  expect(kept.items).toHaveLength(1)
  expect(await project.client.collections.list()).toEqual([])
})

it('contract 6.7 makes users of a project whose sign-up asks for a second factor', async () => {
  const { users, secretClient } = await emulator.project({ require2fa: true })

  const { id, credentials } = await users.create({ email: ' Rosa@example.com ', roles: ['editor'] })

  expect(await secretClient.users.get(id)).toMatchObject({
    email: 'Rosa@example.com',
    roles: ['editor'],
    emailVerified: true,
  })
  expect(credentials.email).toBe(' Rosa@example.com ')
})

it('shows what happens in a project as it happens', async () => {
  const { id, control, users } = await emulator.project()
  const kinds: unknown[] = []

  for await (const event of control.events.stream({ project: id, kinds: 'user' })) {
    kinds.push(Object(event).kind)
    if (kinds.length === 1) await users.create()
    else break
  }

  expect(kinds).toEqual(['stream.opened', 'user.created'])
})

it('is filled by a function at its start, and closed if that fails', async () => {
  const seed = async ({ client }: TestProject) => {
    await client.collections.create({ name: 'posts' })
  }

  await using own = await startTestEmulator({ seed, settings: { tokenTtl: 60 } })

  expect(await own.client.collections.list()).toMatchObject([{ name: 'posts' }])
  await expect(startTestEmulator({ seed: () => Promise.reject(new Error('no seed')) })).rejects.toThrow('no seed')
})

it('begins with a file of a snapshot, and says what is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-snapshot-'))
  const [file, other] = [join(folder, 'tea.tar'), join(folder, 'other.tar')]
  await emulator.client.collections.create({ name: 'teas' })
  await emulator.control.snapshots.save({ project: emulator.id, name: 'tea' })
  const address = `${emulator.url}/_svc/api/projects/${emulator.id}/snapshots/tea/file`
  const headers = { 'svc-control-token': emulator.env.SVC_CONTROL_TOKEN ?? '' }
  await writeFile(file, new Uint8Array(await (await fetch(address, { headers })).arrayBuffer()))
  await writeFile(other, 'something else')

  await using own = await startTestEmulator({ snapshot: file })

  expect((await own.client.collections.list()).map(({ name }) => name)).toEqual(['teas'])
  await expect(startTestEmulator({ snapshot: other })).rejects.toThrow(
    /Could not load snapshot ".*other\.tar": .*INVALID_SNAPSHOT/,
  )
  await emulator.reset()
  await rm(folder, { recursive: true })
})

it('is filled from seed files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-seeded-'))
  const seed = join(folder, 'seed.json')
  await writeFile(seed, '{"collections":{"posts":{"documents":[{"title":"Tea"}]}}}')

  await using own = await startTestEmulator({ seed })

  await rm(folder, { recursive: true })
  expect((await own.client.collection('posts').list()).items).toMatchObject([{ data: { title: 'Tea' } }])
})

it('fills the project of one test from seed files, at the emulator of the run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-seeded-'))
  const seed = join(folder, 'seed.json')
  await writeFile(seed, '{"collections":{"posts":{"documents":[{"title":"Tea"}]}}}')
  vi.stubEnv('SVC_URL', emulator.url)
  for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value)

  const [filled, empty] = [await testProject({ seed, requireVerifiedEmail: true }), await testProject()]

  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
  expect((await filled.client.collection('posts').list()).items).toMatchObject([{ data: { title: 'Tea' } }])
  expect(await empty.client.collections.list()).toEqual([])
})

it('brings a project back to how it was, as often as a test wants', async () => {
  const { client, snapshot, users } = await emulator.project()
  await client.collections.create({ name: 'posts' })
  await client.collection('posts').create({ title: 'Tea' })
  const before = await snapshot()

  for (const title of ['Coffee', 'Milk']) {
    await client.collection('posts').create({ title })
    await users.create()
    await before.load()
  }

  expect((await client.collection('posts').list()).items).toMatchObject([{ data: { title: 'Tea' } }])
  expect((await client.users.list()).items).toEqual([])
  await before.remove()
  await expect(before.load()).rejects.toMatchObject({ status: 404 })
})

it('lets a process end that forgets to close it, whatever it was used for', async () => {
  const built = fileURLToPath(new URL('../../dist/emulator/testing/index.js', import.meta.url))
  const script = `
    import { startTestEmulator } from ${JSON.stringify(built)}
    const emulator = await startTestEmulator()
    const { users, client } = await emulator.project()
    await client.auth.logIn((await users.create()).credentials)
    console.log('done')`

  const folder = await mkdtemp(join(tmpdir(), 'svc-forgetful-'))
  await writeFile(join(folder, 'forgetful.mjs'), script)

  const ran = await execa(process.execPath, ['forgetful.mjs'], {
    cwd: folder,
    reject: false,
    timeout: hungMilliseconds,
  })

  await rm(folder, { recursive: true })
  expect(ran).toMatchObject({ stdout: 'done', stderr: '', exitCode: 0 })
})

it('says how to start an emulator where none was started for the run', async () => {
  expect(() => testProject()).toThrow(/svc-toolkit\/testing\/global-setup.*svc exec/)
})

it('speaks for itself, whatever an environment for pages has put in the place of fetch', async () => {
  const fetchOfPage = vi.fn(() => Promise.reject(new Error('The page has no such origin.')))
  vi.stubGlobal('fetch', fetchOfPage)
  try {
    const { mail, idp, clock } = await emulator.project()

    expect([await mail.list(), (await idp.accounts()).length, (await clock.now()) > new Date(0)]).toEqual([[], 4, true])
    expect(fetchOfPage).not.toHaveBeenCalled()
  } finally {
    vi.unstubAllGlobals()
  }
})

// Last, because all projects have this clock.
it('moves the clock', async () => {
  const { clock } = emulator
  const before = await clock.now()

  const after = await clock.advance({ hours: 25, minutes: 1 })

  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(25 * 3_600_000 + 60_000)
  expect((await clock.set('2030-01-31T12:00:00Z')).toISOString()).toMatch(/^2030-01-31T12:00/)
  expect((await clock.reset()).getTime()).toBeLessThan(after.getTime())
})
