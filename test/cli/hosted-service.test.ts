import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../client/index.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type DeployedService, openDeployedService } from '../fixtures/requests/deployed-service.js'
import { openWorld, type World } from './command-line.js'

// Beside the emulator of the folder: a second one at another address, and a service as it is deployed.

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  await world.svc(['docs', 'create', 'posts', 'title=Here'])
})
afterAll(() => world.close())

const deleteAll = ['docs', 'delete', 'posts', '--where', 'title=There']

describe.each(['a', 'b', 'c'])('another emulator, in dialect %s', (dialect) => {
  let emulator: Emulator
  let host: string

  beforeAll(async () => {
    emulator = await startEmulator({ memory: true, dialect, host: '0.0.0.0', hosts: ['0.0.0.0'] })
    host = `0.0.0.0:${new URL(emulator.url).port}`
    const there = createClient({ url: emulator.url, apiKey: emulator.apiKey })
    await there.collections.create({ name: 'posts' })
    await there.collection('posts').create({ title: 'There' })
    const address = ['--url', `http://${host}`, '--key', emulator.apiKey, '--dialect', dialect]
    await world.svc(['profiles', 'add', dialect, ...address, '--insecure'])
  })
  afterAll(() => emulator.close())

  test('a write is not asked about, and says where it goes', async () => {
    const flags = ['--profile', dialect, '--quiet']
    const created = await world.svc(['docs', 'create', 'posts', 'title=There', ...flags])
    const deleted = await world.json([...deleteAll, ...flags, '--yes'])
    const here = await world.svc(['docs', 'count', 'posts'])

    expect(created).toMatchObject({ exit: 0, stderr: expect.stringContaining(`-> ${host} (profile ${dialect})\n`) })
    expect(deleted).toEqual({ deleted: 2 })
    expect(here.stdout).toBe('1\n')
  })
})

describe('a deployed service', () => {
  let service: DeployedService

  beforeAll(async () => {
    service = await openDeployedService()
    service.collections.set('posts', [
      { id: 'one', collection_id: 'posts', data: { title: 'There' }, created_at: '2030-01-01T00:00:00Z' },
    ])
    const address = ['--url', service.url, '--key', service.apiKey, '--dialect', 'c']
    await world.svc(['profiles', 'add', 'prod', ...address, '--use'])
  })
  afterAll(() => service.close())

  const writes = () => service.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method)

  test('a write needs a yes, and none goes to the default profile while the emulator of the folder runs', async () => {
    const words = ['api', 'POST', '/collections/posts', 'title=There']
    const { host } = new URL(service.url)

    const unasked = await world.svc([...words, '--profile', 'prod'])
    const refused = await world.terminal([...words, '--profile', 'prod'], [[` on ${host}?`, 'n\n']])
    const before = writes()
    const here = await world.svc(words)
    const confirmed = await world.svc([...words, '--profile', 'prod', '--yes', '--json'])

    expect([unasked.exit, refused.exit, before]).toEqual([2, 130, []])
    expect(here.stderr).toContain('Using the running emulator, not profile prod.')
    expect([confirmed.exit, confirmed.stderr, writes()]).toEqual([0, `-> ${host} (profile prod)\n`, ['POST']])
  })
})
