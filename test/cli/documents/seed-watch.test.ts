/** Seeds that are watched while the emulator runs, and seeds in which a process dies. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World
afterEach(() => world.close())

const save = (name: string, content: unknown) =>
  writeFileSync(join(world.folder, name), typeof content === 'string' ? content : JSON.stringify(content))

const fields = async (collection: string) => {
  const page = await world.json(['docs', 'list', collection, '--sort', 'createdAt'])
  return (page as { items: { id: string; data: Record<string, unknown> }[] }).items
}

test('svc dev --watch applies what is saved, keeps what was changed meanwhile, and a broken file changes nothing', async () => {
  world = await openWorld()
  const seed = (documents: object) => ({ collections: { posts: { documents } } })
  save('seed.json', seed({ one: { title: 'One', views: 0 }, two: { title: 'Two' } }))
  save('rows.ndjson', '{"n":1}\n')
  const seeds = ['--seed', 'seed.json', '--seed', 'rows.ndjson', '--watch']
  const dev = execa(
    process.execPath,
    [...nodeOptions, bin, 'dev', '--memory', '--port', '0', '--ready-file', 'ready.json', ...seeds],
    {
      ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
      ...endsByItself,
    },
  )
  let said = ''
  dev.stderr.on('data', (piece) => {
    said += piece
  })
  await expect.poll(() => existsSync(join(world.folder, 'ready.json'))).toBe(true)
  const [one] = await fields('posts')
  await world.json(['docs', 'update', 'posts', one?.id ?? '', 'views:=5'])

  save('seed.json', seed({ one: { title: 'One', views: 0 }, two: { title: 'Second' }, three: { title: 'Three' } }))
  save('rows.ndjson', '{"n":1}\n{"n":2}\n')
  await expect.poll(async () => (await fields('posts')).length).toBe(3)
  await expect.poll(async () => (await fields('rows')).length).toBe(2)
  save('seed.json', '{"collections":\n oops')
  await expect.poll(() => said).toContain('seed.json:2: is not JSON')
  save('seed.json', seed({ four: { title: 'Four' } }))
  await expect.poll(async () => (await fields('posts')).length).toBe(4)

  const left = await fields('posts')
  dev.kill('SIGTERM')
  await dev

  expect(left.map(({ data }) => data)).toEqual([
    { title: 'One', views: 5 },
    { title: 'Second' },
    { title: 'Three' },
    { title: 'Four' },
  ])
  expect(said).toContain('seed.json: "posts" (1 created, 1 updated)')
  expect(said).toContain('Earlier seed data is unchanged.')
})

test.each(['the emulator', 'the command'])('kill -9 of %s in a seed leaves the state before or after', async (who) => {
  world = await openWorld()
  const dev = await world.dev()
  const count = 6_000
  save('rows.ndjson', Array.from({ length: count }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(200) })).join('\n'))
  const child = execa(process.execPath, [bin, 'seed', 'rows.ndjson'], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
  })
  // The steps are being sent, or were.
  const files = join(world.folder, '.svc', 'files')
  await expect.poll(() => existsSync(files) && readdirSync(files, { recursive: true }).length > 0).toBe(true)
  if (who === 'the command') child.kill('SIGKILL')
  else await dev.stop('SIGKILL')
  await child

  if (who === 'the emulator') await world.dev()
  const left = await world.json(['docs', 'count', 'rows'])
  const again = await world.json(['seed', 'rows.ndjson'])

  expect([
    { count },
    expect.objectContaining({ error: expect.objectContaining({ code: 'NOT_FOUND' }) }),
  ]).toContainEqual(left)
  expect(again).toMatchObject([{ created: expect.any(Number), kept: expect.any(Number) }])
  expect(await world.json(['docs', 'count', 'rows'])).toEqual({ count })
})
