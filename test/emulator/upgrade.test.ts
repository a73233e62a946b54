/** The state folder of 0.1.0 opens here, and a copy of it stays as it was. */
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { migrate, OlderDatabaseError } from '../../emulator/database/migrate.js'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { type Database, sql } from '../../emulator/database/port.js'
import { startEmulator } from '../../emulator/dev.js'
import { preloaded } from '../fixtures/kills/at-a-statement.js'

const cli = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const packed = new URL('../fixtures/databases/state-0.1.0.tar.br', import.meta.url)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
  const tar = brotliDecompressSync(await readFile(packed))
  await execa('tar', ['-x'], { cwd: folder, input: tar })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A copy of a state folder of 0.1.0 with a collection of two documents, not opened yet. */
async function aFolder(name: string): Promise<string> {
  const dir = join(folder, name)
  await cp(join(folder, '.svc'), dir, { recursive: true })
  return dir
}

async function readyAt(file: string): Promise<void> {
  while (!existsSync(file)) await pause(25)
}

async function newestIn(dataDir: string): Promise<number | undefined> {
  const db: Database = await openPglite({ dataDir })
  const [row] = await db.query<{ newest: number }>(sql`select max(number) as newest from svc.migrations`)
  await db.close()
  return row?.newest
}

it('a state folder of 0.1.0 opens with its key and its documents, and a copy of its data is kept', async () => {
  const dir = await aFolder('opened')

  const emulator = await startEmulator({ dir })
  const posts = createClient(emulator).collection('posts')
  const { items } = await posts.list({ sort: 'title' })
  await posts.create({ title: 'Later' })
  await emulator.close()
  const again = await startEmulator({ dir })
  const count = await createClient(again).collection('posts').count()
  await again.close()

  expect(emulator.apiKey).toBe('svc_key_y9iTa2GUcEySrmEHlNeMGOoP')
  expect(items.map(({ id, data }) => [id, data])).toEqual([
    ['01a205a4-b065-70bd-b3b4-226cc5fa5a88', { title: 'Hello', views: 3 }],
    ['01a205a4-b7bb-72d4-9087-9c53a3c25d1d', { title: 'World', tags: ['a', 'b'] }],
  ])
  expect(count).toBe(3)
  expect((await readdir(dir)).filter((name) => name.startsWith('data'))).toEqual(['data', 'data.version-6'])
  expect(await newestIn(join(dir, 'data.version-6'))).toBe(6)
  // The format that 0.1.0 checks, which knew 1 and refuses anything above.
  expect(JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8'))).toMatchObject({ format: 2 })
})

it('a copy that was interrupted is begun anew, and nothing is changed before it is whole', async () => {
  const dir = await aFolder('interrupted')
  await cp(join(dir, 'data', 'global'), join(dir, 'data.version-6.new', 'global'), { recursive: true })

  await (await startEmulator({ dir })).close()

  expect(existsSync(join(dir, 'data.version-6.new'))).toBe(false)
  expect(await newestIn(join(dir, 'data.version-6'))).toBe(6)
})

it('kill -9 in the middle of an upgrade leaves a folder that opens whole', async () => {
  const dir = await aFolder('killed')
  const ready = join(folder, 'killed.json')
  const words = [cli, 'dev', '--port', '0', '--data', dir, '--ready-file', ready]
  const killAt = join(folder, 'kill-at')
  const versions: (number | undefined)[] = []
  // At more statements each time, whatever else the machine does: before the migrations, and among them.
  for (let at = 40; at < 1_000 && !existsSync(ready); at *= 2) {
    await writeFile(killAt, `${at}`)
    const child = execa(process.execPath, words, {
      stdio: 'ignore',
      reject: false,
      env: { ...preloaded, KILL_AT: killAt },
    })
    await Promise.race([child, readyAt(ready)])
    child.kill('SIGKILL')
    await child
    versions.push(await newestIn(join(dir, 'data')))
  }
  expect(existsSync(ready)).toBe(true)
  expect(new Set(versions).size).toBeGreaterThan(2)

  const emulator = await startEmulator({ dir })
  const { items } = await createClient(emulator).collection('posts').list({ sort: 'title' })
  await emulator.close()

  expect(emulator.apiKey).toBe('svc_key_y9iTa2GUcEySrmEHlNeMGOoP')
  expect(items.map(({ data }) => data.title)).toEqual(['Hello', 'World'])
  expect(await newestIn(join(dir, 'data.version-6'))).toBe(6)
})

it('a start that refuses an older database does not change it', async () => {
  const dataDir = join(await aFolder('refused'), 'data')
  const db = await openPglite({ dataDir })

  await expect(migrate(db, { refusesOlder: true })).rejects.toThrow(OlderDatabaseError)
  await db.close()

  expect(await newestIn(dataDir)).toBe(6)
})
