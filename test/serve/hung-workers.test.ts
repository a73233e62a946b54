/** A worker that hangs: it is killed and replaced, its connections are closed, and a machine that slept loses no worker. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

const mostMilliseconds = 6_000

let world: ServeWorld
let serving: Serving
beforeAll(async () => {
  world = await openServeWorld()
  serving = await world.start('--workers', '2', '--worker-timeout', `${mostMilliseconds}ms`)
  await untilTwoServe()
})
afterAll(() => world.close())

it('a worker that hangs is replaced, and no connection to it is left without an end', async () => {
  const [hung = 0] = serving.workers()

  process.kill(hung, 'SIGSTOP')
  const outcomes = Promise.all(Array.from({ length: 12 }, () => outcomeOfConnection(serving.url)))

  await vi.waitFor(() => expect(serving.workers()).not.toContain(hung), patiently)
  await untilTwoServe()
  // The one that it was given and has not accepted is closed; the others went to the other worker.
  expect((await outcomes).filter((outcome) => outcome === 'closed').length).toBeLessThanOrEqual(1)
  expect(serving.log()).toContain(`A worker (process ${hung}) has not answered for 6 s: it hangs, and is killed.`)
  expect(serving.log()).toContain('A worker ended (it hung); another one takes its place.')
  expect(await metrics()).toMatch(/svc_worker_restarts_total\{reason="hung"\} [1-9]/)
  expect(await outcomeOfConnection(serving.url)).toBe('answered')
})

it('a machine that slept for longer keeps its workers, and one that hangs after that is found', async () => {
  const before = serving.workers()
  const all = [serving.pid, ...before]

  for (const pid of all) process.kill(pid, 'SIGSTOP')
  await pause(1.5 * mostMilliseconds)
  for (const pid of all) process.kill(pid, 'SIGCONT')
  const [hung = 0, other] = before
  process.kill(hung, 'SIGSTOP')

  await vi.waitFor(() => expect(serving.workers()).not.toContain(hung), patiently)
  expect(serving.workers()).toContain(other)
  await untilTwoServe()
})

it('metrics are answered while a worker hangs: with its last figures, and how many are missing', async () => {
  const unwatched = await world.start('--workers', '2', '--worker-timeout', '0s')
  await untilTwoServe(unwatched)
  const [hung = 0] = unwatched.workers()

  process.kill(hung, 'SIGSTOP')
  // One of them may be handed to the worker that hangs.
  const partial = await Promise.any([metrics(unwatched), metrics(unwatched), metrics(unwatched)])
  process.kill(hung, 'SIGCONT')

  expect(partial).toMatch(/^svc_workers_missing 1$/m)
  expect(partial).toMatch(/^svc_processes_started_total 2$/m)
  await vi.waitFor(async () => expect(await metrics(unwatched)).toMatch(/^svc_workers_missing 0$/m), patiently)
  await unwatched.stop()
})

it('a worker that hangs before it has said anything is found as well', async () => {
  const [preload, order] = [join(world.folder, 'hang.cjs'), join(world.folder, 'hang')]
  // By itself, before its own program runs: who stops it from outside may be too late.
  await writeFile(
    preload,
    `const { existsSync, rmSync } = require('node:fs')
    if (require('node:cluster').isWorker && existsSync('${order}')) {
      rmSync('${order}')
      process.kill(process.pid, 'SIGSTOP')
    }`,
  )
  const env = { NODE_OPTIONS: `--require ${preload}` }
  const impatient = await world.startWith(env, '--workers', '2', '--worker-timeout', '2s')
  await untilTwoServe(impatient)
  const [first = 0, second = 0] = impatient.workers()

  await writeFile(order, '')
  process.kill(first, 'SIGKILL')
  await vi.waitUntil(() => !existsSync(order), patiently)
  const hung = impatient.workers().find((pid) => pid !== first && pid !== second) ?? 0

  await vi.waitFor(() => expect(impatient.workers()).not.toContain(hung), patiently)
  await untilTwoServe(impatient)
  expect(impatient.log()).toContain(`A worker (process ${hung}) has not answered for 20 s: it hangs, and is killed.`)
  await impatient.stop()
})

it('a worker that the system does not begin is begun again, and the others go on', async () => {
  const poor = await world.start('--workers', '2')
  await untilTwoServe(poor)
  const [first = 0, second = 0] = poor.workers()

  // No file, pipe or connection more.
  limitFiles(poor.pid, 3)
  process.kill(first, 'SIGKILL')
  await vi.waitFor(() => expect(poor.log()).toMatch(/A worker did not start: .*EMFILE/), patiently)
  expect(poor.workers()).toEqual([second])
  limitFiles(poor.pid, 1_024)

  await vi.waitFor(() => expect(poor.workers()).toHaveLength(2), patiently)
  await untilTwoServe(poor)
  expect(await metrics(poor)).toMatch(/svc_worker_restarts_total\{reason="not started"\} [1-9]/)
  expect(await poor.stop()).toMatchObject({ exit: 0 })
})

it('stops as usual afterwards', async () => {
  expect(await serving.stop()).toMatchObject({ exit: 0 })
})

it('refuses a time that is too short for a worker that works', async () => {
  const { exit, stderr } = await world.run(['--worker-timeout', '10ms'])

  expect([exit, stderr]).toEqual([2, expect.stringContaining('--worker-timeout takes 0s, or 1s to 1h')])
})

function limitFiles(pid: number, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`])
}

async function untilTwoServe(of = serving): Promise<void> {
  await vi.waitFor(async () => expect(await metrics(of)).toMatch(/^svc_workers_missing 0$/m), patiently)
}

async function metrics(of = serving): Promise<string> {
  const response = await fetch(`${of.adminUrl}/metrics`)
  expect(response.status).toBe(200)
  return response.text()
}

/** The outcome of a connection with one request. */
function outcomeOfConnection(url: string): Promise<'answered' | 'closed'> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.end(`GET /livez HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`)
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text.startsWith('HTTP/1.1 200') ? 'answered' : 'closed'))
  })
}
