/** Bulk writes at a hosted service save what they change first, and the command that they print brings it back. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { settledDocuments } from '../../../cli/backups/settled-documents.js'
import type { Client } from '../../../client/index.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import { openDeployedService } from '../../fixtures/requests/deployed-service.js'
import { openTwoServices, staging, type TwoServices } from '../sync/two-services.js'

let services: TwoServices
let folder: string
beforeAll(async () => {
  services = await openTwoServices()
  folder = join(services.world.folder, '.svc', 'backups')
  const { world, url, secretKey } = services
  for (const dialect of ['b', 'c']) {
    await world.svc(['profiles', 'add', dialect, '--url', url, '--key', secretKey, '--dialect', dialect])
  }
})
afterAll(() => services.close())
beforeEach(() => rmSync(folder, { recursive: true, force: true }))

const rows: JsonObject[] = [
  { title: 'one', views: 1, tags: ['a'] },
  { title: 'two', views: 2, status: 'draft' },
  { title: 'three', views: 3, tags: [], nested: { deep: [1, null] } },
]

let count = 0
/** A collection of both services' hosted one, with the rows in it. */
async function fill(client: Client = services.there) {
  const name = `posts${++count}`
  await client.collections.create({ name, schema: { title: { type: 'string', required: true } } })
  await client.collection(name).createMany(rows)
  return name
}

async function all(name: string, client: Client = services.there) {
  const found: { id: string; data: object }[] = []
  for await (const { id, data } of client.collection(name).iterate()) found.push({ id, data })
  return found.sort((one, other) => (one.id < other.id ? -1 : 1))
}

const byText = (found: readonly { data: object }[]) => found.map(({ data }) => JSON.stringify(data)).sort()

/** Runs the commands that a command printed. */
async function bringBack(stderr: string) {
  const [, printed = ''] = /Restore: (.*)$/m.exec(stderr) ?? []
  const commands = printed.split(' && ').map((command) => command.split(' ').slice(1))
  const runs = []
  for (const words of commands) runs.push(await services.world.svc([...words, '--yes']))
  return runs
}

const isRun = expect.objectContaining({ exit: 0 })

it('the printed command names the profile that the environment named', async () => {
  const name = await fill()
  const before = await all(name)
  const env = { SVC_PROFILE: 'staging' }

  const { stderr } = await services.world.svc(['docs', 'delete', name, '--all', '--yes'], { env })

  expect(stderr).toMatch(/^Saved .* Restore: .* --profile staging$/m)
  expect(await bringBack(stderr)).toEqual([isRun])
  expect(byText(await all(name))).toEqual(byText(before))
})

