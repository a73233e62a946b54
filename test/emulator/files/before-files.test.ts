/** Bytes of forms land as they come: what is refused anyway is refused before, and no more lands than the project may keep. */
import { type ClientRequest, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { fileOf, formOf, textOf } from '../../fixtures/requests/form.js'
import { type Answer, send } from '../../fixtures/requests/http.js'

describe.each(engines)('Files of forms, on %s', (engine) => {
  let service: Service
  /** Bytes that came to the file store. */
  let stored = 0
  beforeAll(async () => {
    service = await startOn(engine, (config) => openService({ ...defaultConfig, ...config, tier: 'free' }))
    const { files } = service.backend
    const { write } = files
    files.write = (id, bytes) => write(id, counted(bytes))
  })
  afterAll(() => service.close())
  beforeEach(() => {
    stored = 0
  })

  async function* counted(bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      stored += chunk.length
      yield chunk
    }
  }

  const limit = 2 ** 30
  type Headers = Record<string, string>

  const ask = (method: string, path: string, body: unknown, headers: Headers = {}): Promise<Answer> =>
    send(service.url, {
      ...{ method, path, body: JSON.stringify(body) },
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json', ...headers },
    })

  /** A form with files of so many bytes. */
  function sendFiles(method: string, path: string, sizes: readonly number[], headers: Headers = {}): Promise<Answer> {
    const files = sizes.map((size, at) => fileOf(path.startsWith('/storage') ? 'file' : `file${at}`, 'x'.repeat(size)))
    const form = formOf(...(path.startsWith('/storage') ? [] : [textOf('data', {})]), ...files)
    return send(service.url, {
      ...{ method, path, body: form.body },
      headers: { 'x-api-key': service.apiKey, ...form.headers, ...headers },
    })
  }

  const outcome = ({ status, headers }: Answer) => [status, headers['svc-error-code']]

  /** As if all but so many bytes had been uploaded. */
  const leave = (bytes: number) =>
    service.backend.db.query(sql`
      update file_totals set bytes = ${limit - bytes}::bigint where project_id = ${service.project.id}`)

  async function collection(name: string, permissions: object = {}): Promise<void> {
    const { secretKey = '' } = service
    expect((await ask('POST', '/collections', { name, permissions }, { 'x-api-key': secretKey })).status).toBe(201)
  }

  it('contract 10.12 of what takes one file, none is stored after it, nor under another name', async () => {
    const upload = (...fields: readonly string[]) => {
      const form = formOf(...fields.map((field) => fileOf(field, 'x'.repeat(1_000))))
      const headers = { 'x-api-key': service.apiKey, ...form.headers }
      return send(service.url, { method: 'POST', path: '/storage/upload', body: form.body, headers })
    }
    // Node warns where something listens to a request once for each part of it.
    const warned = vi.spyOn(process, 'emitWarning')

    const many = await upload(...Array.from({ length: 50 }, () => 'file'))
    expect([...outcome(many), stored]).toEqual([422, 'VALIDATION_ERROR', 1_000])
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
    const other = await upload('other', 'file')
    expect([...outcome(other), stored]).toEqual([422, 'VALIDATION_ERROR', 1_000])
    expect(JSON.stringify(other.body)).toContain('is required and must be the only file')
    expect(outcome(await upload('file'))).toEqual([201, undefined])
  })

  it('contract 10.12 are not stored where the collection, a permission, the document or its version refuses them', async () => {
    await collection('open')
    await collection('guarded', { create: ['admin'], update: ['admin'] })
    await collection('owned', { update: ['owner'] })
    const aToken = async (email: string) => {
      const { body } = await ask('POST', '/auth-collections/signup', { email, password: 'Correct4Horse' })
      return { authorization: `Bearer ${(body as { token: string }).token}` }
    }
    const [ada, bob] = [await aToken('ada@example.com'), await aToken('bob@example.com')]
    const idIn = async (name: string, headers: Headers = {}) =>
      ((await ask('POST', `/collections/${name}`, {}, headers)).body as { id: string }).id
    const [open, owned] = [await idIn('open'), await idIn('owned', ada)]
    const unknown = '01900000-0000-7000-8000-0000000000ab'

    const refused = [
      await sendFiles('POST', '/collections/missing', [9]),
      await sendFiles('POST', '/collections/documents?collection=missing', [9]),
      await sendFiles('POST', '/collections/no%20name', [9]),
      await sendFiles('POST', '/collections/guarded', [9]),
      await sendFiles('POST', '/collections/guarded', [9], ada),
      await sendFiles('PATCH', `/collections/guarded/${unknown}`, [9]),
      await sendFiles('PATCH', `/collections/missing/${open}`, [9]),
      await sendFiles('PATCH', `/collections/open/${unknown}`, [9]),
      await sendFiles('PUT', '/collections/open/no-id', [9]),
      await sendFiles('PATCH', `/collections/owned/${owned}`, [9], bob),
      await sendFiles('PUT', `/collections/open/${open}`, [9], { 'if-match': '"9"' }),
    ].map(outcome)

    expect(refused).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [400, 'INVALID_COLLECTION'],
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [401, 'UNAUTHORIZED'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [403, 'FORBIDDEN'],
      [412, 'CONFLICT'],
    ])
    expect(stored).toBe(0)
    expect((await sendFiles('PATCH', `/collections/owned/${owned}`, [9], ada)).status).toBe(200)
    expect((await sendFiles('PUT', `/collections/open/${open}`, [9], { 'if-match': '"1"' })).status).toBe(200)
    expect(stored).toBe(18)
  })

  /** Sends a file of eight bytes but for the end of its form, and waits until they have come. */
  async function eightBytesOnTheirWay(
    own: Headers = {},
  ): Promise<{ upload: ClientRequest; end(): Promise<number | undefined> }> {
    const { headers, body } = formOf(fileOf('file', 'x'.repeat(8)))
    const rest = body.indexOf('x'.repeat(8)) + 8
    const upload = request(`${service.url}/storage/upload`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-length': body.length, ...headers, ...own },
    })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      upload.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode))
    })
    answered.catch(() => undefined)
    stored = 0
    upload.write(body.subarray(0, rest))
    await expect.poll(() => stored).toBe(8)
    return {
      upload,
      end() {
        upload.end(body.subarray(rest))
        return answered
      },
    }
  }

  it('contract 10.12 take no more than the project may still store, however many come at once', async () => {
    await leave(10)
    expect(outcome(await sendFiles('POST', '/auth-collections/signup', [4, 4, 4]))).toEqual([413, 'STORAGE_LIMIT'])
    expect(outcome(await sendFiles('POST', '/collections/open', [8, 8, 8]))).toEqual([413, 'STORAGE_LIMIT'])
    expect(stored).toBeLessThanOrEqual(20)

    const first = await eightBytesOnTheirWay()
    stored = 0
    expect(outcome(await sendFiles('POST', '/storage/upload', [8]))).toEqual([413, 'STORAGE_LIMIT'])
    expect(stored).toBe(0)
    expect(await first.end()).toBe(201)

    await leave(10)
    const left = await eightBytesOnTheirWay()
    left.upload.destroy()
    await expect.poll(async () => (await sendFiles('POST', '/storage/upload', [8])).status).toBe(201)
    expect(outcome(await sendFiles('POST', '/storage/upload', [3]))).toEqual([413, 'STORAGE_LIMIT'])
    expect((await sendFiles('POST', '/storage/upload', [2])).status).toBe(201)
    await leave(limit)
  })

  it('contract 3.9 a repeat needs no room beside the first request while that is at work, and only what the tier has', async () => {
    await leave(10)
    const once = { 'idempotency-key': 'at work' }
    const first = await eightBytesOnTheirWay(once)

    const repeat = await sendFiles('POST', '/storage/upload', [8], once)
    const other = await sendFiles('POST', '/storage/upload', [8], { 'idempotency-key': 'another' })

    expect(repeat.status, repeat.text).toBe(201)
    expect(outcome(other)).toEqual([413, 'STORAGE_LIMIT'])
    expect(await first.end()).toBe(201)
    expect(outcome(await sendFiles('POST', '/storage/upload', [3]))).toEqual([413, 'STORAGE_LIMIT'])
    expect((await sendFiles('POST', '/storage/upload', [2])).status).toBe(201)
    await leave(limit)
  })

  it('contract 3.9 a repeat needs no room where the first request ends while it is admitted', async () => {
    await leave(10)
    const once = { 'idempotency-key': 'ending' }
    const { db } = service.backend
    const { query } = db
    let first: Promise<Answer> | undefined
    const reading = vi.spyOn(db, 'query').mockImplementation(async (statement) => {
      if (!first && /^\s*select\b.*\bfile_totals\b/s.test(statement.text)) {
        first = sendFiles('POST', '/storage/upload', [8], once)
        await first
      }
      return query(statement) as never
    })

    const repeat = await sendFiles('POST', '/storage/upload', [8], once)

    reading.mockRestore()
    expect((await first)?.status).toBe(201)
    expect([repeat.status, repeat.text]).toEqual([201, (await first)?.text])
    await leave(limit)
  })

  it('contract 3.9 a repeat is answered as the first time, whatever would refuse it now', async () => {
    await collection('later')
    const once = { 'idempotency-key': 'one' }
    const first = await sendFiles('POST', '/collections/later', [9], once)
    expect(first.status).toBe(201)

    await leave(0)
    const full = await sendFiles('POST', '/collections/later', [9], once)
    const { secretKey = '' } = service
    await ask('PATCH', '/collections/later', { permissions: { create: ['admin'] } }, { 'x-api-key': secretKey })
    const closed = await sendFiles('POST', '/collections/later', [9], once)
    const other = await sendFiles('POST', '/collections/later', [9], { 'idempotency-key': 'two' })

    expect([full.text, closed.text]).toEqual([first.text, first.text])
    expect(outcome(other)).toEqual([401, 'UNAUTHORIZED'])
    expect(outcome(await sendFiles('POST', '/collections/later', [8], once))).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    await leave(limit)
  })
})
