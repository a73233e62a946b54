/** Commands that are at the same work at the same time, and what those that were killed leave for the next one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openState } from '../../../cli/imports/state.js'
import { openInput } from '../../../seeds/records/input.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { type HoldingProxy, openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject
let proxy: HoldingProxy | undefined

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
})
afterEach(() => proxy?.close())
afterAll(() => world.close())

const file = (name: string, content: string) => writeFileSync(join(world.folder, name), content)

const start = (words: readonly string[], { url }: HoldingProxy) =>
  execa(process.execPath, [bin, 'docs', 'import', ...words], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), SVC_URL: url, SVC_API_KEY: dev.apiKey },
    ...{ extendEnv: false, reject: false, ...endsByItself },
  })

test('an import that begins anew forgets how far each of its files was', async () => {
  const { id } = (await world.json(['collections', 'create', 'anew'])) as { id: string }
  file('first.ndjson', '{"n":1}\n')
  file('second.ndjson', '{"n":2}\n{"n":3}\n')
  const stateOf = async (name: string) => {
    const input = await openInput(join(world.folder, name))
    return openState(join(world.folder, 'config', 'imports'), input, [id, ''], { isLocked: false })
  }
  const stopped = await stateOf('second.ndjson')
  stopped.save({ id: 'import-1', file: 'second.ndjson', done: 1, endByte: 8, accepted: 1, refused: 0 })

  proxy = await openHoldingProxy(dev.url, 0)
  const child = start(['anew', 'first.ndjson', 'second.ndjson', '--restart'], proxy)
  await proxy.held
  child.kill('SIGKILL')
  await child
  const { found } = await stateOf('second.ndjson')
  await world.svc(['docs', 'import', 'anew', 'first.ndjson', 'second.ndjson'])

  expect(found).toBeUndefined()
  expect(await world.json(['docs', 'count', 'anew'])).toEqual({ count: 3 })
})

test('imports of one collection at the same time keep all rows that each of them was refused', async () => {
  await world.svc(['collections', 'create', 'shared'])
  const rows = Array.from({ length: 2_500 }, (_, n) => `{"n":${n}}`)
  file('slow.ndjson', ['{broken', ...rows].join('\n'))
  file('quick.ndjson', '{broken\n{"n":1}\n')
  const row = { file: 'earlier.ndjson', record: 1, line: 1, reason: 'is not JSON', row: '{broken' }
  file('shared.refused.ndjson', `${JSON.stringify(row)}\n`)
  const refused = () => readFileSync(join(world.folder, 'shared.refused.ndjson'), 'utf8').trim().split('\n')
  const files = () => refused().map((line) => JSON.parse(line).file)
  proxy = await openHoldingProxy(dev.url, 2)

  const slow = start(['shared', 'slow.ndjson'], proxy)
  await proxy.held
  await expect
    .poll(() => existsSync(join(world.folder, 'shared.refused.ndjson')) && files(), patiently)
    .toEqual(['slow.ndjson'])
  const quick = await world.svc(['docs', 'import', 'shared', 'quick.ndjson'])
  proxy.release()
  const { exitCode } = await slow

  expect([quick.exit, exitCode]).toEqual([5, 5])
  expect(files()).toEqual(['slow.ndjson', 'quick.ndjson'])
  expect(await world.json(['docs', 'count', 'shared'])).toEqual({ count: 2_501 })
})

test.runIf(process.platform === 'linux')(
  'a PID file holds no lock once a later process has the number of the one that was killed',
  async () => {
    await world.svc(['collections', 'create', 'numbered'])
    const words = ['docs', 'export', 'numbered', '--out', 'numbered.json']
    const left = join(world.folder, `numbered.json.part.${dev.pid}.pid`)

    file(`numbered.json.part.${dev.pid}.pid`, '1')
    const later = await world.svc(words)
    const isLeft = existsSync(left)
    // As of a version that did not write when its process began.
    file(`numbered.json.part.${dev.pid}.pid`, '')
    const unknown = await world.svc(words)

    expect([later.exit, isLeft]).toEqual([0, false])
    expect(unknown).toMatchObject({ exit: 5, stderr: expect.stringContaining(`It is process ${dev.pid}`) })
  },
)

test.runIf(process.platform === 'linux')(
  'names that differ in their case are one file on macOS and Windows',
  async () => {
    await world.svc(['collections', 'create', 'spelled'])
    file(`SPELLED.json.part.${dev.pid}.pid`, '')
    const words = ['docs', 'export', 'spelled', '--out', 'spelled.json']
    const asMac = `--import data:text/javascript,Object.defineProperty(process,'platform',{value:'darwin'})`

    const mac = await world.svc(words, { env: { NODE_OPTIONS: asMac } })
    const linux = await world.svc(words)

    expect([mac.exit, linux.exit]).toEqual([5, 0])
    expect(mac.stderr).toContain('Another export is writing "spelled.json".')
  },
)
