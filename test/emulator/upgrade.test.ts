/** A state folder of the version before opens in the next one, and a copy of it stays as it was. */
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { startEmulator } from '../../emulator/assembly/dev.js'
import { migrate, OlderDatabaseError } from '../../emulator/database/migrate.js'
import { migrations } from '../../emulator/database/migrations/migrations.js'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../emulator/database/port.js'

/** The next version has one migration more. It is made of what the version before has, so that its folders need no fixture. */
vi.mock('../../emulator/database/migrations/migrations.js', async (original) => {
  const { migrations } = await original<typeof import('../../emulator/database/migrations/migrations.js')>()
  const statements = [{ text: "alter table documents add column words text not null default 'none'", values: [] }]
  return { migrations: [...migrations, { number: 100 + migrations.length, name: 'words', statements }] }
})

const next = migrations.at(-1)?.number ?? 0
const last = next - 1

let folder: string
/** A state folder at the last version with a document, which is not open. Tests work on copies of it. */
let former: string
let apiKey: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
  former = join(folder, 'former')
  const emulator = await startEmulator({ dir: former })
  apiKey = emulator.apiKey
  await fetch(`${emulator.url}/collections`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: '{"name": "posts"}',
  })
  await createClient(emulator).collection('posts').create({ title: 'Hello' })
  await emulator.close()
  await change(join(former, 'data'), sql`alter table svc.documents drop column words`)
  await change(join(former, 'data'), sql`delete from svc.migrations where number = ${next}::int`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function aFolder(name: string): Promise<string> {
  const dir = join(folder, name)
  // Node copies no sockets, and that of the last holder stays.
  await cp(former, dir, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() })
  return dir
}

async function change(dataDir: string, statement: ReturnType<typeof sql>): Promise<unknown[]> {
  const db: Database = await openPglite({ dataDir })
  return db.query(statement).finally(() => db.close())
}

const newestIn = async (dataDir: string) =>
  (await change(dataDir, sql`select max(number) as newest from svc.migrations`))[0]

it('opens with its key and its documents, and a copy of its data is kept', async () => {
  const dir = await aFolder('opened')

  const emulator = await startEmulator({ dir })
  const posts = createClient(emulator).collection('posts')
  const { items } = await posts.list()
  await posts.create({ title: 'Later' })
  await emulator.close()
  const again = await startEmulator({ dir })
  const count = await createClient(again).collection('posts').count()
  await again.close()

  expect(emulator.apiKey).toBe(apiKey)
  expect(items.map(({ data }) => data)).toEqual([{ title: 'Hello' }])
  expect(count).toBe(2)
  expect((await readdir(dir)).filter((name) => name.startsWith('data'))).toEqual(['data', `data.version-${last}`])
  expect(await newestIn(join(dir, 'data'))).toEqual({ newest: next })
  expect(await newestIn(join(dir, `data.version-${last}`))).toEqual({ newest: last })
})

it('a copy that was interrupted is begun anew, and nothing is changed before it is whole', async () => {
  const dir = await aFolder('interrupted')
  await cp(join(dir, 'data', 'global'), join(dir, `data.version-${last}.new`, 'global'), { recursive: true })

  await (await startEmulator({ dir })).close()

  expect(existsSync(join(dir, `data.version-${last}.new`))).toBe(false)
  expect(await newestIn(join(dir, `data.version-${last}`))).toEqual({ newest: last })
})

it('is refused below version 100, in a sentence that names the version which reads it, and is left as it is', async () => {
  const dir = await aFolder('older')
  await change(join(dir, 'data'), sql`delete from svc.migrations where number > 100`)
  await change(join(dir, 'data'), sql`update svc.migrations set number = 28`)

  await expect(startEmulator({ dir })).rejects.toMatchObject({
    code: 'DATA_OLDER',
    message: 'The database is at version 28; svc-toolkit 0.1.0 is the last version that reads it.',
  })
  expect(await newestIn(join(dir, 'data'))).toEqual({ newest: 28 })
  expect((await readdir(dir)).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

it('a start that refuses an older database does not change it', async () => {
  const dataDir = join(await aFolder('refused'), 'data')
  const db = await openPglite({ dataDir })

  await expect(migrate(db, { refusesOlder: true, migrations })).rejects.toThrow(OlderDatabaseError)
  await db.close()

  expect(await newestIn(dataDir)).toEqual({ newest: last })
})
