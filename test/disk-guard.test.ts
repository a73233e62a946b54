import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { defaultSettings } from '../client/model/project.js'
import { openIds } from '../emulator/core/ids.js'
import type { Database } from '../emulator/database/database.js'
import { guardDisk } from '../emulator/database/disk-guard.js'
import { deleteNobodys, dropFile, insertFiles, selectNobodys, selectUsage } from '../emulator/store/files.js'
import { insertProject } from '../emulator/store/projects.js'
import { type OpenedEngine, openEngine } from './fixtures/engines.js'
import { patiently } from './fixtures/patience.js'

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
  const place = { project, owner: 'nobody', limitBytes: null, at } as const
  await insertFiles(db, place, [{ id, name: 'a.txt', path: '', size: 5, mimeType: 'text/plain' }])
  return id
}

it('refuses writes on a full disk, and lets files be deleted, which makes room', async () => {
  const full = guardDisk(opened.db, tmpdir(), Number.MAX_SAFE_INTEGER)
  const id = await aFile(opened.db)

  await vi.waitFor(() => expect(aFile(full)).rejects.toMatchObject({ code: 'UNAVAILABLE' }), patiently)

  expect(await dropFile(full, project, id)).toBe(true)
  await deleteNobodys(full, await selectNobodys(full, 10))
  const before = await selectUsage(full, project)
  await expect(aFile(full)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await selectUsage(opened.db, project)).toEqual(before)
  expect(await selectNobodys(opened.db, 10)).toEqual([])
})
