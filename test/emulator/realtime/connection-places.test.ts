/** Tests who gets a place when few are left. Contract 9.1 and 9.5. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openEvents, openSocket, refusedWith, type Socket } from '../../fixtures/realtime/streams.js'
import { limitedOfFile } from '../../fixtures/requests/limited-service.js'

const startLimited = limitedOfFile()

type Limits = NonNullable<Parameters<typeof startLimited>[0]['connectionLimits']>

async function aService(connectionLimits: Limits) {
  const service = await startLimited({ connectionLimits })
  await service.send('POST', '/collections', { name: 'posts' })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const own = { 'x-api-key': service.apiKey }
  return {
    ...service,
    /** A socket that has not said who it is. */
    silent: (address: string) => closedAtTheEnd(openSocket(service.url, '', from(address))),
    async authenticated(address: string) {
      const socket = await closedAtTheEnd(openSocket(service.url, '', from(address)))
      expect(await socket.ask({ type: 'auth', token: service.apiKey })).toEqual({ type: 'authenticated' })
      return socket
    },
    events: (address: string, headers: Record<string, string> = own) =>
      closedAtTheEnd(openEvents(service.url, '/realtime/sse/posts', { ...headers, ...from(address) })),
    handshakeOf: (address: string) => refusedWith(`${service.url}/realtime`, from(address)),
  }
}

async function closedAtTheEnd<Stream extends { close(): void }>(opening: Promise<Stream>): Promise<Stream> {
  const stream = await opening
  onTestFinished(() => stream.close())
  return stream
}

const isOpen = async (socket: Socket) => expect(await socket.ask({ type: 'ping' })).toEqual({ type: 'pong' })

it('contract 9.1 an address holds so many sockets that have not said who they are, and others are not in their way', async () => {
  const { silent, authenticated, handshakeOf, apiKey } = await aService({ maxUnidentifiedPerAddress: 2 })
  const [first] = [await silent('1.1.1.1'), await silent('1.1.1.1')]

  expect(await handshakeOf('1.1.1.1')).toBe(429)
  await authenticated('2.2.2.2')
  expect(await first.ask({ type: 'auth', token: apiKey })).toEqual({ type: 'authenticated' })

  await isOpen(await silent('1.1.1.1'))
})

it.each(['/realtime', '/nonsense'])(
  'contract 9.1 a refused handshake at %s ends its connection, also where its client keeps it open',
  async (path) => {
    const { port, connections } = await aService({ maxUnidentifiedPerAddress: 0 })
    await expect.poll(connections).toBe(0)
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void client.destroy())

    client.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    const [answer] = await once(client, 'data')

    expect(String(answer)).toMatch(/^HTTP\/1.1 4(?:29|04) /)
    await expect.poll(connections).toBe(0)
  },
)

it('contract 9.1 sockets that have not said who they are take no place of those that have', async () => {
  const { silent, authenticated, events, handshakeOf } = await aService({ most: 3, maxUnidentified: 3 })
  const known = [await authenticated('1.1.1.1'), await authenticated('2.2.2.2')]
  for (const address of ['4.4.4.4', '5.5.5.5', '6.6.6.6']) await silent(address)

  expect(await handshakeOf('7.7.7.7')).toBe(503)
  expect((await events('7.7.7.7')).status).toBe(200)
  for (const socket of known) await isOpen(socket)
})

it('contract 9.1 where sockets that have not said who they are fill all places, an address of many gives way', async () => {
  const { silent } = await aService({ maxUnidentified: 3 })
  const many = [await silent('1.1.1.1'), await silent('1.1.1.1'), await silent('1.1.1.1')]

  const other = await silent('2.2.2.2')

  await many[2]?.closed
  for (const socket of [...many.slice(0, 2), other]) await isOpen(socket)
})

