/** Operations of a file that were stopped: what was refused by then is shown, and is part of what the next run reports. */
import { existsSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { controlOf } from '../../fixtures/events.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { type HoldingProxy, openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type Ran, type SharedProject, type World } from '../command-line.js'

const missing = '01999999-9999-7999-8999-999999999999'
let world: World
let dev: SharedProject
let svc: Client
let proxy: HoldingProxy

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
  svc = createClient(dev)
})
afterEach(() => proxy.close())
afterAll(() => world.close())

const target = () => ({ SVC_URL: proxy.url, SVC_API_KEY: dev.apiKey })
const file = (name: string, content: string) => writeFileSync(join(world.folder, name), content)

const start = (words: readonly string[], env: Readonly<Record<string, string>> = target()) =>
  execa(process.execPath, [bin, ...words], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), ...env }, extendEnv: false, reject: false },
    ...endsByItself,
  })

/** Runs a command until its next write is held, and does then what stops it. */
async function stopHeld(words: readonly string[], stop: (kill: (signal: NodeJS.Signals) => void) => unknown) {
  const child = start(words)
  await proxy.held
  await stop((signal) => child.kill(signal))
  proxy.release()
  const { exitCode, stderr } = await child
  return { exit: exitCode, stderr }
}

/** Reads the saved state of unfinished migrations. */
const kept = () => readdirSync(join(world.folder, 'config', 'migrations'))

const changes = 60

/**
 * A line about a document that is not there, and many about another. Each change of that is a write of its own, so that a signal
 * comes before the last one.
 */
async function manyOperations(name: string): Promise<string[]> {
  await svc.collections.create({ name })
  const { id } = await svc.collection(name).create({ n: 0 })
  const updates = Array.from({ length: changes }, (_, n) => ({ op: 'update', id, data: { n } }))
  const lines = [{ op: 'update', id: missing, was: { n: 0 }, data: { n: 1 } }, ...updates]
  file(`${name}.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  proxy = await openHoldingProxy(dev.url, 1)
  return ['docs', 'batch', name, '-f', `${name}.ndjson`, '--yes']
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a batch that %s stops lists what was refused, and so does the run that goes on', async (signal, exit) => {
  const name = `batch-${signal}`
  const words = await manyOperations(name)

  const stopped = await stopHeld(words, (kill) => kill(signal))
  const unconfirmed = words.filter((word) => word !== '--yes').concat('--restart')
  const asked = await world.svc(unconfirmed, { env: target() })
  const resumed = await world.svc([...words, '--json'], { env: target() })
  const again = await world.svc([...words, '--json'], { env: target() })

  expect([stopped.exit, asked.exit]).toEqual([exit, 2])
  expect(stopped.stderr).toContain(`${name}.ndjson:1  was deleted in the meantime\n`)
  const done = Number(/Stopped; (\d+) of 61 operations processed, 1 refused\./.exec(stopped.stderr)?.[1])
  expect(resumed.exit).toBe(5)
  expect(JSON.parse(resumed.stdout)).toEqual({
    ...{ created: 0, updated: changes + 1 - done, replaced: 0, deleted: 0, before: done },
    ...{ refused: 1, refusals: [{ line: 1, problem: 'was deleted in the meantime' }] },
  })
  // A whole run leaves nothing behind: this is another one.
  expect(JSON.parse(again.stdout)).toMatchObject({ updated: changes, refused: 1, before: 0 })
})

test('a batch whose service goes away lists what was refused', async () => {
  const words = await manyOperations('batch-lost')

  const failed = await stopHeld(words, () => proxy.close())

  expect(failed.exit).toBe(7)
  expect(failed.stderr).toContain('batch-lost.ndjson:1  was deleted in the meantime\n')
  expect(failed.stderr).toContain('2 of 61 operations processed, 1 refused.')
})

test('a batch and an import that are under way are refused to other runs of them, which leave them alone', async () => {
  const batch = await manyOperations('batch-raced')
  file('rows.ndjson', '{"n":1}\n'.repeat(10))
  const importing = ['docs', 'import', 'batch-raced', 'rows.ndjson']
  for (const words of [batch, importing]) {
    const first = start([...words, '--json'])
    await proxy.held

    const other = await world.svc(words, { env: target() })
    const anew = await world.svc([...words, '--restart'], { env: target() })
    proxy.release()
    const { stdout } = await first
    proxy.close()
    proxy = await openHoldingProxy(dev.url, 0)

    for (const { exit, stderr } of [other, anew]) {
      expect([exit, stderr]).toEqual([5, expect.stringContaining(`Another run of the same command is importing "`)])
      expect(stderr).toContain(`It is process ${first.pid}.`)
    }
    expect(JSON.parse(stdout)).toMatchObject(words === batch ? { updated: changes, refused: 1 } : { accepted: 10 })
  }
  expect(await svc.collection('batch-raced').count()).toBe(11)
})

