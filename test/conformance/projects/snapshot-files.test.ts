/** Snapshots as files, out of one project and into another one. Contract 11. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { aProject, service } from '../../fixtures/service.js'

const email = 'ada@example.com'
const password = 'Correct4Horse'
const secret = 'told-in-confidence'

/** A project with documents, a user and files, and a snapshot of it. */
async function aSavedProject() {
  const { id: project, ...keys } = await aProject({ idp: { IDP_CLIENT_ID: 'shop', IDP_CLIENT_SECRET: secret } })
  const owner = createClient({ url: service.url, apiKey: keys.secretKey })
  const app = createClient({ url: service.url, apiKey: keys.apiKey })
  await owner.collections.create({ name: 'posts' })
  const texts = Array.from({ length: 200 }, (_, n) => ({ n, text: `“${'ü\\"\n'.repeat(200)}”` }))
  await owner.collection('posts').createMany(texts)
  const note = await owner.collection('posts').create({ cover: new File(['cover'], 'cover.txt') })
  await owner.files.upload(new File([], 'empty.txt'))
  await app.auth.signUp({ email, password })
  await control.snapshots.save({ project, name: 'demo', branch: 'main' })
  return { project, ...keys, owner, app, note }
}

type SavedProject = Awaited<ReturnType<typeof aSavedProject>>

async function stateOf({ owner }: SavedProject) {
  return [
    await owner.collections.list(),
    (await owner.collection('posts').list({ limit: 100 })).items,
    await owner.users.list(),
    await owner.files.list(),
  ]
}

const headers = { 'svc-control-token': service.controlToken }
const placeOf = (project: string) => `${service.url}/_svc/api/projects/${project}`

async function exported({ project }: SavedProject, query = ''): Promise<Buffer> {
  const answer = await fetch(`${placeOf(project)}/snapshots/demo/file${query}`, { headers })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

async function imported({ project }: SavedProject, bytes: Uint8Array, name = 'again') {
  const init = { method: 'POST', headers, body: Buffer.from(bytes) }
  const answer = await fetch(`${placeOf(project)}/snapshot-file?name=${encodeURIComponent(name)}`, init)
  return { status: answer.status, body: JSON.parse(await answer.text()), code: answer.headers.get('svc-error-code') }
}

test('contract 11 an exported snapshot is imported and loaded, whatever became of its origin', async () => {
  const world = await aSavedProject()
  const { project, owner, app, note } = world
  const before = await stateOf(world)
  const file = await exported(world)
  await control.snapshots.remove({ project, snapshot: 'demo' })
  await control.projects.reset({ project })
  await expect.poll(async () => (await fetch(String(note.data.cover))).status).toBe(404)

  const { status, body } = await imported(world, file)
  const loaded = await control.snapshots.load({ project, snapshot: 'again' })

  expect(status).toBe(201)
  expect(body).toMatchObject({ name: 'again', branch: 'main', documents: 201, users: 1, files: 2 })
  expect(await stateOf(world)).toEqual(before)
  expect(await (await fetch(String(note.data.cover))).text()).toBe('cover')
  expect(await owner.collection('posts').count()).toBe(201)
  expect(await app.auth.logIn({ email, password })).toHaveProperty('token')
  expect(loaded).toMatchObject({ missing: ['IDP_CLIENT_SECRET'], lacking: [] })
})

test('contract 11 an export has no secret of a provider and no session, unless they are asked for', async () => {
  const world = await aSavedProject()
  const { project, app } = world

  const [without, withSecrets] = [await exported(world), await exported(world, '?secrets=true')]
  await control.projects.update({ project, settings: { idp: { IDP_CLIENT_ID: '', IDP_CLIENT_SECRET: '' } } })
  await imported(world, without, 'without')
  await imported(world, withSecrets, 'with')
  const { lacking } = await control.snapshots.load({ project, snapshot: 'without' })
  const after = await app.auth.me().catch(({ code }) => code)

  expect([without.includes(secret), withSecrets.includes(secret)]).toEqual([false, true])
  expect([without.includes('rows/sessions/'), withSecrets.includes('rows/sessions/')]).toEqual([false, true])
  expect(lacking).toEqual(['IDP_CLIENT_SECRET'])
  expect(after).toBe('INVALID_TOKEN')
  expect(await control.snapshots.load({ project, snapshot: 'with' })).toMatchObject({ missing: [], lacking: [] })
})

test('contract 11 an export has no key that signs tokens, unless secrets are asked for', async () => {
  const world = await aSavedProject()
  const hasKey = (file: Buffer) => /"token_secret": ?"[^"]+"/.test(file.toString('latin1'))

  expect(hasKey(await exported(world))).toBe(false)
  expect(hasKey(await exported(world, '?secrets=true'))).toBe(true)
})

test('contract 11 an export is a tar file whose sums others can check', async () => {
  const world = await aSavedProject()
  const folder = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  writeFileSync(join(folder, 'demo.tar'), await exported(world))

  execFileSync('tar', ['-xf', 'demo.tar'], { cwd: folder })
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')

  expect(sums[0]).toContain('snapshot.json')
  for (const line of sums) expect(line).toBe(`${hashOf(line.slice(66))}  ${line.slice(66)}`)
  rmSync(folder, { recursive: true })
})

