/** Tests the leftovers in a bucket: unfinished uploads, and objects that it keeps. */
import { EventEmitter, once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openS3Store } from '../../emulator/ports/files/s3.js'
import { place, startS3, useKeys } from './bucket.js'

useKeys()

/**
 * Lists uploads, two of a page, as Amazon's server does and this one does not; what is given up.
 *
 * @param now its own time
 * @param written when every object was written
 */
async function listingUploads(keys: Record<string, string>, status = 200, now?: string, written = now) {
  const [first = [], second = []] = [Object.entries(keys).slice(0, 2), Object.entries(keys).slice(2)]
  const page = (some: [string, string][], next: string) => `<?xml version="1.0"?><ListMultipartUploadsResult>
    ${some.map(([key, at]) => `<Upload><Key>${key}</Key><UploadId>of ${key}</UploadId><Initiated>${at}</Initiated></Upload>`).join('')}
    <IsTruncated>${next !== ''}</IsTruncated>${next}</ListMultipartUploadsResult>`
  const abandoned: string[] = []
  const prefixes: (string | null)[] = []
  const bucket = await startS3(({ method, url = '' }, res) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const key = pathname.replace('/things/', '')
    if (now !== undefined) res.setHeader('date', now)
    if (method === 'DELETE' && searchParams.has('uploadId')) {
      abandoned.push(key)
      // As of one that another process has given up already.
      res.writeHead(abandoned.length === 1 ? 404 : 204).end()
    } else if (searchParams.has('uploads') && method === 'GET') {
      prefixes.push(searchParams.get('prefix'))
      const isFirst = searchParams.get('upload-id-marker') === null
      const more = second.length > 0 ? '<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>' : ''
      res.writeHead(status, { 'content-type': 'application/xml' }).end(isFirst ? page(first, more) : page(second, ''))
    } else if (method === 'HEAD' && now !== undefined) {
      res.writeHead(200, { 'last-modified': written }).end()
    } else return false
    return true
  })
  return { ...bucket, abandoned, prefixes }
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

it('gives up uploads whose process died: of this database, and none that may still be at work', async () => {
  const own = `files/${place}/`
  const { url, stop, abandoned, prefixes } = await listingUploads({
    [`${own}killed`]: hoursAgo(3),
    [`${own}working`]: hoursAgo(1),
    [`${own}older`]: hoursAgo(1_000),
    'files/other/killed': hoursAgo(3),
  })
  const store = await openS3Store({ url: url('things'), place })

  await store.removeAbandoned?.()

  expect(abandoned).toEqual([`${own}killed`, `${own}older`])
  expect(prefixes).toEqual([own, own])
  await stop()
})

it.each([403, 405, 501])('leaves uploads alone where to list them is answered %i', async (status) => {
  const { url, stop, abandoned } = await listingUploads({ [`files/${place}/killed`]: hoursAgo(3) }, status)
  const store = await openS3Store({ url: url('things'), place })

  await store.removeAbandoned?.()

  expect(abandoned).toEqual([])
  await stop()
})

it('bytes may get a row for as long as a request may take, and a while longer', async () => {
  const now = new Date().toUTCString()
  const settled: boolean[] = []
  for (const hours of [1.9, 2.1]) {
    const { url, stop } = await listingUploads({}, 200, now, new Date(Date.now() - hours * 3_600_000).toUTCString())
    const store = await openS3Store({ url: url('things'), place })
    settled.push(await store.isSettled('01900000-0000-7000-8000-000000000001'))
    await store.close()
    await stop()
  }

  expect(settled).toEqual([false, true])
})

it('by the clock of the bucket, where that of this machine is hours ahead', async () => {
  const behind = new Date(Date.now() - 3 * 3_600_000).toUTCString()
  const { url, stop, abandoned } = await listingUploads({ [`files/${place}/working`]: hoursAgo(4) }, 200, behind)
  const store = await openS3Store({ url: url('things'), place })

  expect(await store.isSettled('01900000-0000-7000-8000-000000000001')).toBe(false)
  await store.removeAbandoned?.()

  expect(abandoned).toEqual([])
  await store.close()
  await stop()
})

it('names the objects that the bucket keeps, once it was asked to remove all others', async () => {
  const ids = Array.from({ length: 2_500 }, (_, n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`)
  const kept = [ids[3], ids[1_001], ids[2_499]]
  const asked: string[] = []
  const { url, stop } = await startS3((req, res) => {
    if (req.method !== 'POST') return false
    void text(req).then((body) => {
      const keys = [...body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
      asked.push(...keys)
      const held = keys.filter((key) => kept.some((id) => key === `files/${place}/${id}`))
      const errors = held.map((key) => `<Error><Key>${key}</Key><Message>It is locked.</Message></Error>`)
      res.writeHead(200, { 'content-type': 'application/xml' }).end(`<DeleteResult>${errors.join('')}</DeleteResult>`)
    })
    return true
  })
  const store = await openS3Store({ url: url('things'), place })

  await expect(store.remove(ids)).rejects.toMatchObject({
    ...{ name: 'StorageError', kind: 'failed', ids: kept },
    message: expect.stringContaining('It is locked.'),
  })

  expect(asked).toHaveLength(ids.length)
  await store.close()
  await stop()
})

it('closes once a write that was cut has taken its parts back, and what came with it is removed', async () => {
  const done: string[] = []
  const bucket = new EventEmitter()
  const { url, stop } = await startS3((req, res) => {
    if (req.method !== 'DELETE') return false
    bucket.once('answer', () => {
      done.push('parts')
      res.writeHead(204).end()
    })
    bucket.emit('asked')
    return true
  })
  const store = await openS3Store({ url: url('things'), place })
  const id = '01900000-0000-7000-8000-000000000001'
  await store.write(id, chunks(1))
  const asked = once(bucket, 'asked')
  const cut = store.write('01900000-0000-7000-8000-000000000002', chunks(9 * 1024 * 1024, new Error('cut')))
  const handled = cut.catch(() => store.remove([id])).then(() => done.push('file'))
  await asked

  const closing = store.close().then(() => done.push('closed'))
  await turn()
  bucket.emit('answer')
  await Promise.all([handled, closing])

  expect(done).toEqual(['parts', 'file', 'closed'])
  await stop()
})

async function* chunks(bytes: number, error?: Error) {
  yield new Uint8Array(bytes)
  if (error) throw error
}
