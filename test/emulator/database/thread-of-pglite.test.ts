import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { openPglite, openThrowAway } from '../../../emulator/database/pglite/pglite.js'
import { readTemplate } from '../../../emulator/database/pglite/template.js'
import { endSpareThread, openThread, startSpareThread } from '../../../emulator/database/pglite/thread.js'
import { sql } from '../../../emulator/database/port.js'

afterEach(() => endSpareThread())

test('a database takes the thread that was started ahead of it, and the next one has its own', async () => {
  const asked = vi.spyOn(Worker.prototype, 'postMessage')
  startSpareThread()

  const first = openThread({})
  const second = openThread({})

  expect(second.worker).not.toBe(first.worker)
  expect(asked.mock.contexts).toEqual([first.worker, second.worker])
  asked.mockRestore()
  const said = [first, second].map(({ worker }) => once(worker, 'message'))
  expect(await Promise.all(said)).toEqual([['open'], ['open']])
  await Promise.all([first.worker.terminate(), second.worker.terminate()])
})

test('a thread that waits already is not started again', async () => {
  const refs = vi.spyOn(Worker.prototype, 'unref')

  startSpareThread()
  startSpareThread()

  expect(refs).toHaveBeenCalledTimes(1)
  refs.mockRestore()
})

test('a thread that was started ahead opens like any other', async () => {
  startSpareThread()

  const db = await openPglite({ template: readTemplate })

  expect(await db.query({ text: 'select 1 as one', values: [] })).toEqual([{ one: 1 }])
  await db.close()
})

test('the archive of a template comes without compression, moves to the thread and is read again for the next one', async () => {
  const asked = vi.spyOn(Worker.prototype, 'postMessage')
  const starts: string[] = []
  const template = async () => {
    const archive = await readTemplate()
    starts.push(Buffer.from(archive.subarray(257, 262)).toString())
    return archive
  }

  const db = await openPglite({ template })
  const [first] = asked.mock.contexts as Worker[]
  const [[source] = []] = asked.mock.calls
  await first?.terminate()
  await db.query(sql`insert into svc.file_place (id) values (gen_random_uuid())`)

  // Position of the name in the header of a tar archive.
  expect(starts).toEqual(['ustar', 'ustar'])
  expect(source.template).toHaveLength(0)
  await db.close()
  asked.mockRestore()
})

test('a thread that no database has taken is ended', async () => {
  const ends = vi.spyOn(Worker.prototype, 'terminate')
  startSpareThread()

  await endSpareThread()

  const [spare] = ends.mock.contexts as Worker[]
  expect(spare?.threadId).toBe(-1)
  const opened = openThread({})
  expect(opened.worker).not.toBe(spare)
  await opened.worker.terminate()
  ends.mockRestore()
})

test('a thread that ended ahead of its data is replaced', async () => {
  const refs = vi.spyOn(Worker.prototype, 'unref')
  startSpareThread()
  const [spare] = refs.mock.contexts as Worker[]
  spare?.emit('error', new Error('The library cannot be loaded.'))

  const opened = openThread({})

  expect(opened.worker).not.toBe(spare)
  await Promise.all([opened.worker.terminate(), spare?.terminate()])
  refs.mockRestore()
})

test.each([
  [undefined, '16MB'],
  [32, '32MB'],
])('shared_buffers of %s MB are %s, and the rest is for a single connection', async (sharedBuffersMb, buffers) => {
  const db = await openPglite({ template: readTemplate, sharedBuffersMb })

  const [settings] = await db.query(sql`select current_setting('shared_buffers') as buffers,
    current_setting('max_connections') as connections, current_setting('wal_buffers') as log`)

  expect(settings).toEqual({ buffers, connections: '5', log: '256kB' })
  await db.close()
})

test('an emulator hands its sharedBuffersMb to the thread', async () => {
  const asked = vi.spyOn(Worker.prototype, 'postMessage')

  const emulator = await startEmulator({ memory: true, sharedBuffersMb: 32 })

  expect(asked.mock.calls).toContainEqual([expect.objectContaining({ sharedBuffersMb: 32 }), expect.anything()])
  await emulator.close()
  asked.mockRestore()
})

const megabyte = 1024 * 1024
const endless = sql`select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b`
/** Ends nothing in these tests, so that only the limit in question can. */
const never = {
  template: readTemplate,
  maxStatementMilliseconds: 600_000,
  maxGrowthBytes: Number.POSITIVE_INFINITY,
}

test('a throw-away database is ended when the process grows too much while it works', async () => {
  const db = await openThrowAway({ ...never, maxGrowthBytes: 100 * megabyte })
  const rss = vi.spyOn(process.memoryUsage, 'rss')
  let looks = 0
  rss.mockImplementation(() => (looks++ === 0 ? 1 : 1 + 101 * megabyte))

  const failed = await db.query(endless).catch((error) => error)
  rss.mockRestore()

  expect(failed).toMatchObject({ sqlState: '53200', message: 'The statement took too much memory.' })
  expect(looks).toBe(2)
  await expect(db.query(sql`select 1`)).rejects.toMatchObject({ sqlState: '57P03' })
  await db.close()
})

test('the memory of WebAssembly is capped: PostgreSQL itself says that it has none left, and goes on', async () => {
  const large = sql`select length(repeat('x', 200000000)) as length`
  const free = await openThrowAway(never)
  const capped = await openThrowAway({ ...never, maxMemoryBytes: 200 * megabyte })

  expect(await free.query(large)).toEqual([{ length: 200_000_000 }])
  await expect(capped.query(large)).rejects.toMatchObject({ sqlState: '53200', message: 'out of memory' })
  expect(await capped.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  await Promise.all([free.close(), capped.close()])
})