it('contract 9.5 sockets and event streams share the places, and the address that has most gives way to others', async () => {
  const service = await aService({ most: 3 })
  const { authenticated, events, silent, apiKey, send } = service
  const [first, second] = [await authenticated('1.1.1.1'), await events('1.1.1.1')]
  const third = await authenticated('1.1.1.1')

  const other = await events('2.2.2.2')

  expect(await third.closed).toBe(1013)
  const refused = await silent('1.1.1.1')
  expect(await refused.ask({ type: 'auth', token: apiKey })).toMatchObject({ type: 'error', code: 'UNAVAILABLE' })
  expect(await refused.closed).toBe(1013)
  const answer = await send('GET', '/realtime/sse/posts', undefined, { 'x-forwarded-for': '1.1.1.1' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10'])
  await isOpen(first)
  await send('POST', '/collections/posts', { n: 1 })
  for (const stream of [second, other]) expect(await stream.atLeast(1)).toMatchObject([{ event: 'created' }])

  await authenticated('3.3.3.3')
  await second.closed
  await isOpen(first)
})

it('contract 9.5 a place is free again once a connection has closed, or was refused for something else', async () => {
  const { authenticated, events, send } = await aService({ most: 1 })
  const socket = await authenticated('1.1.1.1')
  expect((await events('1.1.1.1')).status).toBe(503)

  socket.close()

  await expect.poll(async () => (await send('GET', '/realtime/sse/nothing')).status).toBe(404)
  expect((await events('1.1.1.1')).status).toBe(200)
})

it('contract 9.5 an event stream whose place is taken before it begins is not listed for ever', async () => {
  const { events, backend } = await aService({ most: 2 })
  const { connections, feeds } = backend
  await events('1.1.1.1')
  const { join } = feeds
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const joining = vi.spyOn(feeds, 'join').mockImplementationOnce(async (...given) => {
    await held
    return join(...given)
  })
  const second = events('1.1.1.1')
  await expect.poll(() => joining.mock.calls.length).toBe(1)

  await events('2.2.2.2')
  release()
  await (await second).closed

  expect(connections.all()).toHaveLength(2)
  expect(feeds.open().subscriptions).toBe(2)
})

it('contract 9.5 a session of a user holds so many connections, over whatever it connects', async () => {
  const { url, apiKey, events, silent, authenticated } = await aService({ maxPerSession: 2 })
  const { token } = await signUp(url, apiKey)
  const bearer = { authorization: `Bearer ${token}` }

  const socket = await silent('1.1.1.1')
  expect(await socket.ask({ type: 'auth', token })).toEqual({ type: 'authenticated' })
  const stream = await events('2.2.2.2', bearer)
  const more = await events('3.3.3.3', bearer)
  const late = await silent('3.3.3.3')
  const answer = await late.ask({ type: 'auth', token })

  expect([stream.status, more.status, more.headers['svc-error-code']]).toEqual([200, 429, 'RATE_LIMITED'])
  expect(answer).toMatchObject({ type: 'error', code: 'RATE_LIMITED' })
  for (let n = 0; n < 3; n++) await authenticated('1.1.1.1')
  stream.close()
  await expect.poll(async () => (await events('4.4.4.4', bearer)).status).toBe(200)
})

it('contract 9.5 a connection that becomes another session is counted as that', async () => {
  const { url, apiKey, silent } = await aService({ maxPerSession: 1 })
  const [one, other] = [await signUp(url, apiKey), await signUp(url, apiKey, 'bob@example.com')]
  const [first, second] = [await silent('1.1.1.1'), await silent('1.1.1.1')]
  const auth = (socket: Socket, { token }: { token: string }) => socket.ask({ type: 'auth', token })

  expect(await auth(first, one)).toEqual({ type: 'authenticated' })
  expect(await auth(second, other)).toEqual({ type: 'authenticated' })
  expect(await auth(first, other)).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await auth(first, one)).toEqual({ type: 'authenticated' })
  expect(await auth(second, { token: apiKey })).toEqual({ type: 'authenticated' })
  expect(await auth(first, other)).toEqual({ type: 'authenticated' })
})

async function signUp(url: string, apiKey: string, email = 'ann@example.com'): Promise<{ token: string }> {
  const answer = await fetch(`${url}/auth-collections/signup`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'Secret1!pass' }),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as { token: string }
}
