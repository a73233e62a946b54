import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts'])
})
afterAll(() => world.close())

test('svc faults add, list and remove', async () => {
  const added = await world.svc(['faults', 'add', 'status', '--status', '503', '--method', 'post', '--rate', '1'])
  expect(added).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^id +f1\nwhat +status 503\nwhich +POST\n/) })
  expect(added.stderr).toBe('Remove it: svc faults remove f1\n')

  const refused = await world.svc(['docs', 'create', 'posts', 'title=Hello'])
  expect(refused.stderr).toContain('A simulated fault (f1).')
  expect((await world.svc(['docs', 'list', 'posts'])).exit).toBe(0)
  expect((await world.svc(['faults', 'list'])).stdout).toMatch(/f1 +status 503 +POST +dev +[1-9]\d* of [1-9]\d*\n$/)

  expect(await world.svc(['faults', 'remove', 'f1'])).toMatchObject({ exit: 0, stderr: 'Removed fault f1.\n' })
  expect((await world.svc(['docs', 'create', 'posts', 'title=Hello'])).exit).toBe(0)
  expect(await world.svc(['faults', 'list'])).toMatchObject({ stdout: '', stderr: 'No active faults.\n' })
})

test('svc faults preset takes the place of what the project has', async () => {
  await world.svc(['faults', 'add', 'latency', '--ms', '1', '--all-projects'])
  await world.svc(['faults', 'add', 'latency', '--ms', '1'])
  await world.svc(['faults', 'preset', 'rate-storm', '--path', '/nowhere'])
  const listed = (await world.json(['faults', 'list'])) as { kind: string; preset: string | null }[]
  expect(listed.map(({ kind, preset }) => [kind, preset])).toEqual([
    ['latency', null],
    ['status', 'rate-storm'],
  ])
  expect(await world.svc(['faults', 'remove', '--all'])).toMatchObject({ stderr: 'Removed 2 faults.\n' })
})

test('an emulator that simulates a lost connection is not called stopped', async () => {
  await world.svc(['faults', 'preset', 'offline'])
  const listed = await world.svc(['docs', 'list', 'posts'])
  await world.svc(['faults', 'remove', '--all'])

  expect(listed).toMatchObject({ exit: 7, stdout: '', stderr: expect.stringContaining('svc faults list') })
})

test.each([
  [['add', 'latency'], 2, /needs --ms/],
  [['add', 'flood'], 2, /flood/],
  [['add', 'drop', '--rate', '1.5'], 2, /Invalid rate "1\.5"\.\n.*0 to 1/],
  [['add', 'status', '--status', '299'], 5, /status/],
  [['add', 'drop', '--path', '/_svc/api/health'], 5, /not be below "\/_svc"/],
  [['add', 'drop', '--user', 'nobody@example.com'], 4, /nobody@example\.com/],
  [['add', 'drop', '--project', 'none'], 4, /none/],
  [['preset', 'slow-2g'], 2, /slow-2g/],
  [['remove', 'f999'], 4, /f999/],
  [['remove'], 2, /Name one fault/],
])('svc faults %j is refused with exit %i', async (words, exit, said) => {
  expect(await world.svc(['faults', ...words])).toMatchObject({ exit, stdout: '', stderr: expect.stringMatching(said) })
})
