import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { holdLock } from './lock.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

test('a folder has one holder, who is named to whoever else tries', async () => {
  const lock = await holdLock(folder, () => ({ pid: 7, url: 'http://127.0.0.1:1' }))

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('is in use by process 7 at http://127.0.0.1:1.')
  await lock.release()
  const next = await holdLock(folder, () => ({ pid: 8 }))
  await next.release()
})

test('a holder that does not answer in time still holds it', async () => {
  const lock = await holdLock(folder, () => ({ pid: 7 }))
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, _, callback) {
    callback?.()
    return this
  })

  await expect(holdLock(folder, () => ({ pid: 8 }))).rejects.toThrow('is in use by another process')
  await lock.release()
})
