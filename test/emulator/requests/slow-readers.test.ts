/** Answers that nobody reads, over raw sockets: a client library would read them. Contract 10.10. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { type Limited, limitedOfFile } from '../../fixtures/requests/limited-service.js'

const startLimited = limitedOfFile()
const megabyte = 1024 * 1024
/** More than the systems at both ends take in for a reader that does not read. */
const large = 30

/** Everybody who does not read is behind soon. */
const impatient = { minBytesPerSecond: 1024 * megabyte, maxSecondsBehind: 0.2 }
const patient = { minBytesPerSecond: 1, maxSecondsBehind: 1_000_000 }

/** A request whose answer is not read. */
async function askAndStop({ port, apiKey }: Limited, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\n\r\n`)
  return socket
}

async function withDocuments(service: Limited): Promise<string> {
  await service.send('POST', '/collections', { name: 'posts' })
  const text = 'x'.repeat(megabyte - 1_000)
  for (let n = 0; n < large; n++) {
    const created = await service.send('POST', '/collections/posts', { text })
    expect(created.status).toBe(201)
    await created.text()
  }
  return `/collections/posts?limit=${large}`
}

async function withFile(service: Limited): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob(['x'.repeat(large * megabyte)]), 'a.txt')
  const uploaded = await fetch(`${service.url}/storage/upload`, {
    ...{ method: 'POST', body: form, headers: { 'x-api-key': service.apiKey, connection: 'close' } },
  })
  const { url } = (await uploaded.json()) as { url: string }
  return new URL(url).pathname
}

it.each([
  ['an answer', withDocuments],
  ['a file', withFile],
])('contract 10.10 %s of which nothing is taken is closed', async (_, prepare) => {
  const service = await startLimited({ readerLimits: impatient })
  const path = await prepare(service)
  await expect.poll(service.connections).toBe(0)

  const socket = await askAndStop(service, path)
  await once(socket, 'readable')

  await expect.poll(service.connections).toBe(0)
})

it('contract 10.10 an answer and a file that are read come whole', async () => {
  const service = await startLimited({})
  const paths = [await withDocuments(service), await withFile(service)]

  const [documents = 0, file] = await Promise.all(
    paths.map(async (path) => (await (await service.send('GET', path)).arrayBuffer()).byteLength),
  )

  expect(documents).toBeGreaterThan((large - 1) * megabyte)
  expect(file).toBe(large * megabyte)
})

it('contract 10.10 an event stream that is read stays open, however little comes', async () => {
  const service = await startLimited({ readerLimits: impatient })
  const path = await withDocuments(service)
  const events = await openEvents(service.url, '/realtime/sse/posts', { 'x-api-key': service.apiKey })

  const socket = await askAndStop(service, path)
  await once(socket, 'readable')
  await expect.poll(service.connections).toBe(1)
  await (await service.send('POST', '/collections/posts', { n: 1 })).text()

  expect(await events.atLeast(1)).toMatchObject([{ event: 'created' }])
  events.close()
})

it.each([
  // An answer takes twice its size while it is made: the second has room for that beside the first, the third has not.
  ['answers hold too much', withDocuments, { maxBytes: 3.5 * large * megabyte }, undefined],
  ['files hold too much', withFile, { maxBytes: 2.5 * 64 * 1024 }, undefined],
  ['files are more than their store can read at once', withFile, {}, 2],
])(
  'contract 10.10 where %s, a slow reader is closed, and others get theirs',
  async (_, prepare, memoryLimits, maxReads) => {
    const service = await startLimited({ readerLimits: { ...patient, graceSeconds: 0 }, memoryLimits, maxReads })
    const path = await prepare(service)
    await expect.poll(service.connections).toBe(0)

    for (const count of [1, 2]) {
      await once(await askAndStop(service, path), 'readable')
      expect(await service.connections()).toBe(count)
    }
    // Readers are looked at every second, and none is closed before.
    await pause(2_500)
    await once(await askAndStop(service, path), 'readable')

    await expect.poll(service.connections).toBe(2)
    const answer = await service.send('GET', path)
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan((large - 1) * megabyte)
  },
)
