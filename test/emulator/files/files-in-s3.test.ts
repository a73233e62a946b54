/** The whole service with its files in a bucket, on a server that checks signatures. */
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { startEmulator } from '../../../emulator/dev.js'
import { patiently } from '../../fixtures/patience.js'

interface Bucket {
  readonly filesUrl: string
  /** Has it answer as it does when it is ill. */
  fail(isIll: boolean): void
  objects(): Promise<string[]>
}

async function aBucket(): Promise<Bucket> {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  const directory = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'things', configs: [] }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  let isFailing = false
  const server = createServer((req, res) => (isFailing ? res.writeHead(500).end() : answer(req, res)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
    vi.unstubAllEnvs()
  })
  return {
    filesUrl: `s3://things/files?endpoint=http://127.0.0.1:${port}`,
    fail(isIll) {
      isFailing = isIll
    },
    async objects() {
      return (await readdir(join(directory, 'things'), { recursive: true })).filter((name) => name.endsWith('_object'))
    },
  }
}

it('keeps files in a bucket: in, out, in parts, replaced and deleted', async () => {
  const { filesUrl, objects } = await aBucket()
  const emulator = await startEmulator({ memory: true, filesUrl })
  const svc = createClient<{ posts: { cover: string } }>(emulator)
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

it('does not start where there is no such bucket', async () => {
  const starting = startEmulator({ memory: true, filesUrl: 's3://nothing?endpoint=http://127.0.0.1:1' })

  await expect(starting).rejects.toMatchObject({ name: 'StartError', code: 'FILES_UNREACHABLE' })
})
