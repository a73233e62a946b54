import pg from 'pg'
import { expect, it } from 'vitest'
import { startEmulator } from '../../emulator/main.js'
import { startPostgres } from '../fixtures/postgres.js'

it('FIL-07 over what a tier may store in all is 413 STORAGE_LIMIT, and nothing is stored', {
  timeout: 120_000,
}, async () => {
  const server = await startPostgres()
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
