/** Tests `svc serve` without its output or its parent: requests go on, a stop finishes them, and it exits cleanly. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bin } from '../cli/command-line.js'
import { type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { endsByItself, patiently } from '../fixtures/patience.js'
import { halfAPost } from '../fixtures/requests/half-post.js'
import { askAdmin, openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld<PostgresServer>
beforeAll(async () => {
  world = await openServeWorld(startPostgres)
})
afterAll(() => world.close())

it('a log whose disk is full ends neither requests nor the process', async () => {
  const full = join(world.folder, 'full.cjs')
  const openFull = "const fs = require('node:fs'); fs.closeSync(2); fs.openSync('/dev/full', 'w')"
  await writeFile(full, `if (require('node:worker_threads').isMainThread) { ${openFull} }`)
  const serving = await world.startWith({ NODE_OPTIONS: `--require ${full}` })

  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${serving.url}/collections`)))

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401))
  expect((await serving.stop()).exit).toBe(0)
})

it('a stop finishes the requests at work where nobody reads standard output any more', async () => {
  const { url, adminUrl, child } = await startAlone('alone.json')
  const made = await askAdmin(adminUrl, 'POST', '/projects', {})
  const { secretKey } = (await made.json()) as { secretKey: string }
  const posting = await halfAPost(`${url}/collections`, secretKey, { name: 'posts' })

  child.stdout.destroy()
  child.kill('SIGTERM')
  await untilUnready(adminUrl)
  posting.finish()

  expect(await posting.status).toBe(201)
  expect((await child).exitCode).toBe(0)
})

it('a stop while the database is away has not failed, and leaves no ready file', async () => {
  const { adminUrl, child } = await startAlone('away.json')

  await world.postgres.kill()
  await untilUnready(adminUrl)
  child.kill('SIGTERM')

  const { exitCode, stderr } = await child
  expect([exitCode, stderr.includes('"uncaught"')]).toEqual([0, false])
  expect(existsSync(join(world.folder, 'away.json'))).toBe(false)
})

async function untilUnready(adminUrl: string): Promise<void> {
  await vi.waitFor(async () => expect((await fetch(`${adminUrl}/readyz`)).status).toBe(503), patiently)
}

async function startAlone(name: string) {
  const file = join(world.folder, name)
  const words = ['--port', '0', '--admin-port', '0', '--ready-file', file]
  const child = execa(process.execPath, [bin, 'serve', ...words], {
    ...{ cwd: world.folder, env: world.env, extendEnv: false, reject: false },
    ...endsByItself,
  })
  const ready = await vi.waitFor(async () => JSON.parse(await readFile(file, 'utf8')), patiently)
  return { ...(ready as { url: string; adminUrl: string }), child }
}
