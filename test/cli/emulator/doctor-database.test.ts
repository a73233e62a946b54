/** Tests the output of `svc doctor` about the user's PostgreSQL server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startPooler } from '../../fixtures/databases/pooler.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { openWorld, type World } from '../command-line.js'

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

interface Check {
  readonly check: string
  readonly said: string
  readonly findings: readonly { readonly code: string; readonly level: string; readonly remedy: string }[]
}

/** The check of the database; what the server of the tests is spared, and the machine's own, is left out. */
async function database(...words: string[]) {
  const { stdout } = await world.svc(['doctor', '--json', ...words])
  const checks: Check[] = JSON.parse(stdout).checks
  const { said, findings } = checks.find(({ check }) => check === 'database') ?? { said: '', findings: [] }
  return { said, wrong: findings.filter(({ level }) => level === 'wrong'), all: findings.map(({ code }) => code) }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

test('a new database is empty, one that svc dev has used at the newest migration, an older one refused', async () => {
  const url = await databases.newDatabase()
  const empty = await database('--database-url', url)
  const dev = await world.dev('--database-url', url)
  const beside = await database()
  await dev.stop()
  const used = await database('--database-url', url)
  await run(url, 'delete from svc.migrations where number > 100; update svc.migrations set number = 28')
  const older = await database('--database-url', url)

  expect(empty).toMatchObject({ said: expect.stringMatching(/^PostgreSQL \d+, UTF8, .*, empty$/), wrong: [] })
  expect(beside.said).toMatch(/^PostgreSQL \d+\.\d+, in memory or on your own server; check that with --database-url$/)
  expect(used).toMatchObject({ said: expect.stringMatching(/at migration \d+$/), wrong: [] })
  expect(used.all).not.toContain('MIGRATIONS')
  expect(older.wrong).toMatchObject([{ code: 'DATA_OLDER' }])
})

test('a role without rights, a server that is not there and a pooler are wrong, each with its remedy', async () => {
  const url = await databases.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const role = `weak_${name}`
  await run(url, `create role ${role} login password 'weak'; revoke create on database ${name} from public`)
  const weak = new URL(url)
  weak.username = role
  weak.password = 'weak'
  const pooler = await startPooler({ url }, { keepsPrepared: true })
  try {
    const refused = await database('--database-url', weak.href)
    const gone = await database('--database-url', 'postgres://ada:hidden@127.0.0.1:1/none')
    const pooled = await database('--database-url', pooler.url(url))

    expect(refused.wrong.map(({ code }) => code)).toContain('NO_RIGHTS')
    expect(gone.wrong).toMatchObject([{ code: 'DATABASE_UNREACHABLE', message: expect.not.stringContaining('hidden') }])
    expect(pooled.wrong).toMatchObject([
      { code: 'DATABASE_POOLED', remedy: expect.stringContaining('--database-listen-url') },
    ])
  } finally {
    await pooler.close()
    await run(url, `drop role ${role}`)
  }
})

test('the server of svc.json is looked at once svc was used in the folder, and not before', async () => {
  const path = join(world.folder, 'svc.json')
  writeFileSync(path, JSON.stringify({ dev: { databaseUrl: 'postgres://127.0.0.1:1/none' } }))

  const before = await database()
  await world.svc(['profiles', 'trust', '--yes'])
  const after = await database()

  expect(before).toMatchObject({ said: expect.stringContaining('not checked'), wrong: [] })
  expect(after.wrong).toMatchObject([{ code: 'DATABASE_UNREACHABLE' }])
})