describe.each(['staging', 'b', 'c'])('through the profile %s', (profile) => {
  const to = ['--profile', profile, '--yes']

  it('docs delete --all is taken back by the command that it prints', async () => {
    const name = await fill()
    const before = await all(name)

    const { exit, stderr } = await services.world.svc(['docs', 'delete', name, '--all', ...to])

    expect({ exit, left: await all(name) }).toEqual({ exit: 0, left: [] })
    expect(stderr).toMatch(/^Saved 3 documents to \.svc\/backups\/[\w.-]+, without ids, times, passwords, files /m)
    expect(await bringBack(stderr)).toEqual([isRun])
    expect(byText(await all(name))).toEqual(byText(before))
  })

  it.each([
    ['a field that some documents lack', ['status=done', 'views:=9']],
    ['items of arrays', ['--append', 'tags=new', '--remove', 'tags=a', 'title=x']],
  ])('docs update of %s is taken back by the command that it prints', async (_, changes) => {
    const name = await fill()
    const before = await all(name)
    const posts = services.there.collection(name)

    const ran = await services.world.svc(['docs', 'update', name, '--where', 'views__gte=1', ...changes, ...to])

    expect(ran.exit).toBe(0)
    expect(byText(await all(name))).not.toEqual(byText(before))
    expect(await bringBack(ran.stderr)).toEqual([isRun])
    expect(await all(name)).toEqual(before)
    // A document that somebody changed afterwards is not written over.
    const again = await services.world.svc(['docs', 'update', name, '--all', 'title=y', ...to])
    await posts.update(before[0]?.id ?? '', { title: 'later' })
    expect(await bringBack(again.stderr)).toEqual([expect.objectContaining({ exit: 5 })])
    expect((await all(name)).map(({ data }) => (data as { title: string }).title)).toEqual(['later', 'two', 'three'])
  })

  it('docs migrate is taken back by the command that it prints', async () => {
    const name = await fill()
    const before = await all(name)
    const module = join(services.world.folder, 'migration.mjs')
    writeFileSync(module, 'export default ({ data: { tags, ...data } }) => ({ ...data, count: data.views * 2 })')

    const ran = await services.world.svc(['docs', 'migrate', name, module, ...to], { env: { SVC_TRUST_CODE: '1' } })

    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('Saved 3 documents to') })
    expect(byText(await all(name))).not.toEqual(byText(before))
    expect(await bringBack(ran.stderr)).toEqual([isRun])
    expect(await all(name)).toEqual(before)
  })

  it('docs batch is taken back by the command that it prints, also where several lines are about one document', async () => {
    const name = await fill()
    const before = await all(name)
    const [one, two, three] = before.map(({ id }) => id)
    const file = join(services.world.folder, 'ops.ndjson')
    const operations = [
      { op: 'update', id: one, data: { views: 10, added: true } },
      { op: 'update', id: one, data: { views: 11 } },
      { op: 'update', id: two, data: { title: 'to be deleted' } },
      { op: 'delete', id: two },
      { op: 'replace', id: three, data: { title: 'replaced' } },
    ]
    writeFileSync(file, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''))

    const ran = await services.world.svc(['docs', 'batch', name, '-f', file, ...to])

    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('Saved 3 documents to') })
    expect(await bringBack(ran.stderr)).toEqual([isRun])
    expect(byText(await all(name))).toEqual(byText(before))
    expect((await all(name)).map(({ id }) => id)).toEqual(expect.arrayContaining([one, three]))
  })
})

it('collections delete is taken back with its schema and permissions', async () => {
  const name = await fill()
  const before = await all(name)
  await services.there.collections.update(name, { permissions: { read: ['editor'] } })

  const { exit, stderr } = await services.world.svc(['collections', 'delete', name, ...staging])

  expect(exit).toBe(0)
  await expect(services.there.collections.get(name)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await bringBack(stderr)).toEqual([isRun, isRun])
  expect(await services.there.collections.get(name)).toMatchObject({
    schema: { title: { type: 'string', required: true } },
    permissions: { read: ['editor'] },
  })
  expect(byText(await all(name))).toEqual(byText(before))
})

it('several documents and files that are deleted by their ids are saved, too', async () => {
  const name = await fill()
  const [first, second] = await all(name)
  const stored = []
  for (const title of ['a.txt', 'b.txt']) stored.push(await services.there.files.upload(new File([title], title)))

  const documents = await services.world.svc([
    'docs',
    'delete',
    name,
    String(first?.id),
    String(second?.id),
    ...staging,
  ])
  const files = await services.world.svc(['files', 'delete', ...stored.map(({ id }) => id), ...staging])

  expect(documents).toMatchObject({ exit: 0, stderr: expect.stringContaining('Saved 2 documents to') })
  expect(files).toMatchObject({ exit: 0, stderr: expect.stringContaining('Saved 2 files to') })
  expect(await bringBack(documents.stderr)).toEqual([isRun])
  expect(await all(name)).toHaveLength(3)
})

