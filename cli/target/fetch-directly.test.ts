/** Requests to a service on this machine, sent without `fetch`: the same as of any other. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import { exits } from '../base/failure.js'
import { fetchDirectly } from './fetch-directly.js'

const ending: (() => Promise<void>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const end of ending.splice(0)) await end()
})

interface Listening {
  readonly url: string
  /** The connections that were made, closed ones among them. */
  readonly sockets: readonly Socket[]
  close(): Promise<void>
}

async function listen(answer: RequestListener): Promise<Listening> {
  const sockets: Socket[] = []
  const server = createServer(answer).on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections())
  ending.push(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, close }
}

function createTestClient(url: string, { attempts = 1, timeout = 30_000 } = {}) {
  return createClient({ url, timeout, apiKey: 'svc_key_x', fetch: fetchDirectly, retry: { attempts } })
}

test('status, headers and text of an answer are those that fetch has', async () => {
  const { url } = await listen((request, response) => {
    response.writeHead(418, 'Short', { 'set-cookie': ['a=1', 'b=2'], 'x-given': request.headers['x-given'] })
    response.end('\ufeffté')
  })

  const read = async (answer: Response) => {
    const { status, statusText, ok, url, headers } = answer
    const named = ['x-given', 'set-cookie'].map((name) => headers.get(name))
    return { status, statusText, ok, url, named, text: await answer.text() }
  }
  const init = { headers: { 'x-given': 'one' } }
  const ours = await read(await fetchDirectly(`${url}/pot?a=b`, init))
  const theirs = await read(await fetch(`${url}/pot?a=b`, init))

  expect(ours).toEqual(theirs)
  expect(ours).toMatchObject({ status: 418, text: 'té', named: ['one', 'a=1, b=2'] })
})

