/** What `svc serve` writes to, and stands on, is gone: requests go on, a stop finishes them, and it ends well. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bin } from '../cli/command-line.js'
import { endsByItself, patiently } from '../fixtures/patience.js'
import { askAdmin, openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

it('a log whose disk is full ends neither requests nor workers nor the process that replaces them', async () => {
  const full = join(world.folder, 'full.cjs')
  await writeFile(full, `const fs = require('node:fs'); fs.closeSync(2); fs.openSync('/dev/full', 'w')`)
  const serving = await world.startWith({ NODE_OPTIONS: `--require ${full}` }, '--workers', '2')
  const workers = serving.workers()

  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${serving.url}/collections`)))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401))
  expect(serving.workers()).toEqual(workers)

  process.kill(Number(workers[0]), 'SIGKILL')
  await vi.waitFor(() => expect(serving.workers().filter((pid) => pid !== workers[0])).toHaveLength(2), patiently)
  await vi.waitFor(async () => expect((await fetch(`${serving.adminUrl}/readyz`)).status).toBe(200), patiently)
  expect((await serving.stop()).exit).toBe(0)
})

it('a stop finishes the requests at work where nobody reads standard output any more', async () => {
  const { url, adminUrl, child } = await startAlone('alone.json')
  const made = await askAdmin(adminUrl, 'POST', '/projects', {})
  const { secretKey } = (await made.json()) as { secretKey: string }
  const { hostname, port } = new URL(url)
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json', 'content-length': 17 }
  const asked = request({ hostname, port, method: 'POST', path: '/collections', headers })
  const status = new Promise((resolve, reject) => {
    asked.on('response', (response) => resolve(response.resume().statusCode))
    asked.on('error', reject)
  })
  asked.write('{"name": ')

  child.stdout.destroy()
  child.kill('SIGTERM')
  const answered = () => fetch(`${adminUrl}/readyz`).then((response) => response.status)
  await vi.waitFor(async () => expect(await answered()).toBe(503), patiently)
  asked.end('"posts"}')

  expect(await status).toBe(201)
  expect((await child).exitCode).toBe(0)
})

it('a stop while the database is away has not failed, and leaves no ready file', async () => {
  const names = ['one.json', 'two.json']
  const started = await Promise.all(names.map((name, at) => startAlone(name, '--workers', String(at + 1))))

  await world.postgres.kill()
  for (const { adminUrl } of started) {
    await vi.waitFor(async () => expect((await fetch(`${adminUrl}/readyz`)).status).toBe(503), patiently)
  }
  for (const { child } of started) child.kill('SIGTERM')

  const ended = await Promise.all(started.map(({ child }) => child))
  expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr.includes('"uncaught"')])).toEqual(
    Array(2).fill([0, false]),
  )
  expect(names.filter((name) => existsSync(join(world.folder, name)))).toEqual([])
})

async function startAlone(name: string, ...flags: readonly string[]) {
  const file = join(world.folder, name)
  const words = ['--port', '0', '--admin-port', '0', '--ready-file', file, ...flags]
  const child = execa(process.execPath, [bin, 'serve', ...words], {
    ...{ cwd: world.folder, env: world.env, extendEnv: false, reject: false },
    ...endsByItself,
  })
  const ready = await vi.waitFor(async () => JSON.parse(await readFile(file, 'utf8')), patiently)
  return { ...(ready as { url: string; adminUrl: string }), child }
}
