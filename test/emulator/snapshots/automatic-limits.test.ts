/** How much automatic snapshots may take together, as each that is saved by the control API finds it. Contract 12.6. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { defaultConfig } from '../../../emulator/config.js'
import { sql } from '../../../emulator/database/port.js'
import { openService, type Service } from '../../../emulator/open-service.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

/** What is free where the data are, as a test sets it. What watches the whole folder still finds the disk as it is. */
const free = vi.hoisted((): { at?: string | undefined; bytes?: number } => ({}))
vi.mock('node:fs/promises', async (original) => {
  const own = await original<typeof import('node:fs/promises')>()
  const statfs = async (path: string) => (path === free.at ? { bavail: free.bytes, bsize: 1 } : own.statfs(path))
  return { ...own, statfs }
})

const gigabyte = 1024 ** 3

let service: Service
let dir: string | undefined
afterEach(async () => {
  free.at = undefined
  await service.close()
  if (dir !== undefined) await rm(dir, { recursive: true })
  dir = undefined
})

async function open(on: 'disk' | 'memory') {
  if (on === 'disk') dir = await mkdtemp(join(tmpdir(), 'svc-automatic-'))
  service = await openService({ ...defaultConfig, ...(dir === undefined ? { memory: true } : { dir }) })
  const { snapshots } = controlOf(service)
  const project = service.project.id
  return {
    save: (command: string) => snapshots.save({ project, automatic: true, command }),
    saveNamed: (name: string) => snapshots.save({ project, name }),
    kept: async () => (await snapshots.list({ project })).snapshots.map(({ name, command }) => command ?? name),
  }
}

it('contract 12.6 they take at most a tenth of what is free: the oldest go, and one that alone is larger is refused', async () => {
  const { save, saveNamed, kept } = await open('disk')
  await saveNamed('asked-for')
  const { bytes } = await save('first')
  await save('second')

  Object.assign(free, { at: service.dataDir, bytes: bytes * 25 })
  await save('third')
  const afterThird = await kept()
  free.bytes = bytes * 10 - 10
  const refused = await save('fourth').catch(({ code }) => code)

  expect(afterThird).toEqual(['third', 'second', 'asked-for'])
  expect(refused).toBe('STORAGE_LIMIT')
  expect(await kept()).toEqual(afterThird)
})

it.each([
  ['the disk has more than ten', 'disk'],
  ['no disk is known', 'memory'],
] as const)('contract 12.6 they take at most a gigabyte where %s', async (_where, on) => {
  const { save, kept } = await open(on)
  Object.assign(free, { at: service.dataDir, bytes: 1_000 * gigabyte })
  const { name, bytes } = await save('large')
  await service.backend.db.query(sql`update snapshots set bytes = ${gigabyte - bytes} where name = ${name}`)

  await save('the last that fits')
  const afterOne = await kept()
  await save('one more')

  expect(afterOne).toEqual(['the last that fits', 'large'])
  expect(await kept()).toEqual(['one more', 'the last that fits'])
})