test('a body arrives whole with every method, and as long as it says', async () => {
  const { url } = await listen(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    response.end(`${request.method} ${body.length} ${request.headers['content-length']}`)
  })
  const body = 'é'.repeat(1_500_000)

  const answers = ['POST', 'PUT', 'PATCH', 'DELETE'].map(async (method) => {
    return (await fetchDirectly(url, { method, body, headers: { 'content-type': 'text/plain' } })).text()
  })

  expect(await Promise.all(answers)).toEqual(
    ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} 3000000 3000000`),
  )
})

test('a form goes to the service with its files', async () => {
  const { url } = await listen((request, response) => {
    request.resume().on('end', () => response.end(request.headers['content-type']))
  })
  const body = new FormData()
  body.append('file', new File(['x'.repeat(100_000)], 'x.txt'))

  const response = await fetchDirectly(url, { method: 'POST', body, headers: { 'x-api-key': 'svc_key_x' } })

  expect(await response.text()).toMatch(/^multipart\/form-data; boundary=/)
})

test('a body of many megabytes is read as it comes, and no sooner than it is asked for', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  let written = 0
  const { url } = await listen(async (_request, response) => {
    for (; written < 64 && !response.destroyed; written++) {
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
    }
    response.end()
  })

  const { body } = await fetchDirectly(url)
  const reader = body?.getReader()
  await reader?.read()
  const ahead = written
  await reader?.cancel()

  expect(ahead).toBeLessThan(64)
})

test('what is taken from a stream ends it on both sides', async () => {
  let isClosed = false
  const { url } = await listen((_request, response) => {
    response.on('close', () => {
      isClosed = true
    })
    response.write('data: 1\n\n')
  })

  const reader = (await fetchDirectly(url)).body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()

  expect(new TextDecoder().decode(first?.value)).toBe('data: 1\n\n')
  await expect.poll(() => isClosed).toBe(true)
})

test.each(['before it is sent', 'before it is answered', 'while it is read'])(
  'a request that is aborted %s fails with the reason of that, and lets go of its connection',
  async (moment) => {
    const aborting = new AbortController()
    const reason = new Error('enough')
    const { url, sockets } = await listen((_request, response) => {
      if (moment === 'before it is answered') aborting.abort(reason)
      else response.write('something')
    })
    if (moment === 'before it is sent') aborting.abort(reason)

    const asking = fetchDirectly(url, { signal: aborting.signal }).then((response) => {
      const reading = response.text()
      aborting.abort(reason)
      return reading
    })

    await expect(asking).rejects.toBe(reason)
    await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
  },
)

test('a service that refuses the connection is a NETWORK error, with the reason in its cause', async () => {
  const { url, close } = await listen(() => undefined)
  await close()

  const asking = createTestClient(url).collections.list()

  await expect(asking).rejects.toMatchObject({ code: 'NETWORK', cause: { code: 'ECONNREFUSED' } })
})

test('a service that does not answer in time is a TIMEOUT error', async () => {
  const { url } = await listen(() => undefined)

  const asking = createTestClient(url, { timeout: 50 }).collections.list()

  await expect(asking).rejects.toMatchObject({ code: 'TIMEOUT', cause: { name: 'AbortError' } })
})

test.each([
  ['before it answers', ''],
  ['in the middle of its answer', '[{"id"'],
])('a service that breaks off %s is a NETWORK error', async (_moment, text) => {
  const { url } = await listen((request, response) => {
    response.writeHead(200, { 'content-length': '100', 'content-type': 'application/json' })
    if (text) response.write(text, () => request.socket.destroy())
    else request.socket.destroy()
  })

  const asking = createTestClient(url).collections.list()

  await expect(asking).rejects.toMatchObject({ code: 'NETWORK' })
})

test('one connection serves requests that follow each other, and another one is made where that was closed', async () => {
  const { url, sockets } = await listen((_request, response) => response.end('[]'))
  const { collections } = createTestClient(url, { attempts: 2 })

  await collections.list()
  await collections.list()
  const before = sockets.length
  sockets[0]?.destroy()
  await collections.list()

  expect([before, sockets.length]).toEqual([1, 2])
})

const key = { 'x-api-key': 'svc_key_x' }
const form = () => {
  const body = new FormData()
  body.append('file', new File(['x'], 'x.txt'))
  return body
}

test.each<[string, RequestInit, number]>([
  ['a GET with a key', { headers: key }, 302],
  ['a GET with a key in another case', { headers: [['X-Api-Key', 'svc_key_x']] }, 301],
  ['a GET with a token', { headers: { authorization: 'Bearer x' } }, 307],
  ['a GET with the control token', { headers: { 'svc-control-token': 'x' } }, 308],
  ['a POST with a key', { method: 'POST', headers: key }, 303],
  ['a POST with a key and a body', { method: 'POST', headers: key, body: '{}' }, 308],
  ['a POST with a key and a form', { method: 'POST', headers: key, body: form() }, 307],
  ['a POST with a body alone', { method: 'POST', body: '{}' }, 307],
])('%s does not follow a redirect, asked with and without fetch', async (_, init, status) => {
  const asked: string[] = []
  const there = await listen((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end()
  })
  const { url } = await listen((request, response) =>
    request.resume().on('end', () => response.writeHead(status, { location: `${there.url}/here` }).end('-')),
  )

  for (const useFetch of ['', '1']) {
    vi.stubEnv('NODE_USE_ENV_PROXY', useFetch)
    await expect(fetchDirectly(url, init), useFetch).rejects.toMatchObject({
      code: 'REDIRECTED',
      exit: exits.network,
      message: expect.stringContaining(`redirects to ${there.url}. `),
    })
  }

  expect(asked).toEqual([])
})

test('a request without key and body follows a redirect', async () => {
  const { url: there } = await listen((request, response) => response.end(`at ${request.url}`))
  const { url } = await listen((_request, response) => response.writeHead(302, { location: `${there}/here` }).end('-'))

  const texts: string[] = []
  for (const useFetch of ['', '1']) {
    vi.stubEnv('NODE_USE_ENV_PROXY', useFetch)
    texts.push(await (await fetchDirectly(url)).text())
  }

  expect(texts).toEqual(['at /here', 'at /here'])
})

test.each([201, 404])('a %i answer with a location is not a redirect', async (status) => {
  const { url } = await listen((_request, response) => response.writeHead(status, { location: '/made' }).end('body'))

  const answer = await fetchDirectly(url, { method: 'POST', headers: key, body: '{}' })

  expect([answer.status, await answer.text()]).toEqual([status, 'body'])
})

test.each([
  ['over node:http', undefined],
  ['with fetch', new Uint8Array([1])],
])('an answer without an end is given up %s, and its connection closed', async (_, body) => {
  const piece = Buffer.alloc(1024 * 1024)
  let sentBytes = 0
  const { url, sockets } = await listen((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write(piece)) sentBytes += piece.length
    }
    response.on('drain', write)
    write()
  })

  const reading = fetchDirectly(url, { method: 'POST', body }).then((response) => response.text())

  await expect(reading).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
  expect(sentBytes).toBeLessThan(400 * piece.length)
})
