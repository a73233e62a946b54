import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { unpackTemplate } from '../../emulator/database/pglite/template.js'
import { databaseCases } from './database.cases.js'

const folder = await mkdtemp(join(tmpdir(), 'svc-database-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

// On disk, because a thread that is stopped must find its data again.
let opened = 0
databaseCases('PGlite', async (options) => {
  const dataDir = join(folder, `data-${++opened}`)
  await unpackTemplate(dataDir)
  return openPglite({ dataDir, ...options })
})
