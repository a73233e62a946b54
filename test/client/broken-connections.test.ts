/** Tests what the client retries when a connection breaks, over real sockets to a server that breaks them on demand. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../client/index.js'

const document = { id: 'd1', collection: 'posts', data: { title: 'Tea' }, createdAt: 't', updatedAt: 't' }
const body = JSON.stringify(document)
const answer = `HTTP/1.1 200 OK\r\nsvc-dialect: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server that answers every request but those for which `breaks` closes the connection instead. */
async function aServer(breaks: (socket: Socket, served: number) => boolean) {
  const read: string[] = []
  let served = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('readable', () => {
      if (breaks(socket, served)) return
      const text = String(socket.read() ?? '')
      if (!/^[A-Z]+ \//.test(text)) return
      read.push(text.split(' HTTP')[0] ?? '')
      served++
      socket.write(answer)
    })
    closers.push(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  return { read, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A client of that address, and what it sends. */
function clientOf(url: string) {
  const sent: string[] = []
  const svc = createClient({ url, retry: { delay: 1 }, onRequest: ({ method }) => sent.push(method) })
  return { svc, sent }
}

type Call = (svc: Client) => Promise<unknown>
const calls: Readonly<Record<string, Call>> = {
  GET: (svc) => svc.collection('posts').get('d1'),
  PUT: (svc) => svc.collection('posts').replace('d1', { title: 'Tea' }),
  'POST with a key': (svc) => svc.collection('posts').create({ title: 'Tea' }),
  PATCH: (svc) => svc.collection('posts').update('d1', { title: 'Tea' }),
  DELETE: (svc) => svc.collection('posts').delete('d1'),
  'PUT of one version': (svc) => svc.collection('posts').replace('d1', { title: 'Tea' }, { ifMatch: 3 }),
  'POST without a key': (svc) => svc.collection('posts').deleteMany(['d1']),
}
const repeated = ['GET', 'PUT', 'POST with a key']

describe('50 a connection that broke', () => {
  const breaks: Readonly<Record<string, (socket: Socket) => void>> = {
    'before the request was read': (socket) => socket.resetAndDestroy(),
    'after the request was read, without an answer': (socket) => {
      socket.read()
      socket.destroy()
    },
  }
  const cases = Object.keys(breaks).flatMap((when) => Object.keys(calls).map((name) => [when, name] as const))

  it.each(cases)('%s: %s is repeated if that is safe', async (when, name) => {
    let isBroken = false
    // The first request opens the kept-alive connection, and the second finds it closed.
    const { url, read } = await aServer((socket, served) => {
      if (served !== 1 || isBroken || socket.readableLength === 0) return false
      isBroken = true
      breaks[when]?.(socket)
      return true
    })
    const { svc, sent } = clientOf(url)
    await svc.collections.get('posts').catch(() => undefined)

    const outcome = await calls[name]?.(svc).then(
      () => 'done',
      ({ code }) => code,
    )

    const [, ...asked] = sent
    expect(isBroken).toBe(true)
    if (repeated.includes(name)) {
      expect([outcome, asked.length, read.length]).toEqual(['done', 2, 2])
    } else {
      expect([outcome, asked.length, read.length]).toEqual(['NETWORK', 1, 1])
    }
  })
})

describe('50 a request that cannot have reached the service', () => {
  /** A port without a listener. */
  async function aFreePort() {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }

  it.each(Object.keys(calls))('is repeated, whatever its method: %s', async (name) => {
    const { svc, sent } = clientOf(`http://127.0.0.1:${await aFreePort()}`)

    await expect(calls[name]?.(svc)).rejects.toMatchObject({ code: 'NETWORK' })

    expect(sent).toHaveLength(3)
  })

  it('is repeated where a name has several addresses, or none', async () => {
    const local = clientOf(`http://localhost:${await aFreePort()}`)
    const nowhere = clientOf('http://svc.invalid')

    await local.svc
      .collection('posts')
      .update('d1', {})
      .catch(() => undefined)
    await nowhere.svc
      .collection('posts')
      .update('d1', {})
      .catch(() => undefined)

    expect([local.sent, nowhere.sent]).toEqual(Array(2).fill(['PATCH', 'PATCH', 'PATCH']))
  })

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'is known by its code, in the cause or by itself: %s',
    async (code) => {
      const failures = [
        new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) }),
        Object.assign(new Error('x'), { code }),
        new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
      ]
      const attempts = failures.map(async (failure) => {
        let sent = 0
        const fetch = async () => {
          sent++
          throw failure
        }
        const svc = createClient({ url: 'http://service.test', retry: { delay: 1 }, fetch })
        await svc
          .collection('posts')
          .update('d1', {})
          .catch(() => undefined)
        return sent
      })

      expect(await Promise.all(attempts)).toEqual([3, 3, 1])
    },
  )
})
