/** Lists that stay current, where connections, signals and services do not do what they should. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type ClientOptions, createClient, type LiveList, type SvcError } from '../../../client/index.js'
import { agreeing } from '../../fixtures/realtime/fake-realtime.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const page = { documents: [{ id: 'd1', collection: 'posts', data: { title: 'Tea' } }], total: 1, limit: 20, offset: 0 }

interface Behaviour {
  /** Whether it closes a request for a list, or for what it speaks, instead of an answer. */
  readonly breaks?: (request: IncomingMessage) => boolean
  /** The status that a proxy answers in its place, with a page of its own. */
  readonly proxied?: () => number | undefined
  /** Whether it never answers that. */
  readonly hangs?: (request: IncomingMessage) => boolean
  /** Whether connections for realtime come through. */
  readonly isOpen?: () => boolean
}

/** A service of one page and of changes, or of none where a proxy before it lets no WebSocket through. */
async function aService({
  breaks = () => false,
  proxied = () => undefined,
  hangs = () => false,
  isOpen = () => true,
}: Behaviour = {}) {
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (hangs(request)) return
    if (breaks(request)) return void request.socket.destroy()
    const status = proxied()
    if (status) return void response.writeHead(status).end('<html>')
    response.setHeader('svc-dialect', 'a')
    response.end(JSON.stringify(request.url === '/collections' ? [] : page))
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (!isOpen()) return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (text) => {
        for (const said of agreeing(JSON.parse(String(text)))) opened.send(JSON.stringify(said))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function postsOf(url: string, options: Partial<ClientOptions> = {}) {
  const svc = createClient<{ posts: { title: string } }>({ url, WebSocket, retry: { delay: 1 }, ...options })
  return svc.collection('posts')
}

function closedAfterwards<List extends { close(): void }>(list: List): List {
  closers.push(() => list.close())
  return list
}

/** Resolves once the loop over a list has ended. */
async function ended(list: LiveList<unknown>): Promise<void> {
  for await (const _ of list);
}

describe('a list whose signal aborts', () => {
  it('is closed while nothing happens', async () => {
    const { url } = await aService()
    const controller = new AbortController()
    const statuses: string[] = []
    const errors: SvcError[] = []
    const list = postsOf(url).live({
      signal: controller.signal,
      onStatus: (status) => statuses.push(status),
      onError: (error) => errors.push(error),
    })
    const loop = ended(list)
    await expect.poll(() => list.status).toBe('open')
    await expect.poll(() => list.page?.total).toBe(1)

    controller.abort()
    await loop

    await expect.poll(() => statuses).toEqual(['open', 'closed'])
    expect([list.status, errors]).toEqual(['closed', []])
  })

  it('is closed while it is read, and reads no more', async () => {
    const { url, asked } = await aService({ hangs: () => true })
    const controller = new AbortController()
    const errors: SvcError[] = []
    const list = postsOf(url).live({ signal: controller.signal, onError: (error) => errors.push(error) })
    const loop = ended(list)
    await expect.poll(() => asked).toHaveLength(1)

    controller.abort()
    await loop

    expect([list.status, errors, asked.length]).toEqual(['closed', [], 1])
  })

  it('is closed at once if it had aborted before', async () => {
    const { url, asked } = await aService()
    const list = postsOf(url, { dialect: 'auto' }).live({ signal: AbortSignal.abort() })

    await ended(list)

    expect([list.status, list.page]).toEqual(['closed', undefined])
    expect(asked.filter((path) => path.startsWith('/collections/posts'))).toEqual([])
  })
})

describe('a list without a connection for its changes', () => {
  it('is shown all the same, and says that there is none, until there is one', async () => {
    let isOpen = false
    const { url } = await aService({ isOpen: () => isOpen })
    const pages: (number | null)[] = []
    const statuses: string[] = []
    const list = closedAfterwards(
      postsOf(url).live({
        onPage: ({ total }) => pages.push(total),
        onStatus: (status) => statuses.push(status),
      }),
    )

    await expect.poll(() => pages).toEqual([1])
    await expect.poll(() => list.status).toBe('reconnecting')
    isOpen = true
    await expect.poll(() => list.status).toBe('open')

    await expect.poll(() => pages).toEqual([1, 1])
    expect(statuses).toEqual(['reconnecting', 'open'])
  })

  it.each(['a', 'auto'])(
    'goes on in dialect %s once the service is there, and so does a subscription',
    async (dialect) => {
      let isThere = false
      const { url, asked } = await aService({ breaks: () => !isThere, isOpen: () => isThere })
      const posts = postsOf(url, { dialect })
      const errors: SvcError[] = []
      const onError = (error: SvcError) => errors.push(error)
      const list = closedAfterwards(posts.live({ onError }))
      const subscription = closedAfterwards(posts.subscribe({ onError }))
      const statuses = () => [list.status, subscription.status]
      await expect.poll(statuses).toEqual(['reconnecting', 'reconnecting'])
      await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3)

      isThere = true

      await subscription.ready
      await expect.poll(statuses).toEqual(['open', 'open'])
      await expect.poll(() => list.page?.total).toBe(1)
      expect(errors).toEqual([])
    },
  )

  it('begins without a gap, though the first connection failed', async () => {
    let isOpen = false
    const { url } = await aService({ isOpen: () => isOpen })
    const subscription = closedAfterwards(postsOf(url).subscribe())
    await expect.poll(() => subscription.status).toBe('reconnecting')

    isOpen = true
    await subscription.ready

    expect(subscription.status).toBe('open')
  })
})

it.each([408, 425, 502, 520, 521, 522, 523, 524])(
  'a list that a proxy answers with %s goes on once the service is reached',
  async (status) => {
    let isThere = false
    const { url, asked } = await aService({ proxied: () => (isThere ? undefined : status) })
    const errors: SvcError[] = []
    const list = closedAfterwards(postsOf(url).live({ onError: (error) => errors.push(error) }))
    await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3)

    isThere = true

    await expect.poll(() => list.page?.total).toBe(1)
    expect(errors).toEqual([])
  },
)
