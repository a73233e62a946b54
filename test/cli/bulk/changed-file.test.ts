/** Files of operations that are written anew while `svc docs batch` is at them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { endsByItself } from '../../fixtures/patience.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject
let svc: Client

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
  svc = createClient(dev)
})
afterAll(() => world.close())

const file = (lines: readonly unknown[]) =>
  writeFileSync(join(world.folder, 'ops.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

test('nothing is done of a file that is saved anew while it is asked about', async () => {
  const posts = svc.collection((await svc.collections.create({ name: 'asked' })).name)
  const ids = (await posts.createMany([{ n: 1 }, { n: 2 }, { n: 3 }])).map(({ id }) => id)
  const deleting = (some: readonly (string | undefined)[]) => some.map((id) => ({ op: 'delete', id }))
  file(deleting(ids.slice(0, 1)))

  const { exit, stdout } = await world.terminal(
    ['docs', 'batch', 'asked', '-f', 'ops.ndjson'],
    [
      [
        'Delete 1 document',
        async () => {
          file([...deleting(ids), { op: 'cut' }])
          return 'y\r'
        },
      ],
    ],
  )

  expect([exit, await posts.count()]).toEqual([5, 3])
  expect(stdout).toContain('"ops.ndjson" changed while it was being read; nothing was sent.')
})

test('nothing is sent of a file that is written over while it is carried out', async () => {
  const { name } = await svc.collections.create({ name: 'written' })
  const { id } = await svc.collection(name).create({ n: 0 })
  // More than is read at once. Each of them is a write of its own, as they are about the same document.
  const updates = (first: number) =>
    Array.from({ length: 1_500 }, (_, n) => ({ op: 'update', id, data: { n: first + n } }))
  file(updates(10_001))
  const proxy = await openHoldingProxy(dev.url, 1)
  const child = execa(process.execPath, [bin, 'docs', 'batch', name, '-f', 'ops.ndjson', '--yes'], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), SVC_URL: proxy.url, SVC_API_KEY: dev.apiKey } },
    ...{ extendEnv: false, reject: false, ...endsByItself },
  })
  await proxy.held

  file(updates(20_001))
  proxy.release()
  const { exitCode, stderr } = await child
  proxy.close()

  const [done] = /(?<=changed while it was being read; )\d+(?= operations processed)/.exec(stderr) ?? []
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('"ops.ndjson" changed while it was being read')])
  expect((await svc.collection(name).get(id)).data).toEqual({ n: 10_000 + Number(done) })
})
