/** How much automatic snapshots may take together, as each that is saved by the control API finds it. Contract 12.6. */
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { openWorld } from '../../cli/command-line.js'
import { emulatorFile } from '../../cli/emulator-file.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

/** Free disk as the test sets it. The watch of the whole folder still reads the real disk. */
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
    save: (command: string, keeping?: string) => snapshots.save({ project, automatic: true, command, keeping }),
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

it('contract 12.6 the state folder keeps files of the newest three, whatever the clock says', async () => {
  const { save } = await open('disk')
  const { clock } = controlOf(service)

  const saved: string[] = []
  for (const command of ['one', 'two', 'three', 'four', 'five']) {
    saved.push((await save(command)).name)
    // Their names have the time of this clock.
    await clock.change({ advance: -60_000 })
  }

  const files = await readdir(join(String(dir), 'snapshots'))
  const newest = saved.slice(-3).map((name) => `${name}.tar`)
  expect(files.sort()).toEqual(newest.sort())
})

it('contract 12.6 the file of the newest snapshot stays beside files that seem newer, and a link does not hold up the others', async () => {
  const { save } = await open('disk')
  const folder = join(String(dir), 'snapshots')
  await mkdir(folder)
  const later = ['auto-2999-1.tar', 'auto-2999-2.tar', 'auto-2999-3.tar']
  for (const [at, name] of later.entries()) {
    await writeFile(join(folder, name), '')
    await utimes(join(folder, name), 0, 4_000_000_000 + at)
  }
  await symlink(join(folder, 'nowhere'), join(folder, 'auto-link.tar'))

  const { name } = await save('one')

  expect((await readdir(folder)).sort()).toEqual([`${name}.tar`, 'auto-2999-2.tar', 'auto-2999-3.tar'].sort())
})

it('contract 12.6 the one that a command loads makes no room for the one before it', async () => {
  const { save, kept } = await open('memory')
  const { name } = await save('first')
  await createClient(service).collections.create({ name: 'posts' })
  await save('second')
  await service.backend.db.query(sql`update snapshots set bytes = ${gigabyte / 2}`)
  const world = await openWorld()
  onTestFinished(() => world.close())
  await mkdir(join(world.folder, '.svc'))
  const { url, apiKey, controlToken, project } = service
  const info = emulatorFile({ url, apiKey, controlToken, projectId: project.id, pid: process.pid })
  await writeFile(join(world.folder, '.svc', 'emulator.json'), JSON.stringify(info))

  const ran = await world.svc(['snapshot', 'load', name, '--yes'])

  expect(ran).toMatchObject({ exit: 0 })
  expect(await createClient(service).collections.list()).toEqual([])
  expect(await kept()).toEqual([`snapshot load ${name}`, 'first'])
})

it('contract 12.6 one that does not fit beside the one that is loaded is refused, and nothing is deleted for it', async () => {
  const { save, kept } = await open('memory')
  const { name } = await save('first')
  await save('second')
  await service.backend.db.query(sql`update snapshots set bytes = ${gigabyte - 1} where name = ${name}`)

  const refused = await save('load', name).catch((error) => error)

  expect(refused).toMatchObject({ code: 'STORAGE_LIMIT', message: expect.stringContaining(` and "${name}" takes 1`) })
  expect(await kept()).toEqual(['second', 'first'])
})
