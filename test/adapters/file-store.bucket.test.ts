/** Against a server that checks signatures, as Amazon's does. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openS3Store } from '../../emulator/ports/files/s3.js'
import { fileStoreCases } from './file-store.cases.js'

const place = '01900000-0000-7000-8000-000000000000'

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
beforeAll(() => void Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }))
afterAll(() => {
  for (const [name, value] of Object.entries({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

async function startS3() {
  const directory = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'things', configs: [] }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  let isSilent = false
  const server = createServer((req, res) => (isSilent ? req.resume() : answer(req, res))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (bucket: string) => `s3://${bucket}/files?endpoint=http://127.0.0.1:${port}`,
    /** Takes requests, and answers none from now on. */
    fallSilent() {
      isSilent = true
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}

fileStoreCases('S3', async () => {
  const { url, stop } = await startS3()
  return { open: () => openS3Store({ url: url('things'), place }), stop }
})

it('leaves the files of another database alone', async () => {
  const { url, stop } = await startS3()
  const [one, other] = await Promise.all([
    openS3Store({ url: url('things'), place }),
    openS3Store({ url: url('things'), place: place.replace('1', '2') }),
  ])

  await one.write(place, chunks('x'))

  expect(await other.has(place)).toBe(false)
  for await (const ids of other.list()) expect(ids).toEqual([])
  await stop()
})

it('is unreachable while its server does not answer', async () => {
  const { url, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place })
  await stop()

  const failures = await Promise.allSettled([store.write(place, chunks('x')), store.read(place), store.remove([place])])

  expect(failures).toMatchObject(Array(3).fill({ reason: { name: 'StorageError', kind: 'unreachable' } }))
})

it('is unreachable while its server takes requests and never answers', async () => {
  const { url, fallSilent, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place, mostMilliseconds: 500 })
  fallSilent()

  const failures = await Promise.allSettled([store.write(place, chunks('x')), store.read(place), store.remove([place])])

  expect(failures).toMatchObject(Array(3).fill({ reason: { name: 'StorageError', kind: 'unreachable' } }))
  await stop()
})

it.each(['things', 's3://', 'https://things', 's3:things'])('refuses the address %s', async (url) => {
  await expect(openS3Store({ url, place })).rejects.toMatchObject({ code: 'FILES_UNREACHABLE' })
})

it('says at once that there is no such bucket', async () => {
  const { url, stop } = await startS3()

  await expect(openS3Store({ url: url('nothing'), place })).rejects.toMatchObject({ code: 'FILES_UNREACHABLE' })

  await stop()
})

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
