/** A hung process kills itself, so that its supervisor restarts it; one that was only busy, or slept, goes on. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { bin } from '../cli/command-line.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

const timeoutSeconds = 6

let world: ServeWorld
/** Hangs for as long as it says at SIGUSR2. */
let hanging: (milliseconds: number) => Promise<Record<string, string>>
beforeAll(async () => {
  world = await openServeWorld()
  hanging = async (milliseconds) => {
    const preload = join(world.folder, `hang-${milliseconds}.cjs`)
    const hang = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${milliseconds})`
    await writeFile(preload, `process.on('SIGUSR2', () => { ${hang}; console.error('it goes on') })`)
    return { NODE_OPTIONS: `--require ${preload}` }
  }
})
afterAll(() => world.close())

const startHanging = async (milliseconds: number, ...flags: string[]) =>
  world.startWith(await hanging(milliseconds), '--hang-timeout', `${timeoutSeconds}s`, ...flags)

async function expectKilled({ ended, log, pid }: Serving): Promise<void> {
  expect((await ended).exit).toBe(137)
  const last = log().trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last)).toMatchObject({
    ...{ level: 60, pid },
    msg: `The event loop has not run for ${timeoutSeconds} s: this process hangs and is killed.`,
  })
}

it('a hung process kills itself and says so last; its connections end, and the next one takes the port', async () => {
  const serving = await startHanging(3_600_000)
  const { port } = new URL(serving.url)

  serving.signal('SIGUSR2')
  const answer = fetch(`${serving.url}/livez`).then(String, (error) => error.cause.code)

  await expectKilled(serving)
  expect(['ECONNRESET', 'UND_ERR_SOCKET']).toContain(await answer)
  const next = await world.start('--port', port)
  expect((await fetch(`${next.url}/livez`)).status).toBe(200)
  await next.stop()
})

it('one that hangs while it stops kills itself too', async () => {
  const serving = await startHanging(3_600_000, '--shutdown-delay', '1h')

  serving.signal('SIGTERM')
  await vi.waitFor(async () => expect((await fetch(`${serving.adminUrl}/readyz`)).status).toBe(503), patiently)
  serving.signal('SIGUSR2')

  await expectKilled(serving)
})

it('one that slept for longer goes on, and is killed when it hangs after that', async () => {
  const serving = await startHanging(3_600_000)

  serving.signal('SIGSTOP')
  await pause(1.5 * timeoutSeconds * 1_000)
  serving.signal('SIGCONT')
  await pause(0.5 * timeoutSeconds * 1_000)

  expect((await fetch(`${serving.url}/livez`)).status).toBe(200)
  serving.signal('SIGUSR2')
  await expectKilled(serving)
})

it.each([
  ['for less than the timeout', '60s'],
  ['where --hang-timeout is 0s', '0s'],
])('one that is busy %s goes on', async (_, hangTimeout) => {
  const serving = await world.startWith(await hanging(3_000), '--hang-timeout', hangTimeout)

  serving.signal('SIGUSR2')

  await vi.waitFor(() => expect(serving.log()).toContain('it goes on'), patiently)
  expect((await fetch(`${serving.url}/livez`)).status).toBe(200)
  expect((await serving.stop()).exit).toBe(0)
})

it.runIf(process.getuid?.() === 0)('one with PID 1, which cannot kill itself, says so at its start', async () => {
  const flags = ['--port', '0', '--admin-port', '0', '--json']
  const child = execa('unshare', ['--pid', '--fork', '--kill-child', process.execPath, bin, 'serve', ...flags], {
    ...{ cwd: world.folder, env: world.env, extendEnv: false, reject: false },
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child
  })
  let text = ''
  child.stderr.on('data', (piece) => {
    text += piece
  })

  await vi.waitFor(() => expect(text).toContain('docker run --init'), patiently)
})
