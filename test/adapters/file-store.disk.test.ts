import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openDiskStore } from '../../emulator/ports/files/disk.js'
import { fileStoreCases } from './file-store.cases.js'

const aFolder = () => mkdtemp(join(tmpdir(), 'svc-file-store-'))
const id = '01900000-0000-7000-8000-0000000000ab'

async function openStore(options: Parameters<typeof openDiskStore>[0]) {
  const store = await openDiskStore(options)
  onTestFinished(() => store.close())
  return store
}

fileStoreCases('disk', async () => {
  const folder = await aFolder()
  return { open: () => openDiskStore({ folder, isSynced: true }), stop: () => rm(folder, { recursive: true }) }
})

it('takes what was there before it began for settled', async () => {
  const folder = await aFolder()
  const first = await openStore({ folder })
  await first.write(id, chunks('x'))
  await utimes(join(folder, id), new Date(), new Date(Date.now() - 1_000))

  const next = await openStore({ folder })

  expect(await next.isSettled(id)).toBe(true)
  await rm(folder, { recursive: true })
})

it('does not take what has just landed for settled where files are stamped by a clock that is behind', async () => {
  const folder = await aFolder()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 })
  const store = await openStore({ folder })

  await store.write(id, chunks('x'))

  expect(await store.isSettled(id)).toBe(false)
  expect(await readdir(folder)).toEqual([id])
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

it('takes nothing in once the disk is nearly full, and goes on reading and removing', async () => {
  const folder = await aFolder()
  const before = await openStore({ folder })
  await before.write(id, chunks('x'))

  const full = await openStore({ folder, reservedBytes: Number.MAX_SAFE_INTEGER })

  await expect(full.write(id.replace('ab', 'cd'), chunks('y'))).rejects.toMatchObject({ kind: 'full' })
  expect(await readdir(folder)).toEqual([id])
  expect(await full.read(id).then((bytes) => bytes && text(bytes))).toBe('x')
  await full.remove([id])
  expect(await full.has(id)).toBe(false)
  await rm(folder, { recursive: true })
})

it('says with the reason of the system that it could not keep a file', async () => {
  const folder = await aFolder()
  const store = await openStore({ folder })
  await rm(folder, { recursive: true })

  const failure = await store.write(id, chunks('x')).catch((error: unknown) => error)

  expect(failure).toMatchObject({ name: 'StorageError', kind: 'failed', cause: { code: 'ENOENT' } })
})

it('hands on what ends the bytes that it is given', async () => {
  const folder = await aFolder()
  const store = await openStore({ folder })
  async function* broken() {
    yield Buffer.from('x')
    throw new Error('The sender is gone.')
  }

  await expect(store.write(id, broken())).rejects.toThrow('The sender is gone.')

  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

it('leaves alone what another write has under the same id, be it at work or done', async () => {
  const folder = await aFolder()
  const store = await openStore({ folder, isSynced: true })
  async function* slowly() {
    yield Buffer.alloc(300_000, 'x')
    await expect(store.write(id, chunks('y'))).rejects.toMatchObject({ cause: { code: 'EEXIST' } })
    yield Buffer.from('z')
  }

  await store.write(id, slowly())
  await expect(store.write(id, chunks('y'))).rejects.toMatchObject({ cause: { code: 'EEXIST' } })

  const found = await store.read(id)
  expect(found && (await text(found))).toBe(`${'x'.repeat(300_000)}z`)
  await rm(folder, { recursive: true })
})

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
