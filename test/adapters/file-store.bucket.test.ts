import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import type { ByteRange, FileStore } from '../../emulator/ports/files/port.js'
import { openS3Store } from '../../emulator/ports/files/s3.js'
import { patiently } from '../fixtures/patience.js'
import { heldBytes } from '../fixtures/requests/held-bytes.js'
import { place, startS3, useKeys } from './bucket.js'
import { fileStoreCases } from './file-store.cases.js'

useKeys()

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

it('is unreachable, and lacks no file, while its bucket is not there', async () => {
  let isThere = true
  const { url, stop } = await startS3((_req, res) => {
    if (isThere) return false
    res.writeHead(404, { 'content-type': 'application/xml' })
    res.end('<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>No.</Message></Error>')
    return true
  })
  const store = await openS3Store({ url: url('things'), place })
  await store.write(place, chunks('x'))

  isThere = false
  const failures = await Promise.allSettled([store.read(place), store.has(place), store.isSettled(place)])

  expect(failures).toMatchObject(Array(3).fill({ reason: { name: 'StorageError', kind: 'unreachable' } }))
  await stop()
})

const long = Array(9).fill('x'.repeat(1_048_576))

it('sends parts of one size, as some servers ask for', async () => {
  const sizes: number[] = []
  const { url, stop } = await startS3(({ url = '', headers }) => {
    if (url.includes('partNumber=')) sizes.push(Number(headers['content-length']))
    return false
  })
  const store = await openS3Store({ url: url('things'), place })

  await store.write(place, chunks(...Array(20).fill('x'.repeat(1_000_000))))

  expect(sizes).toEqual([8_388_608, 8_388_608, 20_000_000 - 2 * 8_388_608])
  expect(await readAll(store, place)).toBe('x'.repeat(20_000_000))
  await store.close()
  await stop()
})

it.each([
  ['a megabyte', 1_048_576, 30],
  ['a byte', 1, 200_000],
])('holds one part of a file that comes in pieces of %s', async (_, bytes, count) => {
  const { url, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place })
  const before = await heldBytes()
  const held: number[] = []
  async function* pieces() {
    for (let n = 1; n <= count; n++) {
      yield Buffer.alloc(bytes)
      if (n % (count / 10) === 0) held.push((await heldBytes()) - before)
    }
  }

  await store.write(place, pieces())

  expect(held).toHaveLength(10)
  expect(Math.max(...held)).toBeLessThan(1.5 * (store.bufferedBytes ?? 0))
  await store.close()
  await stop()
})

it('reads some more files at once than it says, so that their readers can be compared', async () => {
  const { url, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place, maxReads: 2 })
  await store.write(place, chunks(...long))

  const open = [await store.read(place), await store.read(place), await store.read(place)]

  expect(open.map((bytes) => bytes !== undefined)).toEqual([true, true, true])
  expect(store.maxReads).toBe(2)
  for (const bytes of open) bytes?.destroy()
  await store.close()
  await stop()
})

it('refuses temporary keys that have expired, which is 400, as keys that are revoked', async () => {
  let hasExpired = false
  const { url, stop } = await startS3((_req, res) => {
    if (!hasExpired) return false
    res.writeHead(400, { 'content-type': 'application/xml' })
    res.end('<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>Expired.</Message></Error>')
    return true
  })
  const store = await openS3Store({ url: url('things'), place })

  hasExpired = true

  expect(await kindsOf(store)).toEqual(Array(5).fill('refused'))
  await expect(openS3Store({ url: url('things'), place })).rejects.toMatchObject({
    hint: expect.stringContaining('expired'),
  })
  await stop()
})

it('is refused, as by revoked keys, while keys cannot be fetched', async () => {
  const { url, stop } = await startS3()
  // Keys that have ended are fetched for each request.
  vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(0).toISOString())
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  const store = await openS3Store({ url: url('things'), place })
  await store.write(place, chunks('x'))

  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '')
  const kinds = await kindsOf(store)
  vi.unstubAllEnvs()

  expect(kinds).toEqual(Array(5).fill('refused'))
  expect(await readAll(store, place)).toBe('x')
  await stop()
})

it('throws what the sender of the bytes throws, also in a later part', async () => {
  const { url, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place })
  const cut = async function* () {
    yield* chunks(...long)
    throw new Error('cut')
  }

  await expect(store.write(place, cut())).rejects.toThrow('cut')
  expect(await store.has(place)).toBe(false)
  await stop()
})