/** As many as are sent in two parts, of which the second is one document: the first three writes are the first part. */
async function manyDocuments(name: string) {
  await svc.collections.create({ name })
  const numbers = Array.from({ length: 3_001 }, (_, n) => n)
  for (let at = 0; at < numbers.length; at += 1_000) {
    await svc.collection(name).createMany(numbers.slice(at, at + 1_000).map((n) => ({ n })))
  }
}

test('a migration that fails lists what was refused, and so does the run that goes on', async () => {
  const name = 'migrated'
  await manyDocuments(name)
  const [first] = (await svc.collection(name).list({ where: { n: 0 } })).items
  // The function itself is the other writer: it is called after documents were read, and before any is written.
  file(
    'migrate.ts',
    `export default async ({ data: { n } }) => {
       const headers = { 'x-api-key': '${dev.apiKey}', 'content-type': 'application/json' }
       const at = '${dev.url}/collections/${name}/documents/${first?.id}'
       if (n === 3000) await fetch(at, { method: 'PATCH', headers, body: '{"data":{"n":-1}}' })
       return { n: n + 10000 }
     }`,
  )
  const words = ['docs', 'migrate', name, 'migrate.ts', '--yes']
  // Three batches of the first handful; the last document is in the second one.
  proxy = await openHoldingProxy(dev.url, 3)

  const failing = ['faults', 'add', 'status', '--status', '500', '--method', 'POST']
  const failed = await stopHeld(words, () => world.json(failing))
  await controlOf(dev).faults.clear({ project: dev.projectId })
  const resumed = await world.svc([...words, '--json'], { env: target() })

  const refusal = { id: first?.id, code: 'CONFLICT', problem: 'was changed in the meantime' }
  expect(failed).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`${first?.id}  was changed in the meantime\n`),
  })
  expect(failed.stderr).toContain('3,000 of 3,001 documents processed, 1 refused.')
  expect(resumed.exit).toBe(5)
  expect(JSON.parse(resumed.stdout)).toEqual({ changed: 1, refused: 1, refusals: [refusal], before: 3_000 })
})

test('of a migration whose state is damaged nothing is sent, until it begins anew with --restart', async () => {
  const name = 'damaged'
  await manyDocuments(name)
  file('damaged.mjs', 'export default ({ data: { n } }) => ({ n: n + 10000 })')
  const words = ['docs', 'migrate', name, 'damaged.mjs', '--yes']
  proxy = await openHoldingProxy(dev.url, 3)
  await stopHeld(words, (kill) => kill('SIGKILL'))
  for (const state of kept().filter((name) => name.endsWith('.json'))) {
    truncateSync(join(world.folder, 'config', 'migrations', state), 20)
  }

  const again = await world.svc(words, { env: target() })
  const restarted = await world.svc([...words, '--restart', '--json'], { env: target() })

  expect(again).toMatchObject({ exit: 5, stderr: expect.stringMatching(/is damaged\.\n.*--restart/) })
  expect([restarted.exit, JSON.parse(restarted.stdout)]).toMatchObject([0, { changed: 3_001, before: 0 }])
  expect(kept()).toEqual([])
})