it('files delete --folder is taken back with bytes and folders', async () => {
  const { there, world } = services
  for (const [title, path] of [
    ['a.txt', 'albums'],
    ['b.txt', 'albums/2026'],
    ['c.txt', 'others'],
  ] as const)
    await there.files.upload(new File([title], title), { path })
  const list = async () =>
    (await there.files.list({ path: 'albums' })).items.map(({ name, path }) => `${path}/${name}`).sort()

  const { exit, stderr } = await world.svc(['files', 'delete', '--folder', 'albums', ...staging])

  expect({ exit, left: await list() }).toEqual({ exit: 0, left: [] })
  expect(await bringBack(stderr)).toEqual([isRun])
  expect(await list()).toEqual(['albums/2026/b.txt', 'albums/a.txt'])
  const [file] = (await there.files.list({ path: 'albums/2026' })).items
  expect(await (await there.files.download(String(file?.url))).text()).toBe('b.txt')
})

it('only the user may read a backup, and git ignores it', async () => {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const name = await fill()

  await services.world.svc(['docs', 'delete', name, '--all', ...staging])

  const [file = ''] = readdirSync(folder).filter((one) => one.endsWith('.ndjson'))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
})

it('--no-backup saves nothing, and neither does the emulator of the folder', async () => {
  const there = await fill()
  const here = await fill(services.here)

  const without = await services.world.svc(['docs', 'delete', there, '--all', '--no-backup', ...staging])
  const own = await services.world.svc(['docs', 'delete', here, '--all', '--yes'])

  expect([without.exit, own.exit]).toEqual([0, 0])
  expect(without.stderr + own.stderr).not.toContain('.svc/backups')
  expect(() => readdirSync(folder)).toThrow('ENOENT')
})

it.each([
  ['a file', () => writeFileSync(folder, ''), 'BACKUP_FAILED'],
  ['a link', () => symlinkSync(services.world.folder, folder), 'IS_LINK'],
])('nothing is written where the backup cannot be, since %s is in the place of its folder', async (_, take, code) => {
  const name = await fill()
  const before = await all(name)
  mkdirSync(join(folder, '..'), { recursive: true })
  take()

  for (const words of [
    ['docs', 'delete', name, '--all'],
    ['docs', 'update', name, '--all', 'title=x'],
    ['collections', 'delete', name],
  ]) {
    const { stdout } = await services.world.svc([...words, ...staging, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } })
  }

  expect(await all(name)).toEqual(before)
})

it('a service that does not know the filter on ids has its documents saved, too', async () => {
  const service = await openDeployedService()
  const { world } = services
  const documents = ['one', 'two', 'three'].map((title) => ({
    ...{ id: `id-${title}`, collection_id: 'posts', created_at: '2026-01-01T00:00:00' },
    data: { title },
  }))
  service.collections.set('posts', documents)
  const dialect = 'b, paths=nested'
  await world.svc(['profiles', 'add', 'deployed', '--url', service.url, '--key', service.apiKey, '--dialect', dialect])

  const { stderr } = await world.svc(['docs', 'delete', 'posts', 'id-one', 'id-two', '--profile', 'deployed', '--yes'])

  await service.close()
  const [, path = ''] = /^Saved 2 documents to (\S+),/m.exec(stderr) ?? []
  const lines = readFileSync(join(world.folder, path), 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).data.title)).toEqual(['one', 'two'])
})

it.each([
  ['changed', (posts: ReturnType<Client['collection']>, id: string) => posts.update(id, { title: 'changed' })],
  ['created', (posts: ReturnType<Client['collection']>) => posts.create({ title: 'new' })],
  ['deleted', (posts: ReturnType<Client['collection']>, id: string) => posts.delete(id)],
])('a document that is %s while the backup is made stops the command', async (_, write) => {
  const name = await fill()
  const posts = services.there.collection(name)
  let isFirst = true

  const reading = (async () => {
    for await (const { id } of settledDocuments(posts, { all: [] }, rows.length)) {
      if (isFirst) await write(posts, id)
      isFirst = false
    }
  })()

  await expect(reading).rejects.toMatchObject({ code: 'CHANGED' })
})