test('contract 11 a damaged, cut or foreign file is refused, and changes nothing', async () => {
  const world = await aSavedProject()
  const file = await exported(world)
  const flipped = (at: number) => {
    const bytes = Buffer.from(file)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const renamed = Buffer.from(file.toString('latin1').replace('snapshot.json', 'snapshot.jsn\0'), 'latin1')
  const newer = Buffer.from(file.toString('latin1').replace('"version":1', '"version":2'), 'latin1')
  const files = [
    flipped(file.indexOf('cover.txt')),
    flipped(600),
    flipped(file.lastIndexOf('cover') + 1),
    file.subarray(0, file.length - 2_000),
    file.subarray(0, 100_000 - 17),
    Buffer.from('PK\u0003\u0004 some other file'),
    Buffer.alloc(0),
    Buffer.alloc(10_240),
    renamed,
    newer,
  ]

  for (const bytes of files) {
    const { status, code } = await imported(world, bytes)
    expect([status, code]).toEqual([422, 'INVALID_SNAPSHOT'])
  }

  const { snapshots } = await control.snapshots.list(world)
  expect(snapshots.map(({ name }) => name)).toEqual(['demo'])
})

test('contract 11 a file from before version 100 of the database is refused by the name of the last version that reads it', async () => {
  const world = await aSavedProject()
  const file = await exported(world)
  const older = Buffer.from(file.toString('latin1').replace(/"schema":\d{3}/, '"schema": 99'), 'latin1')

  const { status, body } = await imported(world, older)

  expect([status, body]).toMatchObject([
    422,
    { error: { message: 'Not a valid snapshot: svc-toolkit 0.1.0 is the last version that reads it.' } },
  ])
})

test('contract 11 an import takes no name that is taken, and none that is a path', async () => {
  const world = await aSavedProject()
  const file = await exported(world)

  expect(await imported(world, file, 'demo')).toMatchObject({ status: 409, code: 'SNAPSHOT_EXISTS' })
  expect(await imported(world, file, '../demo')).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' })
})

test('contract 11 what another project of the emulator has is not loaded beside it', async () => {
  const world = await aSavedProject()
  const { id: project } = await aProject()
  await imported({ ...world, project }, await exported(world))

  const refused = await control.snapshots.load({ project, snapshot: 'again' }).catch(({ code }) => code)

  expect(refused).toBe('FORBIDDEN')
  expect(await world.owner.collection('posts').count()).toBe(201)
})

test('contract 11 a row is parsed as it is read later, and other bytes are refused before they are all there', async () => {
  const world = await aSavedProject()
  const { project, owner } = world
  await owner.collections.create({
    name: 'ruled',
    schema: { title: { type: 'string', required: true }, n: { type: 'number', default: 1 } },
    permissions: { read: ['authenticated'], hidden: { n: ['admin'] }, readonly: { title: ['admin'] } },
  })
  await control.snapshots.remove({ project, snapshot: 'demo' })
  await control.snapshots.save({ project, name: 'demo' })
  const file = await exported(world, '?secrets=true')
  const cases: readonly (readonly [part: string, from: RegExp, to: string])[] = [
    ['projects', /"settings":\s*\{.*?\}(?=,"created_at)/, '"settings":{"dialect":5}'],
    ['projects', /"settings":\s*\{.*?\}(?=,"created_at)/, '"settings":[]'],
    ['collections', /"read":\s*\["authenticated"\]/, '"read":"everyone"'],
    ['collections', /"type":\s*"string"/, '"type":"strange"'],
    ['users', /"roles":\s*\[\]/, '"roles":"admin"'],
    ['users', /"data":\s*\{\}/, '"data":[]'],
    ['user_secrets', /"recovery_hashes":\s*\[\]/, '"recovery_hashes":{}'],
  ]

  expect((await imported(world, file, 'whole')).status).toBe(201)
  for (const [part, from, to] of cases) {
    const { code, body } = await imported(world, rewritten(file, part, from, to))
    expect([code, body.error.message]).toEqual(['INVALID_SNAPSHOT', expect.stringContaining(`a row of "${part}"`)])
  }

  let sent = 0
  const body = new ReadableStream({
    async pull(controller) {
      if (sent++ > 10_000) controller.close()
      else controller.enqueue(new Uint8Array(4_096).fill(65))
    },
  })
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  const early = await fetch(`${placeOf(project)}/snapshot-file`, init)
  expect([early.headers.get('svc-error-code'), sent < 10_000]).toEqual(['INVALID_SNAPSHOT', true])
})

/** The archive with other rows in a part, and the sums and sizes that go with them. */
function rewritten(file: Buffer, part: string, from: RegExp, to: string): Buffer {
  const blocks: Buffer[] = []
  let sums = ''
  for (let at = 0; at + 512 <= file.length && file[at] !== 0; ) {
    const header = Buffer.from(file.subarray(at, at + 512))
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8)
    let content = file.subarray(at + 512, at + 512 + size)
    at += 512 + Math.ceil(size / 512) * 512
    if (name.startsWith(`rows/${part}/`)) {
      const text = content.toString()
      expect(text).toMatch(from)
      content = Buffer.from(text.replace(from, to))
    }
    if (name === 'SHA256SUMS') content = Buffer.from(sums)
    else sums += `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
    header.write(content.length.toString(8).padStart(11, '0'), 124)
    header.fill(' ', 148, 156)
    header.write(
      `${[...header]
        .reduce((all, byte) => all + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    blocks.push(header, content, Buffer.alloc((512 - (content.length % 512)) % 512))
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
