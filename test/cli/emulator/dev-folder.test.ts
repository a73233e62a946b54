/** How emulators share one folder, and what `svc stop` may end: contract 11. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, nodeOptions, openWorld, type World } from '../command-line.js'
import { openFakeService } from '../fake-service.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const fileOf = (folder = '.svc') => join(world.folder, folder, 'emulator.json')
const infoOf = (folder?: string) => JSON.parse(readFileSync(fileOf(folder), 'utf8'))

/** The fields that contract 11 names, and no other. */
const fields = [
  ...['apiKey', 'controlToken', 'dashboardUrl', 'dataDir', 'pid'],
  ...['projectId', 'storageUrl', 'url', 'version', 'wsUrl'],
]

test('svc dev --memory runs beside the emulator of the folder, which stays the one that commands find, and says how to speak to it', async () => {
  await world.useLeftFolder()
  const folder = join(world.folder, '.svc/keys')
  const keys = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join()
  await world.useEmulator()
  const before = infoOf()
  const words = ['--ready-file', 'ready.json', '--', 'cp', 'ready.json', 'beside.json']

  const { exit, stdout } = await world.svc(['dev', '--memory', '--port', '0', ...words])

  expect(exit).toBe(0)
  expect(infoOf()).toEqual(before)
  const ready = JSON.parse(readFileSync(join(world.folder, 'beside.json'), 'utf8'))
  expect(Object.keys(ready).sort()).toEqual(fields)
  expect(ready.dataDir).toBe(null)
  for (const key of [ready.controlToken, ready.apiKey]) expect(keys).toContain(`"${key}"`)
  expect(stdout).toContain(`export SVC_URL=${ready.url} SVC_API_KEY=${ready.apiKey}`)
  expect(stdout).not.toContain('data is saved')
  expect(await world.json(['status'])).toMatchObject({ url: before.url })
})

test('a file that tells of another emulator by now is left to it, though its process has the same number', async () => {
  const dev = await world.dev('--ready-file', 'ready.json')
  const others = JSON.stringify({ ...infoOf(), url: 'http://127.0.0.1:9' })
  writeFileSync(fileOf(), others)
  writeFileSync(join(world.folder, 'ready.json'), JSON.stringify({ ...infoOf(), url: dev.url, pid: dev.pid + 1 }))

  await dev.stop()

  expect(readFileSync(fileOf(), 'utf8')).toBe(others)
  expect(JSON.parse(readFileSync(join(world.folder, 'ready.json'), 'utf8'))).toMatchObject({ pid: dev.pid + 1 })
})

test('svc stop ends only the emulator of the folder that it is called in: none of an outer one, or that a file names wrongly', async () => {
  const dev = await world.useEmulator()
  const inner = join(world.folder, 'inner')
  mkdirSync(inner)
  mkdirSync(join(world.folder, 'old'))
  writeFileSync(fileOf('old'), JSON.stringify({ ...infoOf(), controlToken: 'x'.repeat(32) }))

  const env = cleanEnv(world.folder)
  const inside = await execa(process.execPath, [bin, 'stop'], { cwd: inner, env, extendEnv: false })
  const wrong = await world.svc(['stop', '--data', 'old'])

  expect(inside.stderr).toContain('No emulator runs in this folder')
  expect(inside.stderr).toContain(`has one at ${dev.url}`)
  expect(wrong).toMatchObject({ exit: 0, stderr: expect.stringContaining('No emulator runs in "old"') })
  expect(await world.json(['stop', '--data', 'old'])).toEqual({ stopped: false, pid: null, url: null })
  expect(await world.json(['status'])).toMatchObject({ url: dev.url })
})

test('svc stop signals no process for a server that answers everything with 200', async () => {
  const service = await openFakeService(() => ({ body: '<title>An app</title>' }))
  const bystander = execa('sleep', ['1000'], { reject: false })
  onTestFinished(async () => {
    service.close()
    bystander.kill()
    await bystander
  })
  const { url } = service
  const info = { url, wsUrl: url.replace('http', 'ws'), storageUrl: url, dashboardUrl: url, pid: bystander.pid }
  mkdirSync(join(world.folder, 'reused'))
  writeFileSync(fileOf('reused'), JSON.stringify({ apiKey: 'k', controlToken: 't', ...info, dataDir: null }))

  const stopped = await world.json(['stop', '--data', 'reused'])

  expect(stopped).toEqual({ stopped: false, pid: null, url: null })
  expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null])
  expect(service.asked.map(({ path }) => path)).toContain('/_svc/api/process')
})

test('svc stop and svc status take no emulator that is too busy to answer for one that has ended', async () => {
  const dev = await world.dev('--memory')
  process.kill(dev.pid, 'SIGSTOP')

  const [stopped, status] = await Promise.all([world.svc(['stop']), world.svc(['status'])])
  process.kill(dev.pid, 'SIGCONT')

  expect(status).toMatchObject({ exit: 0, stdout: expect.stringContaining(dev.url) })
  expect(status.stderr).toContain(`${dev.url} does not answer at the moment. Process ${dev.pid} runs.`)
  expect(stopped).toMatchObject({ exit: 7, stderr: expect.stringContaining(`Process ${dev.pid} does not answer`) })
  expect(await world.json(['stop'])).toMatchObject({ stopped: true, pid: dev.pid })
  expect((await world.svc(['status'])).exit).toBe(8)
  expect((await dev.stop()).exit).toBe(0)
})

