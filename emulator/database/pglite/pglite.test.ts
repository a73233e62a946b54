import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { WorkerConnection } from './connection.js'
import { openPglite } from './pglite.js'

const seen = vi.hoisted(() => ({ begun: 0, opened: [] as WorkerConnection[] }))
vi.mock('./connection.js', async (original) => {
  const actual = await original<typeof import('./connection.js')>()
  const connect: typeof actual.connect = async (source) => {
    seen.begun++
    const connection = await actual.connect(source)
    seen.opened.push(connection)
    return connection
  }
  return { ...actual, connect }
})

test('closing a database during a reopen waits until no thread uses its directory', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-pglite-'))
  const database = await openPglite({ dataDir })
  await seen.opened[0]?.worker.terminate()
  await expect.poll(() => seen.begun).toBe(2)

  await database.close()

  expect(seen.opened.map(({ worker }) => worker.threadId)).toEqual([-1, -1])
  await rm(dataDir, { recursive: true })
})
