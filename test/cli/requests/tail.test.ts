/** `svc requests tail`: requests as they are answered, and how it ends. */
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'

let world: World
let url = ''
let apiKey = ''

beforeAll(async () => {
  world = await openWorld()
  ;({ url, apiKey } = await world.dev('--memory'))
  await createClient({ url, apiKey }).collections.create({ name: 'posts' })
})
afterAll(() => world.close())

async function ask(path: string) {
  const answer = await fetch(url + path, { headers: { 'x-api-key': apiKey } })
  await answer.text()
}

test('svc requests tail shows what is answered while it runs, once each', async () => {
  const tail = execa(
    process.execPath,
    [bin, 'requests', 'tail', '--path', '/collections/posts', '--max', '3', '--json'],
    {
      ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, timeout: hungMilliseconds },
    },
  )
  const lines: { type: string; request?: { path: string } }[] = []
  tail.stdout.on('data', (piece) => {
    for (const line of String(piece).trim().split('\n')) lines.push(JSON.parse(line))
  })
  await expect.poll(() => lines).toEqual([{ type: 'ready' }])
  for (const limit of [1, 2, 3]) {
    await ask('/collections')
    await ask(`/collections/posts?limit=${limit}`)
    await expect.poll(() => lines.length).toBe(limit + 1)
  }

  expect((await tail).exitCode).toBe(0)
  expect(lines.slice(1).map(({ request }) => request?.path)).toEqual(
    [1, 2, 3].map((limit) => `/collections/posts?limit=${limit}`),
  )
})

// A thousand times 1.001 is a fraction of a millisecond less than 1001.
test.each(['0', '1001ms'])('svc requests tail --timeout %s ends in time', async (timeout) => {
  const ran = await world.svc(['requests', 'tail', '--timeout', timeout, '--json'])

  expect(ran).toMatchObject({ exit: 0, stdout: '{"type":"ready"}\n', stderr: '' })
})

test('svc requests tail with fewer requests than --max at the end of --timeout exits with 7, as svc tail does', async () => {
  await ask('/collections')

  const none = await world.svc(['requests', 'tail', '--max', '2', '--timeout', '0'])
  const one = await world.svc(['requests', 'tail', '--last', '1', '--max', '2', '--timeout', '1s'])
  const both = await world.svc(['requests', 'tail', '--last', '1', '--max', '1', '--timeout', '1s'])

  expect(none).toMatchObject({ exit: 7, stderr: expect.stringContaining('Only 0 of 2 requests came within 0 s.') })
  expect(one).toMatchObject({ exit: 7, stderr: expect.stringContaining('Only 1 of 2 requests came within 1 s.') })
  expect(both.exit).toBe(0)
})
