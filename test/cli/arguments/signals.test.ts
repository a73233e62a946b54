/** Tests signals of a terminal: Ctrl-C, which npm sends a second time, and closing it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const emulatorFile = () => join(world.folder, '.svc', 'emulator.json')

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function start(words: readonly string[]) {
  const child = execa(process.execPath, [...nodeOptions, bin, ...words], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...{ timeout: hungMilliseconds, ...endsByItself },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += piece))
  return {
    child,
    saying: (words: string) => vi.waitFor(() => expect(said).toContain(words), patiently),
    /**
     * As it comes where npm hands on what the terminal has sent to both. The second may arrive when Node is ending and has
     * removed its handlers: a shell then reports what the command would have returned.
     */
    async interrupt() {
      for (let times = 0; times < 2; times++) {
        child.kill('SIGINT')
        await pause(30)
      }
      const { exitCode, signal, stderr } = await child
      return { exitCode: signal === 'SIGINT' ? 130 : exitCode, stderr }
    },
  }
}

test('svc exec hands a Ctrl-C that comes twice at once on as one', async () => {
  const code = `
    let times = 0
    process.on('SIGINT', () => {
      if (++times === 1) setTimeout(() => process.exit(10 + times), 300)
    })
    setInterval(() => undefined, 1_000)
    console.log('ready')`
  const running = start(['exec', '--', process.execPath, '-e', code])
  await running.saying('ready')

  expect((await running.interrupt()).exitCode).toBe(11)
})

test('an import from stdin that Ctrl-C stops says how far it came, also where the signal comes twice', async () => {
  await world.useEmulator()
  const running = start(['docs', 'import', 'posts', '-', '--create', '--format', 'ndjson'])
  running.child.stdin?.write(`${JSON.stringify({ n: 1 })}\n`.repeat(3_000))
  await vi.waitFor(async () => {
    expect((await world.svc(['docs', 'count', 'posts'])).stdout).not.toBe('0\n')
    expect((await world.svc(['docs', 'count', 'posts'])).exit).toBe(0)
  }, patiently)

  const { exitCode, stderr } = await running.interrupt()

  expect(exitCode).toBe(130)
  expect(stderr).toContain('Stopped after')
})

test('svc dev that is stopped by a Ctrl-C that comes twice stops in order', async () => {
  const running = start(['dev', '--memory', '--port', '0'])
  await running.saying('Ctrl-C stops')

  expect((await running.interrupt()).exitCode).toBe(0)
  expect(existsSync(emulatorFile())).toBe(false)
})

test('svc dev --detach that is stopped while it waits ends what it has started', async () => {
  const running = start(['dev', '--memory', '--port', '0', '--detach'])
  const left = () =>
    readdirSync(join(world.folder, '.svc')).filter((name) => /^dev\..*log$|^emulator\.json$/.test(name))
  await vi.waitFor(() => expect(left()).toHaveLength(1), patiently)

  const { exitCode, stderr } = await running.interrupt()

  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('Stopped. Nothing runs in the background.')])
  expect(left()).toEqual([])
  expect((await world.svc(['status'])).exit).toBe(8)
})

test('svc seed export that is stopped writes nothing, and leaves no key but the one of the owner', async () => {
  const dev = await world.useEmulator()
  await createClient(dev).collections.create({ name: 'posts' })
  const keys = async () =>
    ((await world.json(['keys', 'list'])) as { secret: boolean }[]).filter(({ secret }) => secret)
  const before = await keys()
  await world.json(['faults', 'add', 'latency', '--ms', '60s', '--path', '/collections/posts'])
  const running = start(['seed', 'export'])
  await vi.waitFor(async () => expect(await keys()).toHaveLength(before.length + 1), patiently)

  const { exitCode, stderr } = await running.interrupt()

  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('Stopped; nothing was written.')])
  expect(await keys()).toHaveLength(before.length + 1)
})

test('svc dev whose terminal is closed stops in order, although nothing can be written there', async () => {
  const words = [process.execPath, ...nodeOptions, bin, 'dev', '--memory', '--port', '0']
  const line = `stty cols 80; exec ${words.map((word) => `'${word}'`).join(' ')}`
  const terminal = execa('script', ['-qec', line, '/dev/null'], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), TERM: 'xterm' }, extendEnv: false, reject: false },
    timeout: hungMilliseconds,
  })
  let said = ''
  terminal.stdout.on('data', (piece) => (said += piece))
  await vi.waitFor(() => expect(said).toContain('? for keys'), patiently)
  const { pid } = JSON.parse(readFileSync(emulatorFile(), 'utf8'))

  terminal.kill('SIGKILL')
  await terminal
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patiently)

  expect(existsSync(emulatorFile())).toBe(false)
})