async function kindsOf(store: FileStore): Promise<unknown[]> {
  const failures = await Promise.allSettled([
    store.write(place, chunks('x')),
    store.write(place, chunks(...long)),
    store.read(place),
    store.remove([place]),
    store.has(place),
  ])
  return failures.map((failure) => failure.status === 'rejected' && failure.reason.kind)
}

it('is unreachable while its server says nothing, and writes nothing half', async () => {
  let isSilent = false
  const { url, stop } = await startS3(() => isSilent)
  const store = await openS3Store({ url: url('things'), place, maxMilliseconds: 200 })

  isSilent = true
  const failures = await Promise.allSettled([
    store.write(place, chunks('x')),
    store.write(place, chunks(...long)),
    store.read(place),
    store.remove([place]),
  ])
  isSilent = false

  expect(failures).toMatchObject(Array(4).fill({ reason: { name: 'StorageError', kind: 'unreachable' } }))
  expect(await store.has(place)).toBe(false)
  await stop()
})

it('writes, and looks for files, while readers take their time', async () => {
  const { url, stop } = await startS3()
  const store = await openS3Store({ url: url('things'), place, maxMilliseconds: 600_000 })
  await store.write(place, chunks(...long))

  // More than the connections that the library opens by itself.
  const reads = await Promise.all(Array.from({ length: 60 }, () => store.read(place)))
  const other = place.replace('1', '2')
  await store.write(other, chunks('x'))

  expect(await store.has(other)).toBe(true)
  for (const read of reads) read?.destroy()
  await store.close()
  await stop()
})

it('ends its request at once for a reader who takes no byte, or not all', async () => {
  const reads = new Set<ServerResponse>()
  const { url, stop } = await startS3(({ method }, res) => {
    if (method === 'GET') reads.add(res.once('close', () => reads.delete(res)))
    return false
  })
  const store = await openS3Store({ url: url('things'), place, maxMilliseconds: 600_000 })
  await store.write(place, chunks(...long))

  const [unread, begun] = [await store.read(place), await store.read(place)]
  await begun?.iterator({ destroyOnReturn: false }).next()
  const open = reads.size
  for (const bytes of [unread, begun]) bytes?.destroy()

  expect(open).toBe(2)
  await vi.waitFor(() => expect(reads.size).toBe(0), patiently)
  await store.close()
  await stop()
})

it('asks again for what a server that is busy refuses', async () => {
  const refused = new Set<string | undefined>()
  const { url, stop } = await startS3(({ method }, res) => {
    if (refused.has(method) || method === 'HEAD') return false
    refused.add(method)
    res.writeHead(503).end()
    return true
  })
  const store = await openS3Store({ url: url('things'), place })

  await store.write(place, chunks('Hello'))

  expect(await readAll(store, place)).toBe('Hello')
  await store.remove([place])
  expect(await store.has(place)).toBe(false)
  expect([...refused].sort()).toEqual(['GET', 'POST', 'PUT'])
  await stop()
})

it('goes on where an answer breaks off, and gives up where nothing comes any more', async () => {
  let cuts = 0
  let most = 3
  const { url, stop } = await startS3(({ method }, res) => {
    if (method !== 'GET' || cuts >= most) return false
    cuts++
    const write = res.write.bind(res)
    const cut = (bytes?: Buffer) => {
      // All later bytes are lost.
      Object.assign(res, { write: () => true, end: () => res })
      if (most === 3 && bytes) write(bytes.subarray(0, 1_000))
      setTimeout(() => res.destroy(), 20)
      return true
    }
    Object.assign(res, { write: cut, end: cut })
    return false
  })
  const store = await openS3Store({ url: url('things'), place })
  const numbers = Array.from({ length: 20_000 }, (_, n) => String(n)).join(' ')
  await store.write(place, chunks(numbers))

  expect((await readAll(store, place)) === numbers).toBe(true)
  expect(cuts).toBe(3)
  cuts = 0
  expect(await readAll(store, place, { first: 10, last: 5_009 })).toBe(numbers.slice(10, 5_010))
  expect(cuts).toBe(3)
  cuts = 0
  most = 1_000
  await expect(readAll(store, place)).rejects.toMatchObject({ name: 'StorageError', kind: 'unreachable' })
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

async function readAll(...[store, id, range]: [FileStore, string, ByteRange?]): Promise<string> {
  const stream = await store.read(id, range)
  return stream ? text(stream) : ''
}

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
