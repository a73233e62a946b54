/** Tests the output of `svc dev` about the user's PostgreSQL server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { bin, openWorld, type World } from '../command-line.js'

let databases: Databases
let world: World

beforeAll(async () => {
  databases = await openDatabases()
})
afterAll(() => databases.stop())
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const server = 'postgres://ada:a secret@127.0.0.1:1/none'

test('the box and status name server and database, without user and password', async () => {
  const url = new URL(await databases.newDatabase())
  url.password = 'hidden'
  const words = ['--port', '0', '--database-url', url.href, '--', process.execPath, bin, 'status']

  const { stdout } = await world.svc(['dev', ...words])

  expect(stdout).toMatch(new RegExp(`in PostgreSQL, postgres://${url.host}${url.pathname}\\s`))
  expect(stdout).toMatch(new RegExp(`PostgreSQL \\d+\\.\\d+.* at postgres://${url.host}${url.pathname}\\s`))
  expect(stdout).not.toContain('hidden')
})

test.each(['--fresh', '--per-branch', '--memory'])(
  '%s beside a server is refused, and the password not repeated',
  async (flag) => {
    const { exit, stderr } = await world.svc(['dev', flag, '--database-url', server], { isRefused: true })

    expect(exit).toBe(2)
    expect(stderr).toMatch(/^error {2}--[\w-]+ cannot also be provided when using --[\w-]+\.$/m)
    expect(stderr).not.toContain('secret')
  },
)

test.each(['--fresh', '--per-branch'])('%s where svc.json names a server says what to do instead', async (flag) => {
  writeFileSync(join(world.folder, 'svc.json'), JSON.stringify({ dev: { databaseUrl: server } }))
  await world.svc(['profiles', 'trust'])

  const { exit, stderr } = await world.svc(['dev', flag], { isRefused: true })

  expect(exit).toBe(2)
  expect(stderr).toContain(`${flag} needs the embedded database, but databaseUrl is set.`)
  expect(stderr).toMatch(/svc reset|--database-url/)
})
