/** Bytes of files that an import has brought along, and which others hold by the time that it fails. Contract 11, decision 76. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createSemaphore } from '../../../emulator/core/concurrency/semaphore.js'
import { importSnapshot } from '../../../emulator/core/snapshots/import.js'
import { type FileStore, StorageError } from '../../../emulator/ports/files/port.js'
import { selectOrphans } from '../../../emulator/store/files.js'
import { patiently } from '../../fixtures/patience.js'

const disk = vi.hoisted(() => ({ freeBytes: undefined as number | undefined }))
vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>()
  const statfs = async (folder: string) => {
    const found = await actual.statfs(folder)
    return disk.freeBytes === undefined ? found : { ...found, bavail: disk.freeBytes, bsize: 1 }
  }
  return { ...actual, statfs }
})

let dir: string
let service: Service
let archive: Buffer<ArrayBuffer>
let urls: string[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-import-'))
  service = await openService({ ...defaultConfig, dir })
  const owner = createClient({ url: service.url, apiKey: service.apiKey })
  urls = []
  for (const size of [300_000, 3]) urls.push((await owner.files.upload(new File(['x'.repeat(size)], 'a.txt'))).url)
  await ask('POST', 'snapshots', { name: 'origin' })
  archive = Buffer.from(await (await ask('GET', 'snapshots/origin/file')).arrayBuffer())
  await ask('DELETE', 'snapshots/origin')
  await ask('POST', 'reset', {})
  await expect.poll(here).toEqual([])
})
afterEach(async () => {
  disk.freeBytes = undefined
  await service.close()
  await rm(dir, { recursive: true })
})

function ask(method: string, path: string, body?: object | Buffer<ArrayBuffer>): Promise<Response> {
  const headers = { 'svc-control-token': service.controlToken, 'content-type': 'application/json' }
  const sent = body instanceof Buffer ? body : body && JSON.stringify(body)
  return fetch(`${service.url}/_svc/api/projects/${service.project.id}/${path}`, {
    method,
    headers,
    body: sent ?? null,
  })
}

async function imported(name: string): Promise<number> {
  return (await ask('POST', `snapshot-file?name=${name}`, archive)).status
}

async function here(): Promise<string[]> {
  const ids: string[] = []
  for await (const some of service.backend.files.list()) ids.push(...some)
  return ids
}

async function orphans(): Promise<number> {
  return (await selectOrphans(service.backend.db, { most: 10 })).length
}

async function names(): Promise<string[]> {
  const { snapshots } = (await (await ask('GET', 'snapshots')).json()) as { snapshots: { name: string }[] }
  return snapshots.map(({ name }) => name)
}

/** As another process would do it, whose storage is this one. */
async function importElsewhere(name: string, files: Partial<FileStore>): Promise<unknown> {
  const { backend, project } = service
  const other = { ...backend, imports: createSemaphore(1), files: { ...backend.files, ...files } }
  async function* bytes() {
    yield archive
  }
  return importSnapshot(other, project.id, bytes(), { name, checkRow: () => undefined })
}

const unreachable = () => new StorageError('unreachable', 'The storage was made to fail.')

it('keeps the bytes that another import has met meanwhile, whose snapshot holds them', async () => {
  const { write } = service.backend.files
  let writes = 0
  const failing = importElsewhere('failing', {
    async write(id, bytes) {
      if (++writes === 1) return write(id, bytes)
      expect(await imported('other')).toBe(201)
      throw unreachable()
    },
  })

  await expect(failing).rejects.toMatchObject({ message: 'The storage was made to fail.' })

  expect(await names()).toEqual(['other'])
  expect((await ask('POST', 'snapshots/other/load', {})).status).toBe(200)
  expect(await Promise.all(urls.map(async (url) => (await fetch(url)).status))).toEqual([200, 200])
})

it('removes what it has brought along where nothing else holds it', async () => {
  const { write } = service.backend.files
  let writes = 0
  const failing = importElsewhere('failing', {
    async write(id, bytes) {
      if (++writes === 2) throw unreachable()
      return write(id, bytes)
    },
  })

  await expect(failing).rejects.toMatchObject({ message: 'The storage was made to fail.' })

  expect([await names(), await here()]).toEqual([[], []])
  expect(await imported('again')).toBe(201)
})

it.each([
  { others: [], left: 0 },
  { others: ['other'], left: 2 },
])('lists no snapshot whose bytes it could not look at to the end; others: $others', async ({ others, left }) => {
  for (const name of others) expect(await imported(name)).toBe(201)
  const { read } = service.backend.files
  let reads = 0
  const failing = importElsewhere('failing', {
    async read(id) {
      if (++reads === 4) throw unreachable()
      return read(id)
    },
  })

  await expect(failing).rejects.toMatchObject({ message: 'The storage was made to fail.' })

  expect(await names()).toEqual(others)
  await expect.poll(here).toHaveLength(left)
  expect(await imported('again')).toBe(201)
  expect((await ask('POST', 'snapshots/again/load', {})).status).toBe(200)
  expect(await Promise.all(urls.map(async (url) => (await fetch(url)).status))).toEqual([200, 200])
})

it('brings back bytes whose removal had begun before the snapshot held them', async () => {
  expect(await imported('before')).toBe(201)
  const { remove } = service.backend.files
  let [isBegun, isReady] = [false, false]
  const files: FileStore = {
    ...service.backend.files,
    async remove(ids) {
      isBegun = true
      await vi.waitUntil(() => isReady, patiently)
      await remove(ids)
    },
  }
  Object.assign(service.backend.files, files)
  await ask('DELETE', 'snapshots/before')
  await expect.poll(() => isBegun).toBe(true)

  // It has either ended or begun to wait, and asked for another round.
  Object.assign(service.backend, { sweepFilesSoon: () => (isReady = true) })
  const importing = imported('again').finally(() => (isReady = true))

  expect(await importing).toBe(201)
  await expect.poll(orphans).toBe(0)
  expect((await ask('POST', 'snapshots/again/load', {})).status).toBe(200)
  expect(await Promise.all(urls.map(async (url) => (await fetch(url)).status))).toEqual([200, 200])
})

it('takes one archive in under several names at the same time', async () => {
  const wished = ['a', 'b', 'c', 'd']

  expect(await Promise.all(wished.map(imported))).toEqual([201, 201, 201, 201])

  expect((await names()).sort()).toEqual(wished)
  expect(await here()).toHaveLength(2)
})

const megabyte = 1024 * 1024

it.each([
  { free: 79, left: 'less than a look needs', chunks: 1 },
  { free: 95, left: 'room for one look', chunks: 17 },
])('takes no more of an archive than the disk has room for: $left', async ({ free, chunks }) => {
  disk.freeBytes = free * megabyte
  let taken = 0
  async function* bytes() {
    for (; taken < 100; ) {
      taken++
      // Written bytes are no longer free.
      yield Buffer.concat([taken === 1 ? archive : Buffer.alloc(0)], megabyte)
      disk.freeBytes = (free - taken) * megabyte
    }
  }

  const importing = importSnapshot(service.backend, service.project.id, bytes(), { checkRow: () => undefined })

  await expect(importing).rejects.toMatchObject({ kind: 'full', message: 'Not enough disk space for the archive.' })
  expect(taken).toBe(chunks)
})