test('a migration that is under way, also one that goes on, is refused to other runs of it, which leave it alone', async () => {
  const name = 'sending'
  await manyDocuments(name)
  const module = (body: string) => file('once.mjs', `export default ({ data: { n } }) => ({ n: n + ${body} })`)
  module('10000')
  const words = ['docs', 'migrate', name, 'once.mjs']
  const others: Ran[] = []
  // Each would ask, and nobody answers: none of them sends anything. The run that is under way waits for an answer meanwhile, and not for ever.
  const runOthers = async () => {
    const same = [words, [...words, '--restart']].map((other) => world.svc(other, { env: target() }))
    others.push(...(await Promise.all(same)))
    module('1')
    others.push(await world.svc(words, { env: target() }))
    module('10000')
  }

  proxy = await openHoldingProxy(dev.url, 3)
  const killed = start([...words, '--yes'])
  await proxy.held
  await runOthers()
  killed.kill('SIGKILL')
  await killed
  // It is worked out anew, and not carried out: what was stopped can still go on.
  const unconfirmed = await world.svc([...words, '--restart'], { env: target() })
  // As a file that is removed once a dry run has seen its name.
  const gone = join(world.folder, 'config', 'migrations', `${kept().find((name) => name.endsWith('.ndjson'))}`)
  symlinkSync('nowhere', gone.replace('.ndjson', '-gone.ndjson'))
  const dry = await world.svc([...words, '--dry-run'], { env: target() })
  rmSync(gone.replace('.ndjson', '-gone.ndjson'))
  const resumed = start([...words, '--yes'])
  await expect.poll(() => kept().some((name) => name.endsWith(`.${resumed.pid}.pid`)), patiently).toBe(true)
  await runOthers()
  proxy.release()
  const { exitCode, stderr } = await resumed

  expect(others.map(({ exit }) => exit)).toEqual([5, 5, 5, 5, 5, 5])
  expect(unconfirmed).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('3,001 of 3,001 documents would change.'),
  })
  expect(dry).toMatchObject({ exit: 0, stderr: expect.stringContaining('An earlier run was stopped') })
  expect(others[0]?.stderr).toContain('Another run of "once.mjs" is in progress.')
  expect(others[0]?.stderr).toContain(`It is process ${killed.pid}.`)
  expect(others[3]?.stderr).toContain(`It is process ${resumed.pid}.`)
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Resuming after 3,000 of 3,001 documents')])
  expect(await svc.collection(name).count({ where: { n: { gte: 10_000 } } })).toBe(3_001)
  expect(kept()).toEqual([])
})

test('a migration that is being worked out is refused to another run, and a dry run leaves it alone', async () => {
  const name = 'waited'
  await svc.collections.create({ name })
  await svc.collection(name).createMany([{ n: 1 }, { n: 2 }])
  proxy = await openHoldingProxy(dev.url, Number.POSITIVE_INFINITY)
  file(
    'waiting.mjs',
    `import { existsSync, writeFileSync } from 'node:fs'
     export default async ({ data }) => {
       if (process.env.WAITS) {
         writeFileSync('begun', '')
         while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
       }
       return { ...data, seen: true }
     }`,
  )
  const words = ['docs', 'migrate', name, 'waiting.mjs']
  const begun = () => existsSync(join(world.folder, 'begun'))

  const first = start([...words, '--yes', '--json'], { WAITS: '1' })
  await expect.poll(begun, patiently).toBe(true)
  const dry = await world.svc([...words, '--dry-run'])
  const other = await world.svc([...words, '--where', 'n=2', '--yes'])
  file('go', '')
  const { stdout, exitCode } = await first

  expect(dry).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining(`Process ${first.pid} is running this migration.`),
  })
  expect(other).toMatchObject({ exit: 5, stderr: expect.stringContaining(`It is process ${first.pid}.`) })
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { changed: 2, refused: 0 }])
  expect(kept()).toEqual([])
})
