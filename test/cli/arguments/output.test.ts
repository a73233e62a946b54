/** Tests that stdout has only the result, complete or with its failure. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'
import { failure, openFakeService } from '../fake-service.js'

const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff, 0xfe, 0x00, 0xc3])
const note = 'first\r\nlast, without a line break'

let world: World
let pathOf: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  writeFileSync(join(world.folder, 'cover.png'), picture)
  writeFileSync(join(world.folder, 'note.txt'), note)
  await world.svc(['files', 'upload', 'cover.png', 'note.txt', '--to', 'kept'])
  const { items } = (await world.json(['files', 'list'])) as { items: { name: string; url: string }[] }
  pathOf = Object.fromEntries(items.map(({ name, url }) => [name, new URL(url).pathname]))
})
afterAll(() => world.close())

test.each([
  ['cover.png', picture],
  ['note.txt', Buffer.from(note)],
])('svc api prints %s byte by byte, where it is no terminal', async (name, content) => {
  const ran = await execa(process.execPath, [bin, 'api', 'GET', pathOf[name] ?? ''], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, timeout: hungMilliseconds },
    ...{ encoding: 'buffer', stripFinalNewline: false, ...endsByItself },
  })

  expect(ran.exitCode).toBe(0)
  expect(Buffer.from(ran.stdout)).toEqual(content)
})

test('svc api --json has a body that is not text whole, too', async () => {
  const { body, bodyBase64 } = (await world.json(['api', 'GET', pathOf['cover.png'] ?? ''])) as Record<string, string>
  const text = (await world.json(['api', 'GET', pathOf['note.txt'] ?? ''])) as Record<string, string>

  expect(body).toBeNull()
  expect(Buffer.from(bodyBase64 ?? '', 'base64')).toEqual(picture)
  expect(text.body).toBe(note)
  expect(text).not.toHaveProperty('bodyBase64')
})

test('svc api sends a terminal nothing that is not text', async () => {
  const ran = await world.terminal(['api', 'GET', pathOf['cover.png'] ?? ''], [])

  expect(ran.exit).toBe(0)
  expect(ran.stdout).toContain('The body is binary (10 bytes).')
  expect(ran.stdout).not.toContain('PNG')
})

test.each(['-yq', '-qy'])('%s silences, as -q does', async (flags) => {
  await world.svc(['collections', 'create', 'posts'])
  await world.svc(['docs', 'create', 'posts', 'title=Hello'])

  const ran = await world.svc(['docs', 'delete', 'posts', '--all', flags])

  expect(ran).toEqual({ exit: 0, stdout: '', stderr: '' })
  expect(await world.json(['docs', 'count', 'posts'])).toEqual({ count: 0 })
})

test('svc docs list --all --json that fails in between prints one value, with the documents until then and the failure', async () => {
  const times = { createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' }
  const idOf = (n: number) => `01999999-9999-7999-8999-${String(n).padStart(12, '0')}`
  const page = (from: number) =>
    Array.from({ length: 100 }, (_, n) => ({ id: idOf(from + n), data: { n: from + n }, ...times, version: 1 }))
  let pages = 0
  const service = await openFakeService(() => {
    pages++
    if (pages > 2) return failure(403, 'FORBIDDEN', 'No more.')
    return { body: { documents: page((pages - 1) * 100), total: 1_000, limit: 100, offset: 0 } }
  })
  const list = ['docs', 'list', 'posts', '--all', '--json', '--url', service.url, '--key', 'svc_key_x']

  const ran = await world.svc(list)
  const first = await world.svc(list)

  service.close()
  expect([ran.exit, ran.stderr]).toEqual([3, ''])
  const { items, error } = JSON.parse(ran.stdout) as { items: { data: { n: number } }[]; error: object }
  expect(items.length).toBeGreaterThanOrEqual(100)
  expect(items[0]?.data).toEqual({ n: 0 })
  expect(error).toMatchObject({ code: 'FORBIDDEN', exit: 3 })
  expect(JSON.parse(first.stdout)).toEqual({ error: expect.objectContaining({ code: 'FORBIDDEN' }) })
})
