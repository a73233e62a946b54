/** The command that runs beside the emulator: `svc dev -- npm run start`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ownersMark } from '../../../cli/target/env-file.js'
import { patiently } from '../../fixtures/patience.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let app: number | undefined

beforeEach(async () => {
  world = await openWorld()
  app = undefined
})
afterEach(async () => {
  // One that goes on would keep what it has inherited open.
  if (app !== undefined && isRunning(app)) process.kill(app, 'SIGKILL')
  await world.close()
})

test('a command after -- knows the emulator, and both end with its exit code', async () => {
  const script = `
    const { SVC_URL, SVC_WS_URL, SVC_API_KEY } = process.env
    const { status } = await fetch(SVC_URL + '/collections', { headers: { 'x-api-key': SVC_API_KEY } })
    console.log(status, SVC_WS_URL)
    process.exitCode = 7`
  const words = ['--', process.execPath, '--input-type=module', '-e', script]

  const ran = await world.svc(['dev', '--memory', '--port', '0', '--quiet', ...words])

  expect(ran).toMatchObject({ exit: 7, stdout: expect.stringMatching(/^200 ws:\/\/127\.0\.0\.1:\d+\n$/) })
  expect((await world.svc(['status'])).exit).toBe(8)
})

test('Ctrl-C ends the command after -- too, which may say good-bye', async () => {
  const script = `
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => { console.log('good-bye'); process.exit(3) })
    setInterval(() => undefined, 1_000)
    require('node:fs').writeFileSync('begun', '')`
  const dev = await world.dev('--memory', '--', process.execPath, '-e', script)
  await vi.waitUntil(() => existsSync(join(world.folder, 'begun')), patiently)

  const stopped = await dev.stop('SIGINT')

  expect(stopped).toMatchObject({ exit: 0, stderr: expect.stringContaining('good-bye') })
  expect(stopped.stdout.trim().split('\n')).toHaveLength(1)
})

/** As `npm run start`: a shell that hands no signal on, and what it runs. */
const behindShell = (code: string) => ['--', 'sh', '-c', '"$0" -e "$1"; true', process.execPath, code]

test('SIGTERM ends what the command after -- has started, also where it only says good-bye', async () => {
  const dev = await world.dev(
    '--memory',
    ...behindShell(`process.on('SIGTERM', () => console.log('good-bye')); ${saysPid}`),
  )
  const pid = await pidOfApp()

  const stopped = dev.stop('SIGTERM')

  await expect.poll(() => isRunning(pid)).toBe(false)
  expect(await stopped).toMatchObject({ exit: 0, stderr: expect.stringContaining('good-bye') })
})

test('svc dev that is killed takes the app with it', async () => {
  const dev = await world.dev('--memory', ...behindShell(saysPid))
  const pid = await pidOfApp()

  process.kill(dev.pid, 'SIGKILL')

  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('no command after --, or one in the background, is misuse', async () => {
  for (const words of [['--'], ['--detach', '--', 'npm', 'test'], ['npm', 'test']]) {
    const ran = await world.svc(['dev', '--memory', '--port', '0', ...words], { isRefused: true })
    expect(ran.exit, words.join(' ')).toBe(2)
  }
})

test.each([
  ['that there is not', 'no-such-command', '(not found)'],
  ['that is a folder', './inner', '(is a directory)'],
  ['that cannot be run', './notes.txt', '(permission denied)'],
  ['in quotes', 'node  -v', 'Remove the quotes around the command: -- node -v'],
])('a command %s is refused before anything is started for it', async (_, command, why) => {
  mkdirSync(join(world.folder, 'inner'))
  writeFileSync(join(world.folder, 'notes.txt'), '')

  const ran = await world.svc(['dev', '--data', 'untouched', '--port', '0', '--', command], { isRefused: true })

  expect(ran).toMatchObject({ exit: 4, stdout: '', stderr: expect.stringContaining('Could not start') })
  expect(ran.stderr).toContain(why)
  expect(existsSync(join(world.folder, 'untouched'))).toBe(false)
})

const saysPid = `
  require('node:fs').writeFileSync('pid', String(process.pid))
  setInterval(() => undefined, 1_000)`

async function pidOfApp(): Promise<number> {
  const file = join(world.folder, 'pid')
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', patiently)
  app = Number(readFileSync(file, 'utf8'))
  return app
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test("lines of .env.local that are not below the comment of svc dev are their owner's, who is told what to write", async () => {
  const { url } = await world.useEmulator()
  const content = `VITE_SVC_URL=http://127.0.0.1:9\nSVC_API_KEY=mine\n\n${ownersMark}\nSVC_URL=\n\nVITE_SVC_API_KEY=mine\n`
  writeFileSync(join(world.folder, '.env.local'), content)

  const { stdout } = await world.svc(['doctor'])
  const repaired = await world.svc(['doctor', '--repair'])

  expect(stdout).toContain(`Set VITE_SVC_URL=${url}`)
  expect(stdout).toContain('Set SVC_API_KEY to the key that this prints: svc status --env')
  expect(stdout).toContain('Set VITE_SVC_API_KEY to the key that this prints: svc status --env')
  expect(repaired.exit).toBe(10)
  expect(readFileSync(join(world.folder, '.env.local'), 'utf8')).toBe(content.replace('\nSVC_URL=', `\nSVC_URL=${url}`))
  rmSync(join(world.folder, '.svc', 'emulator.json'))
  expect((await world.svc(['doctor'])).stdout).not.toContain('to update .env.local')
  const { stderr } = await world.svc(['dev', '--memory', '--port', '0', '--', 'true'])
  expect(stderr).not.toContain('has this address and key')
  expect(readFileSync(join(world.folder, '.env.local'), 'utf8').match(/mine/g)).toHaveLength(2)
})
