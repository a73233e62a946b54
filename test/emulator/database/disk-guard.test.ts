import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openIds } from '../../../emulator/core/ids.js'
import { guardDisk } from '../../../emulator/database/disk-guard.js'
import { type Database, sql, writing } from '../../../emulator/database/port.js'
import { deleteOrphans, insertFiles, orphanFile, selectOrphans, selectUsage } from '../../../emulator/store/files.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { patiently } from '../../fixtures/patience.js'

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()
const project = newId(new Date())
let opened: OpenedEngine

beforeAll(async () => {
  opened = await openEngine('pglite')
  await insertProject(opened.db, { id: project, name: 'test', settings: defaultSettings }, [], at)
})
afterAll(() => opened.stop())

async function aFile(db: Database): Promise<string> {
  const id = newId(new Date())
  const place = { project, owner: 'none', limitBytes: null, at } as const
  await insertFiles(db, place, [{ id, name: 'a.txt', path: '', size: 5, mimeType: 'text/plain' }])
  return id
}

it('refuses writes on a full disk, and lets files be deleted, which frees space', async () => {
  const full = guardDisk(opened.db, tmpdir(), Number.MAX_SAFE_INTEGER)
  const id = await aFile(opened.db)

  await vi.waitFor(() => expect(aFile(full)).rejects.toMatchObject({ kind: 'disk nearly full' }), patiently)

  expect(await orphanFile(full, project, id)).toBe(true)
  await deleteOrphans(full, await selectOrphans(full, { most: 10 }))
  const before = await selectUsage(full, project)
  await expect(aFile(full)).rejects.toMatchObject({ kind: 'disk nearly full' })
  expect(await selectUsage(opened.db, project)).toEqual(before)
  expect(await selectOrphans(opened.db, { most: 10 })).toEqual([])
})

it('refuses writes in every transaction from its first statement on, and lets rows be locked', async () => {
  const full = guardDisk(opened.db, tmpdir(), Number.MAX_SAFE_INTEGER)
  await vi.waitFor(() => expect(aFile(full)).rejects.toMatchObject({ kind: 'disk nearly full' }), patiently)

  const writes = full.transaction((tx) => aFile(tx))
  const locks = full.transaction((tx) => tx.query(sql`select id from projects where id = ${project} for update`))

  await expect(writes).rejects.toMatchObject({ kind: 'disk nearly full' })
  expect(await locks).toEqual([{ id: project }])
})

it('goes by what a statement says of itself, not by its words: text that looks like a write is refused nothing', async () => {
  const full = guardDisk(opened.db, tmpdir(), Number.MAX_SAFE_INTEGER)
  await vi.waitFor(() => expect(aFile(full)).rejects.toMatchObject({ kind: 'disk nearly full' }), patiently)

  expect(await full.query(sql`select 'insert into update create' as text`)).toEqual([
    { text: 'insert into update create' },
  ])
  const part = sql`with made as (${writing(sql`select 1 as one`)}) select one from made`
  await expect(full.query(part)).rejects.toMatchObject({ kind: 'disk nearly full' })
  await expect(full.batch([sql`select 1 as one`, part])).rejects.toMatchObject({ kind: 'disk nearly full' })
})

it('every statement of the store that inserts or updates says that it takes space, or that it makes room', () => {
  const store = fileURLToPath(new URL('../../../emulator/store/', import.meta.url))
  const silent = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(join(store, name), 'utf8')
        .split('sql`')
        .flatMap((text, at, all) => {
          const isWrite = /^[^`]*\b(?:insert into|update \w+(?: \w+)?\s+set)\b/.test(text)
          return isWrite && !/(?:writing|makingRoom)\($/.test(all[at - 1] ?? '')
            ? [`${name}: ${text.slice(0, 60).trim()}`]
            : []
        }),
    )

  expect(silent).toEqual([])
})
