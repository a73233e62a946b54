import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'
import { emulatorFile } from './emulator-file.js'
import { type FakeService, openFakeService } from './fake-service.js'

// Contract 12.4: one order decides what a command talks to.

let world: World
let services: Record<'flag' | 'environment' | 'emulator' | 'project' | 'profile', FakeService>

beforeEach(async () => {
  world = await openWorld()
  const open = () => openFakeService(() => ({ body: [] }))
  const [flag, environment, emulator, project, profile] = await Promise.all([open(), open(), open(), open(), open()])
  services = { flag, environment, emulator, project, profile }
  await world.svc(['profiles', 'add', 'prod', '--url', profile.url, '--key', 'svc_key_of_profile', '--use'])
})
afterEach(async () => {
  for (const service of Object.values(services)) service.close()
  await world.close()
})

const put = async (file: string, content: object) => {
  await mkdir(join(world.folder, file, '..'), { recursive: true })
  await writeFile(join(world.folder, file), JSON.stringify(content))
}
const running = () => put('.svc/emulator.json', emulatorFile({ url: services.emulator.url, pid: process.pid }))
const stopped = () => put('.svc/emulator.json', emulatorFile({ url: services.emulator.url }))

/** Which service a command asks, and what it says of others. */
async function asked(words: readonly string[] = [], env: Record<string, string> = {}) {
  const before = Object.values(services).map((service) => service.asked.length)
  const { stderr } = await world.svc(['collections', 'list', ...words], { env })
  const names = Object.entries(services).filter(([, service], at) => service.asked.length > (before[at] ?? 0))
  return [names.map(([name]) => name).join(), stderr.match(/^Using .*$/m)?.[0]]
}

test('contract 12.4 flag, environment, running emulator, svc.json, default profile', async () => {
  const { url } = services.environment

  expect(await asked()).toEqual(['profile', undefined])
  await put('svc.json', { url: services.project.url })
  const file = join(world.folder, 'svc.json')
  expect(await asked()).toEqual(['project', expect.stringContaining(`Using ${file}, not profile prod.`)])
  await running()
  const said = `Using the running emulator, not ${file} or profile prod.`
  expect(await asked()).toEqual(['emulator', expect.stringContaining(said)])
  expect(await asked(['--quiet'])).toEqual(['emulator', undefined])
  expect(await asked([], { SVC_URL: url })).toEqual(['environment', undefined])
  expect(await asked(['--url', services.flag.url], { SVC_URL: url })).toEqual(['flag', undefined])
  expect(await asked(['--profile', 'prod'])).toEqual(['profile', undefined])
})

test('a write to another service that has the address of the file by now says so, and asks', async () => {
  await running()

  const { exit, stderr } = await world.svc(['docs', 'create', 'posts', 'title=Hello'])

  expect(exit).toBe(2)
  expect(stderr).toContain(`-> ${new URL(services.emulator.url).host} (the running emulator)`)
  expect(stderr).toContain('Cannot ask without a terminal.')
  expect(services.emulator.asked.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('the emulator of a file whose process is gone is passed over, and used where nothing else is named', async () => {
  await stopped()
  const file = join(world.folder, '.svc/emulator.json')

  const [profile, said] = await asked()
  await world.svc(['profiles', 'use', '--none'])

  expect([profile, said]).toEqual(['profile', expect.stringContaining(`not the stopped emulator of ${file}.`)])
  expect(await asked()).toEqual(['emulator', undefined])
})

test('a write goes to the emulator that runs, whatever profile is the default', async () => {
  await running()

  await world.svc(['docs', 'delete', 'posts', 'x', '--yes'])

  expect(services.profile.asked).toEqual([])
  expect(services.emulator.asked).toContainEqual(expect.objectContaining({ method: 'DELETE' }))
})

test('svc whoami shows the decision, and what was passed over', async () => {
  await running()

  const here = await world.json(['whoami'])
  const there = await world.json(['whoami', '--profile', 'prod'])
  const shown = await world.svc(['whoami'])

  expect(here).toMatchObject({ url: services.emulator.url, from: 'the running emulator', passedOver: ['profile prod'] })
  expect(there).toMatchObject({ url: services.profile.url, from: 'profile prod', passedOver: [] })
  expect(shown.stdout).toMatch(/passedOver +profile prod\n/)
})

test('the other side of a comparison is not the emulator of the folder', async () => {
  await running()

  await world.svc(['diff'])
  await world.svc(['profiles', 'use', '--none'])
  const unnamed = await world.svc(['diff'])

  expect(services.profile.asked).not.toEqual([])
  expect(unnamed).toMatchObject({ exit: 2, stderr: expect.stringContaining('Choose the service to compare') })
})
