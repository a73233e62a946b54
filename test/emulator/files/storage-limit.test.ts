import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'
import { fileOf, formOf } from '../../fixtures/requests/form.js'

it('FIL-07 over what a tier may store in all is 413 STORAGE_LIMIT, and nothing is stored', async () => {
  const server = await openDatabases()
  const emulator = await startEmulator({ memory: true, databaseUrl: server.url })
  const { url, apiKey, controlToken, projectId } = emulator
  const headers = { 'x-api-key': apiKey }
  const db = new pg.Client({ connectionString: server.url })
  await db.connect()
  const setTier = async (tier: string) => {
    const body = JSON.stringify({ settings: { tier } })
    const control = { 'svc-control-token': controlToken, 'content-type': 'application/json' }
    await fetch(`${url}/_svc/api/projects/${projectId}`, { method: 'PATCH', headers: control, body })
  }
  const upload = async (path: string, length: number) => {
    const body = new FormData()
    body.append('file', new File(['x'.repeat(length)], 'a.txt'))
    const { status, headers: answered } = await fetch(url + path, { method: 'POST', headers, body })
    return [status, answered.get('svc-error-code')]
  }
  const usage = async () => (await (await fetch(`${url}/storage/info`, { headers })).json()) as object

  await fetch(`${url}/collections`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"name":"posts"}',
  })
  for (const [tier, limit] of [
    ['free', 2 ** 30],
    ['pro', 100 * 2 ** 30],
  ] as const) {
    await setTier(tier)
    // As if nearly all of it had been uploaded.
    await db.query('update svc.file_totals set bytes = $1, files = 0', [limit - 10])
    expect(await upload('/storage/upload', 11)).toEqual([413, 'STORAGE_LIMIT'])
    expect(await upload('/collections/posts', 11)).toEqual([413, 'STORAGE_LIMIT'])
    expect(await usage()).toMatchObject({ files: 0, bytes: limit - 10, limitBytes: limit })
    expect(await upload('/storage/upload', 10)).toEqual([201, null])
    expect(await upload('/storage/upload', 1)).toEqual([413, 'STORAGE_LIMIT'])
  }
  await setTier('enterprise')
  expect(await upload('/collections/posts', 11)).toEqual([201, null])
  expect(await usage()).toMatchObject({ limitBytes: null })

  await db.end()
  await emulator.close()
  await server.stop()
})

it('FIL-07 what a deleted file took is given away once, while it is swept and two others come in', async () => {
  const server = await openDatabases()
  const dir = await mkdtemp(join(tmpdir(), 'svc-limit-'))
  const emulator = await startEmulator({ dir, databaseUrl: server.url, tier: 'free' })
  const { url, apiKey } = emulator
  const headers = { 'x-api-key': apiKey }
  const lock = new pg.Client({ connectionString: server.url })
  const watch = new pg.Client({ connectionString: server.url })
  await Promise.all([lock.connect(), watch.connect()])
  const limit = 2 ** 30
  const size = 1_000_000
  /** An upload that has begun while there was room, and ends when it is told to. */
  const begin = () => {
    const { headers: type, body } = formOf(fileOf('file', 'x'.repeat(size)))
    const upload = request(`${url}/storage/upload`, {
      method: 'POST',
      headers: { ...headers, ...type, 'content-length': body.length },
    })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      upload.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode))
    })
    upload.write(body.subarray(0, size / 2))
    return () => {
      upload.end(body.subarray(size / 2))
      return answered
    }
  }
  const untilStored = async (wanted: number) => {
    const stored = async () =>
      (await readdir(join(dir, 'files'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    while ((await stored()).length < wanted) await pause(10)
  }
  const untilWaiting = async (wanted: number) => {
    const waiting = `
      select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`
    while ((await watch.query(waiting)).rows[0]?.count < wanted) await pause(10)
  }
  const form = new FormData()
  form.append('file', new File(['x'.repeat(size)], 'a.txt'))
  const first = await fetch(`${url}/storage/upload`, { method: 'POST', headers, body: form })
  const { id } = (await first.json()) as { id: string }
  const ends = [begin(), begin()]
  await untilStored(3)
  await watch.query('update svc.file_totals set bytes = $1', [limit])

  await lock.query('begin')
  await lock.query('select from svc.file_totals for update')
  await fetch(`${url}/storage/file/${id}`, { method: 'DELETE', headers })
  await untilWaiting(1)
  const uploads = ends.map((end) => end())
  await untilWaiting(3)
  await lock.query('commit')
  const statuses = await Promise.all(uploads)

  expect(statuses.sort()).toEqual([201, 413])
  const usage = await (await fetch(`${url}/storage/info`, { headers })).json()
  expect(usage).toMatchObject({ files: 1, bytes: limit })
  await Promise.all([lock.end(), watch.end()])
  await emulator.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})
