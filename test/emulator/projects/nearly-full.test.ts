/** Tests that deletions and their records work on a nearly full disk. Decision 67. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { guardDisk } from '../../../emulator/database/disk-guard.js'
import { DatabaseError, sql, writing } from '../../../emulator/database/port.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'

const password = 'Correct4Horse'

let dir: string
let service: Service
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-nearly-full-'))
  service = await openService({ ...defaultConfig, dir })
})
afterEach(async () => {
  await service.close()
  await rm(dir, { recursive: true })
})

/** A project with some of everything. */
async function aShop() {
  const control = controlOf(service)
  const { id: project, apiKey } = await control.projects.create({ name: 'shop' })
  return { ...(await filled(apiKey)), project }
}

async function filled(apiKey: string) {
  const svc = createClient({ url: service.url, apiKey, retry: { attempts: 1 } })
  await svc.auth.signUp({ email: 'ada@example.com', password })
  const { id: user } = await svc.auth.me()
  await svc.collections.create({ name: 'posts' })
  await svc.collection('posts').create({ n: 1, cover: new File(['cover'], 'cover.txt') })
  const { url } = await svc.files.upload(new File(['letter'], 'letter.txt'))
  return { control: controlOf(service), svc, user, url }
}

/** From here on the disk is nearly full. */
async function fill({ svc }: { svc: Awaited<ReturnType<typeof filled>>['svc'] }): Promise<void> {
  const { db } = service.backend
  Object.assign(db, guardDisk({ ...db }, tmpdir(), Number.MAX_SAFE_INTEGER))
  const look = () => db.query(writing(sql`select 1 as one`)).catch(({ kind }) => kind)
  await expect.poll(look, patiently).toBe('disk nearly full')
  await expect(svc.collection('posts').create({ n: 2 })).rejects.toMatchObject({ status: 503 })
}

it('a project is deleted', async () => {
  const { control, project, svc, url } = await aShop()
  await control.snapshots.save({ project, name: 'full' })
  await fill({ svc })

  await control.projects.remove({ project })

  expect((await control.projects.list()).projects.map(({ id }) => id)).not.toContain(project)
  expect((await fetch(new URL(url, service.url))).status).toBe(404)
  const { entries } = await control.audit.list({ project, operation: 'project.removed' })
  expect(entries).toHaveLength(1)
})

it('a snapshot is deleted', async () => {
  const { control, project, svc } = await aShop()
  await control.snapshots.save({ project, name: 'full' })
  await fill({ svc })

  await control.snapshots.remove({ project, snapshot: 'full' })

  expect((await control.snapshots.list({ project })).snapshots).toEqual([])
})

it.each([{}, { collections: ['posts'] }, { users: true as const }, { files: true as const }])(
  'a project is reset (%j)',
  async (choice) => {
    const { control, project, svc } = await aShop()
    await fill({ svc })

    const report = await control.projects.reset({ project, ...choice })

    const { collections, users } = choice as { collections?: string[]; users?: true }
    const isWhole = Object.keys(choice).length === 0
    expect(report.collections).toEqual(isWhole || collections ? [{ name: 'posts', documents: 1 }] : [])
    expect(report.users).toBe(isWhole || users ? 1 : 0)
  },
)

it('a collection is deleted, a key revoked, sessions ended and a user deleted', async () => {
  const { control, project, svc, user } = await aShop()
  const { id: key } = await control.keys.create({ project })
  await fill({ svc })

  await svc.collections.delete('posts')
  await control.keys.revoke({ project, key })
  await control.users.logOut({ user })
  await control.users.remove({ user })

  const { entries } = await control.audit.list({ project })
  const done = ['user.removed', 'user.sessions.ended', 'key.revoked', 'collection.removed']
  expect(entries.map(({ operation }) => operation).slice(0, 4)).toEqual(done)
})

it('no snapshot is saved before a command, which says so as it does where one is too large', async () => {
  const { control, project, svc } = await aShop()
  await fill({ svc })

  const saving = control.snapshots.save({ project, automatic: true, command: 'reset' })

  await expect(saving).rejects.toMatchObject({
    code: 'STORAGE_LIMIT',
    message: 'The disk is nearly full. There is not enough space for a snapshot before "reset".',
  })
})

it('a key that could not be revoked stays in the folder of the keys', async () => {
  const { control, project } = { control: controlOf(service), project: service.project.id }
  const { keys } = await control.keys.list({ project })
  const folder = join(dir, 'keys')
  const kept = async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith('project-'))
    return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
  }
  const before = await kept()
  const { db } = service.backend
  const transaction = async () => {
    throw new DatabaseError('The disk is full.', '53100')
  }
  const { transaction: own } = db
  Object.assign(db, { transaction })

  const revoking = control.keys.revoke({ project, key: keys[0]?.id ?? '' })

  await expect(revoking).rejects.toMatchObject({ status: 503 })
  Object.assign(db, { transaction: own })
  expect(before.flat()).toContainEqual(expect.objectContaining({ id: keys[0]?.id }))
  expect(await kept()).toEqual(before)
})
