/** What a command loads: nothing that it does not need, since loading is most of its time. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'
import { openFakeService } from './fake-service.js'

/** Written down as a process ends: the modules of Node that it loaded. */
const listing = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, process.moduleLoadList.join('\\n')))`
const fetchItself = 'NativeModule internal/deps/undici/undici'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test.each([
  ['docs list', ['docs', 'list', 'posts']],
  ['docs create', ['docs', 'create', 'posts', 'title=Hello']],
  ['collections list', ['collections', 'list']],
])('svc %s asks a service on this machine without loading fetch', async (_name, words) => {
  const service = await openFakeService(({ method, path }) => {
    if (method === 'POST') return { status: 201, body: { id: 'd1', data: { title: 'Hello' }, createdAt: 't' } }
    return { body: path.startsWith('/collections/') ? { documents: [], total: 0, limit: 20, offset: 0 } : [] }
  })
  const loaded = join(world.folder, 'loaded.txt')
  const script = join(world.folder, 'listing.cjs')
  await writeFile(script, listing)

  const ran = await world.svc([...words, '--url', service.url, '--key', 'svc_key_x'], {
    env: { NODE_OPTIONS: `--require ${script}`, LOADED: loaded },
  })

  service.close()
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  expect(ran.exit).toBe(0)
  expect(service.asked).not.toEqual([])
  expect(modules).toContain('NativeModule http')
  expect(modules).not.toContain(fetchItself)
})
