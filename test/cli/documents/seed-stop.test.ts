import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlOf } from '../../fixtures/events.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
})
afterAll(() => world.close())

/** Seeds through a proxy that holds requests after so many writes, and is interrupted there. */
async function seedUntil(writes: number, words: readonly string[]) {
  const proxy = await openHoldingProxy(dev.url, writes)
  const child = execa(process.execPath, [bin, 'seed', ...words], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), SVC_URL: proxy.url, SVC_API_KEY: dev.apiKey },
    extendEnv: false,
    reject: false,
  })
  await proxy.held
  child.kill('SIGINT')
  // The signal has to arrive before the answer that the command waits for.
  await new Promise((resolve) => setImmediate(resolve))
  proxy.release()
  const { exitCode, stderr } = await child
  proxy.close()
  return { exit: exitCode, stderr }
}

const count = (collection: string) => world.json(['docs', 'count', collection])

test('Ctrl-C in a seed says what is done, leaves no half collection, and the same command seeds the rest', async () => {
  const documents = (length: number) => Array.from({ length }, (_, n) => ({ n }))
  const collections = {
    whole: { documents: documents(2) },
    half: { documents: documents(5) },
    later: { documents: documents(1) },
  }
  writeFileSync(join(world.folder, 'seed.json'), JSON.stringify({ collections }))

  // Two collections and three documents are created; the second document of "half" is held.
  const stopped = await seedUntil(5, ['seed.json'])
  const left = await count('half')
  const again = await world.json(['seed', 'seed.json'])

  expect(stopped).toMatchObject({ exit: 130, stderr: expect.stringContaining('Stopped. Seeded: "whole" (2 created).') })
  expect(stopped.stderr).toContain('repeat the command')
  expect(left).toEqual({ count: 0 })
  expect(again).toMatchObject([{ kept: 2 }, { created: 5 }, { created: 1 }])
})

test('Ctrl-C in a seed of rows leaves none of them', async () => {
  mkdirSync(join(world.folder, 'seeds'))
  const rows = Array.from({ length: 9_000 }, (_, n) => JSON.stringify({ n }))
  writeFileSync(join(world.folder, 'seeds', 'rows.ndjson'), rows.join('\n'))

  const stopped = await seedUntil(2, ['seeds/rows.ndjson'])

  expect(stopped).toMatchObject({ exit: 130, stderr: expect.stringContaining('Stopped. Nothing was seeded.') })
  expect(await count('rows')).toEqual({ count: 0 })
})

const fault =
  (kind: string, ...flags: string[]) =>
  () =>
    world.json(['faults', 'add', kind, '--method', 'POST', ...flags])

test.each([
  ['a rate limit', 6, fault('status', '--status', '429', '--retry-after', '1h'), 'Finish the seed with --upsert'],
  ['a refusal of the key', 3, fault('status', '--status', '403'), 'Show the permissions: '],
  ['a connection that breaks', 7, fault('drop'), 'It may have been created.'],
] as const)(
  'a hosted seed that %s stops exits with what scripts act on, and says what is left and how to go on',
  async (_, exit, breaks, hint) => {
    const name = `hosted-${exit}`
    const documents = [{ n: 1 }, { n: 2 }, { n: 3 }]
    writeFileSync(join(world.folder, 'hosted.json'), JSON.stringify({ collections: { [name]: { documents } } }))
    // The collection and two documents are created; the third one is held.
    const proxy = await openHoldingProxy(dev.url, 3)
    const seeding = world.svc(['seed', 'hosted.json', '--yes'], {
      env: { SVC_URL: proxy.url, SVC_API_KEY: dev.apiKey },
    })
    await proxy.held
    await breaks()
    proxy.release()

    const ran = await seeding

    await controlOf(dev).faults.clear({ project: dev.projectId })
    proxy.close()
    expect(ran.exit).toBe(exit)
    expect(ran.stderr).toContain(`2 documents of "${name}" could not be removed.`)
    expect(ran.stderr).toContain(hint)
    expect(ran.stderr).toContain(`svc docs delete ${name} --all --url `)
    expect(ran.stderr).not.toContain('hosted.json:')
    expect(await count(name)).toEqual({ count: 2 })
  },
)

test('a seed that is refused in a later file says what was seeded before', async () => {
  writeFileSync(join(world.folder, 'first.csv'), 'name\nAda\n')
  writeFileSync(join(world.folder, 'second.ndjson'), '[1]')

  const ran = await world.svc(['seed', 'first.csv', 'second.ndjson'])

  expect(ran).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('Seeded before the failure: "first" (1 created)'),
  })
})
