/** `svc update`, and the notice of a newer release: shown once a day, to people only. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isNewer } from '../../../cli/update/release.js'
import { openWorld, type World } from '../command-line.js'
import { type FakeService, openFakeService } from '../fake-service.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }

let world: World
let registry: FakeService
beforeEach(async () => {
  world = await openWorld()
  registry = await openFakeService(() => ({ body: { version: '99.0.0' } }))
})
afterEach(async () => {
  registry.close()
  await world.close()
})

const file = () => join(world.folder, 'config/release.json')
async function know(release: object): Promise<void> {
  await mkdir(join(world.folder, 'config'), { recursive: true })
  await writeFile(file(), JSON.stringify(release))
}
/** Runs a command that needs no service, at a terminal. */
const atTerminal = async (env: Record<string, string> = {}, words: readonly string[] = ['dialects', 'list']) => {
  const on = { SVC_UPDATE_NOTICE: 'on', npm_config_registry: registry.url, ...env }
  return (await world.terminal(words, [], { env: on })).stdout
}

test('a newer release is named once a day, at a terminal', async () => {
  await know({ checkedAt: Date.now(), latest: '99.0.0' })

  const [first, second] = [await atTerminal(), await atTerminal()]

  expect(first).toContain(`svc 99.0.0 is available, you have ${version}.`)
  expect(second).not.toContain('is available')
})

test.each<[where: string, env: Record<string, string>, words: string[]]>([
  ['in CI', { CI: 'true' }, ['dialects', 'list']],
  ['with --json', {}, ['dialects', 'list', '--json']],
  ['with SVC_UPDATE_NOTICE=off', { SVC_UPDATE_NOTICE: 'off' }, ['dialects', 'list']],
  ['in a private package, such as a clone,', { SVC_UPDATE_NOTICE: '' }, ['dialects', 'list']],
])('%s nothing is said and nobody is asked', async (_, env, words) => {
  await know({ checkedAt: 0, latest: '99.0.0' })

  const said = await atTerminal(env, words)

  expect(said).not.toContain('is available')
  expect(registry.asked).toEqual([])
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ checkedAt: 0, latest: '99.0.0' })
})

test('in a pipe nothing is said', async () => {
  await know({ checkedAt: 0, latest: '99.0.0' })

  const { stdout, stderr } = await world.svc(['dialects', 'list'], { env: { SVC_UPDATE_NOTICE: 'on' } })

  expect(stdout + stderr).not.toContain('is available')
})

test('the registry is asked in the background, once a day, and the next command says it', async () => {
  expect(await atTerminal()).not.toContain('is available')
  await expect.poll(() => readFile(file(), 'utf8').catch(() => '')).toContain('99.0.0')
  expect(await atTerminal()).toContain('99.0.0 is available')
  expect(registry.asked.map(({ path }) => path)).toEqual(['/svc-toolkit/latest'])
})

test('offline it says nothing, and does not ask again on the same day', async () => {
  const url = registry.url
  registry.close()

  await world.svc(['update', '--refresh'], { env: { npm_config_registry: url } })
  registry = await openFakeService(() => ({ body: { version: '99.0.0' } }))

  expect(await atTerminal()).not.toContain('is available')
  expect(registry.asked).toEqual([])
})

test.each<[what: string, manifest: object, commands: string[]]>([
  ['without an app', {}, ['npm install --global svc-toolkit@latest']],
  [
    'with npm',
    { devDependencies: { 'svc-toolkit': '0' }, dependencies: { 'svc-toolkit-client': '0' } },
    ['npm install --save-dev svc-toolkit@latest', 'npm install svc-toolkit-client@latest'],
  ],
  [
    'with pnpm',
    { packageManager: 'pnpm@9.1.0', devDependencies: { 'svc-toolkit': '0' } },
    ['pnpm add -D svc-toolkit@latest'],
  ],
])('svc update %s prints the commands of the package manager', async (_, manifest, commands) => {
  await writeFile(join(world.folder, 'package.json'), JSON.stringify(manifest))

  expect(await world.json(['update'])).toEqual({ version, latest: null, commands })
})

test('releases are compared by number', () => {
  expect(isNewer('0.10.0', '0.9.9')).toBe(true)
  expect(isNewer('1.0.0', '1.0.0')).toBe(false)
  expect(isNewer('0.2.0', '0.10.0')).toBe(false)
})
