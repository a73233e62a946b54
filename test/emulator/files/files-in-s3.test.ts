/** The whole service with its files in a bucket, on a server that checks signatures. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type FileUrl } from '../../../client/index.js'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { openS3Store } from '../../../emulator/ports/files/s3.js'
import { type Bucket, startBucket } from '../../fixtures/bucket.js'
import { patiently } from '../../fixtures/patience.js'
import { fileOf, formOf } from '../../fixtures/requests/form.js'
import { startLimited } from '../../fixtures/requests/limited-service.js'

async function aBucket(): Promise<Bucket> {
  const bucket = await startBucket()
  for (const [name, value] of Object.entries(bucket.env)) vi.stubEnv(name, value)
  onTestFinished(async () => {
    await bucket.close()
    vi.unstubAllEnvs()
  })
  return bucket
}

it('keeps files in a bucket: in, out, in parts, replaced and deleted', async () => {
  const { filesUrl, objects } = await aBucket()
  const emulator = await startEmulator({ memory: true, filesUrl })
  const svc = createClient<{ posts: { cover: FileUrl } }>(emulator)
  await svc.collections.create({ name: 'posts' })

  const text = 'x'.repeat(9_000_000)
  const file = await svc.files.upload(new Blob([text]), { name: 'long.txt' })
  const part = await fetch(file.url, { headers: { range: 'bytes=8999990-' } })
  const post = await svc.collection('posts').create({ cover: new File(['one'], 'a.txt') })
  const changed = await svc.collection('posts').update(post.id, { cover: new File(['two'], 'a.txt') })

  expect(await (await fetch(file.url)).text()).toBe(text)
  expect([part.status, await part.text()]).toEqual([206, 'x'.repeat(10)])
  expect((await fetch(post.data.cover)).status).toBe(404)
  expect(await (await fetch(changed.data.cover)).text()).toBe('two')
  await svc.collection('posts').delete(post.id)
  await svc.files.delete(file.id)
  await vi.waitFor(async () => expect(await objects()).toEqual([]), patiently)

  await emulator.close()
})

it('leaves no connection to the bucket open for readers who leave before it answers', async () => {
  const { filesUrl, holdReads } = await aBucket()
  const service = await startLimited({})
  // It never gives a connection up by itself.
  const store = await openS3Store({ url: filesUrl, place: 'test', maxMilliseconds: 3_600_000 })
  Object.assign(service.backend.files, store)
  const svc = createClient(service)
  const file = await svc.files.upload(new Blob(['x'.repeat(9_000_000)]))
  const address = new URL(new URL(file.url).pathname, service.url)
  const reads = holdReads()

  const readers = Array.from({ length: 5 }, () => get(address).on('error', () => undefined))
  await vi.waitFor(() => expect(reads.open()).toBe(readers.length), patiently)
  for (const reader of readers) reader.destroy()
  // By the time it answers, it has learned that they have left.
  await svc.files.info()
  reads.release()

  await vi.waitFor(() => expect(reads.open()).toBe(0), patiently)
  await store.close()
})

it('contract 10.4 answers 503 while the bucket is ill, keeps nothing half, and goes on', async () => {
  const { filesUrl, fail, objects } = await aBucket()
  const emulator = await startEmulator({ memory: true, filesUrl })
  const svc = createClient({ ...emulator, retry: { attempts: 1 } })
  const file = await svc.files.upload(new Blob(['Hello']), { name: 'a.txt' })

  fail(true)
  const unavailable = { code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 1 }
  await expect(svc.files.download(file)).rejects.toMatchObject(unavailable)
  await expect(svc.files.upload(new Blob(['small']))).rejects.toMatchObject(unavailable)
  await expect(svc.files.upload(new Blob(['x'.repeat(9_000_000)]))).rejects.toMatchObject(unavailable)
  fail(false)

  expect(await (await svc.files.download(file)).text()).toBe('Hello')
  expect(await svc.files.info()).toMatchObject({ files: 1, bytes: 5 })
  expect(await objects()).toHaveLength(1)
  await emulator.close()
})

it('a form that is refused says why while the bucket is ill, and what of it has landed is removed later', async () => {
  const { filesUrl, fail, objects } = await aBucket()
  const folder = await mkdtemp(join(tmpdir(), 'svc-refused-'))
  const emulator = await startEmulator({ dir: folder, filesUrl })
  const svc = createClient(emulator)
  await svc.collections.create({ name: 'posts' })
  const { headers, body } = formOf(fileOf('first'), fileOf('second', 'nameless', ''))
  const second = body.indexOf('name="second"')

  const form = request(`${emulator.url}/collections/posts/documents`, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': emulator.apiKey },
  })
  form.write(body.subarray(0, second))
  await vi.waitFor(async () => expect(await objects()).toHaveLength(1), patiently)
  fail(true)
  form.end(body.subarray(second))
  const [refused] = (await once(form, 'response')) as [IncomingMessage]
  fail(false)

  expect(refused.statusCode).toBe(400)
  expect(await objects()).toHaveLength(1)
  expect(await readFile(join(folder, 'errors.log'), 'utf8')).toContain(String(refused.headers['x-request-id']))
  // The next removal takes it along.
  await svc.files.delete((await svc.files.upload(new Blob(['next']))).id)
  await vi.waitFor(async () => expect(await objects()).toEqual([]), patiently)
  refused.destroy()
  await emulator.close()
  await rm(folder, { recursive: true })
})

it('answers 503 for a missing object that the bucket does not say is missing, and logs what to do', async () => {
  const { filesUrl, refuseLists, lose } = await aBucket()
  const folder = await mkdtemp(join(tmpdir(), 'svc-refused-'))
  const emulator = await startEmulator({ dir: folder, filesUrl })
  const svc = createClient({ ...emulator, retry: { attempts: 1 } })
  const [kept, lost] = [await svc.files.upload(new Blob(['kept'])), await svc.files.upload(new Blob(['lost']))]

  await lose(lost.id)
  const missing = await fetch(lost.url)
  refuseLists(true)

  expect(missing.status).toBe(404)
  expect(await (await svc.files.download(kept)).text()).toBe('kept')
  await expect(svc.files.download(lost)).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
  expect(await readFile(join(folder, 'errors.log'), 'utf8')).toContain('s3:ListBucket')
  await emulator.close()
  await rm(folder, { recursive: true })
})

it('does not start where there is no such bucket', async () => {
  const starting = startEmulator({ memory: true, filesUrl: 's3://nothing?endpoint=http://127.0.0.1:1' })

  await expect(starting).rejects.toMatchObject({ name: 'StartError', code: 'FILES_UNREACHABLE' })
})
