/** Commands whose work is done, and that are stopped in their last step: saying to the emulator that they have ended. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { endsByItself } from '../../fixtures/patience.js'
import { type HoldingProxy, openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

let world: World
let svc: Client
let url: string
let proxy: HoldingProxy
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await openWorld()
  const dev = await world.useEmulator()
  svc = createClient(dev)
  url = dev.url
})
beforeEach(async () => {
  proxy = await openHoldingProxy(url, 0, ['POST'], '/finish')
  const { apiKey, projectId, controlToken } = JSON.parse(
    readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'),
  )
  // As `svc exec` names an emulator.
  env = { SVC_URL: proxy.url, SVC_API_KEY: apiKey, SVC_PROJECT_ID: projectId, SVC_CONTROL_TOKEN: controlToken }
})
afterEach(() => proxy.close())
afterAll(() => world.close())

/** Runs a command until its last step is held, and does then what stops it. */
async function stopHeld(words: readonly string[], stop: (kill: (signal: NodeJS.Signals) => void) => unknown) {
  const child = execa(process.execPath, [bin, ...words], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), ...env }, extendEnv: false, reject: false },
    ...endsByItself,
  })
  await proxy.held
  await stop((signal) => child.kill(signal))
  proxy.release()
  const { exitCode, stderr } = await child
  return { exit: exitCode, stderr }
}

/** Two documents, and what changes both and creates a third one. */
async function aBatch(name: string): Promise<string[]> {
  const [one, two] = await twoDocuments(name)
  const changed = [one, two].map((id) => ({ op: 'update', id, data: { seen: true } }))
  return ['docs', 'batch', name, '-f', aFile(`${name}.ndjson`, [{ op: 'create', data: { n: 3 } }, ...changed]), '--yes']
}

async function twoDocuments(name: string): Promise<string[]> {
  await svc.collections.create({ name })
  return (await svc.collection(name).createMany([{ n: 1 }, { n: 2 }])).map(({ id }) => id)
}

function aFile(name: string, lines: readonly unknown[]): string {
  writeFileSync(join(world.folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return name
}

async function aMigration(name: string): Promise<string[]> {
  await twoDocuments(name)
  writeFileSync(join(world.folder, 'tenfold.mjs'), 'export default ({ data: { n } }) => ({ n: n * 10 })')
  return ['docs', 'migrate', name, 'tenfold.mjs', '--yes']
}

/** The last row has no value in the field, and is created each time. */
async function anImport(name: string): Promise<string[]> {
  await twoDocuments(name)
  const rows = aFile(`${name}-rows.ndjson`, [{ n: 1, seen: true }, { seen: false }])
  return ['docs', 'import', name, rows, '--upsert', '--by', 'n']
}

test.each([
  ['a batch', aBatch, { created: 0, updated: 0, before: 3 }, { created: 1, updated: 2, before: 0 }],
  ['a migration', aMigration, { changed: 0, before: 2 }, { changed: 2, before: 0 }],
  ['an import', anImport, { accepted: 2, refused: 0 }, { accepted: 2, refused: 0 }],
] as const)(
  'of %s that is killed in its last step, the same command does nothing again',
  async (kind, prepare, nothing, all) => {
    const name = kind.replace(' ', '-')
    const words = await prepare(name)

    await stopHeld(words, (kill) => kill('SIGKILL'))
    const done = await documents(name)
    const again = await world.json(words, { env })
    const between = await documents(name)
    const anew = await world.json(words, { env })

    expect(again).toMatchObject(nothing)
    expect(between).toEqual(done)
    // That one was whole, and has left nothing to go on with.
    expect(anew).toMatchObject(all)
    expect(await documents(name)).not.toEqual(done)
  },
)

const documents = async (name: string) =>
  (await svc.collection(name).list({ sort: 'createdAt' })).items.map(({ id, version, data }) => ({ id, version, data }))

test('a command that Ctrl-C meets in its last step goes through with that, and says what it did', async () => {
  const words = await aBatch('interrupted')

  const { exit, stderr } = await stopHeld(words, (kill) => kill('SIGINT'))

  expect([exit, stderr]).toEqual([0, expect.stringContaining('1 created, 2 changed, 0 deleted, 0 refused.')])
})

test('a command whose last step fails says that its work is done', async () => {
  const words = await aBatch('failed')

  const { exit, stderr } = await stopHeld(words, () => proxy.close())

  expect([exit, stderr]).toEqual([8, expect.stringContaining('The changes are saved,')])
  expect(await svc.collection('failed').count()).toBe(3)
})