test('svc status and svc wait take no other emulator, which has the address by now, for that of the folder', async () => {
  await world.useEmulator()
  const own = infoOf()
  writeFileSync(fileOf(), JSON.stringify({ ...own, controlToken: 'x'.repeat(32), pid: 99_999_999 }))

  const status = await world.svc(['status', '--env'])
  const none = await world.svc(['wait', '--timeout', '0'])
  const waiting = world.json(['wait', '--timeout', '2m'])
  writeFileSync(fileOf(), JSON.stringify(own))

  expect(status).toMatchObject({ exit: 8, stdout: '' })
  expect(none).toMatchObject({ exit: 7, stderr: expect.stringContaining('The emulator of this folder did not answer') })
  expect(await waiting).toMatchObject({ url: own.url })
})

test('svc wait waits for the state folder that is named, whatever the environment names', async () => {
  const { url } = await world.useEmulator()
  renameSync(join(world.folder, '.svc'), join(world.folder, 'other'))
  const env = { SVC_URL: 'http://127.0.0.1:1' }

  const named = await world.json(['wait', '--data', 'other'], { env })
  const unnamed = await world.svc(['wait', '--timeout', '0'], { env })
  const both = await world.svc(['wait', '--data', 'other', '--url', url])

  expect(named).toMatchObject({ url })
  expect(unnamed).toMatchObject({ exit: 7, stderr: expect.stringContaining('http://127.0.0.1:1') })
  expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining('--data') })
})

test('of several that start at once in one folder after a crash, however they spell it, exactly one runs', async () => {
  const long = join(world.folder, 'a'.repeat(60), 'b'.repeat(60))
  mkdirSync(long, { recursive: true })
  symlinkSync(long, join(world.folder, 'link'))
  const started = await world.svc(['dev', '--detach', '--port', '0', '--data', long])
  process.kill(infoOf(long.slice(world.folder.length)).pid, 'SIGKILL')
  expect(started.exit).toBe(0)
  mkdirSync(join(world.folder, 'tmp'))

  const starts = [[long], ['link'], ['link', join(world.folder, 'tmp')]].map(([data = '', tmp]) =>
    execa(process.execPath, [...nodeOptions, bin, 'dev', '--port', '0', '--json', '--data', data], {
      cwd: world.folder,
      env: { ...cleanEnv(world.folder), ...(tmp === undefined ? {} : { TMPDIR: tmp }) },
      extendEnv: false,
      reject: false,
      ...endsByItself,
    }),
  )
  const outcomes = await Promise.all(
    starts.map(
      (child) =>
        new Promise<string>((resolve) => {
          let said = ''
          child.stdout.on('data', (piece) => {
            said += piece
            if (said.includes('"ready"')) resolve('runs')
            if (said.includes('ALREADY_RUNNING')) resolve('refused')
          })
          void child.then(({ stderr }) => resolve(stderr))
        }),
    ),
  )
  for (const child of starts) child.kill('SIGTERM')
  await Promise.all(starts)

  expect(outcomes.sort()).toEqual(['refused', 'refused', 'runs'])
})

test('a start that fails because of its port or address has changed nothing', async () => {
  const first = await world.dev()
  await world.svc(['collections', 'create', 'posts'])
  const { settings } = (await world.json(['project', 'show'])) as { settings: object }
  const { controlToken } = infoOf()
  await first.stop()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const changes = ['--fresh', '--new-token', '--dialect', 'b', '--tier', 'free']
  await execa('git', ['init', '-q', '-b', 'main'], { cwd: world.folder })

  const taken = await world.svc(['dev', '--port', String(port), ...changes], { isRefused: true })
  const elsewhere = await world.svc(['dev', '--host', '192.0.2.1', ...changes], { isRefused: true })
  const ofBranch = await world.svc(['dev', '--port', String(port), '--per-branch'], { isRefused: true })
  await world.dev()

  expect(taken).toMatchObject({ exit: 1, stdout: '' })
  expect(taken.stderr).toMatch(new RegExp(`^error {2}Port ${port} is in use\\.\\n.*--port`))
  expect(elsewhere).toMatchObject({ exit: 1, stdout: '' })
  expect(ofBranch).toMatchObject({ exit: 1, stdout: '' })
  expect(existsSync(join(world.folder, '.svc', 'branches'))).toBe(false)
  expect(await world.json(['collections', 'list'])).toMatchObject([{ name: 'posts' }])
  expect(await world.json(['project', 'show'])).toMatchObject({ settings })
  expect(infoOf()).toMatchObject({ controlToken })
  expect(readdirSync(join(world.folder, '.svc')).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

test('in an app that has it, the commands to try are those that its shell finds', async () => {
  const own = join(world.folder, 'node_modules/.bin/svc')
  mkdirSync(join(own, '..'), { recursive: true })
  symlinkSync(bin, own)
  const run = (...words: string[]) =>
    execa(process.execPath, [own, ...words], {
      cwd: world.folder,
      env: { ...cleanEnv(world.folder), npm_config_user_agent: 'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false' },
      extendEnv: false,
      reject: false,
      timeout: hungMilliseconds,
    })

  const whoami = await run('whoami')
  const dev = await run('dev', '--memory', '--port', '0', '--', 'node', '-e', '0')

  expect(whoami.stderr).toContain('Start one: npx svc dev')
  expect(dev.stdout, dev.stderr).toMatch(/Try +npx svc collections create posts\n +npx svc docs create posts/)
})
