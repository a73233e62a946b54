/** A service whose answers a test decides, and which records its requests. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
}

export interface FakeService {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): void
}

export async function openFakeService(answer: (request: Asked) => FakeAnswer): Promise<FakeService> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    request.resume()
    const one = readRequest(request)
    asked.push(one)
    const { status = 200, headers = {}, body = {} } = answer(one)
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function readRequest({ method = '', url = '', headers }: IncomingMessage): Asked {
  const key = headers['x-api-key']
  return { method, path: url, key: Array.isArray(key) ? key[0] : key }
}

/** A failure in the envelope of dialect a. */
export function failure(status: number, code: string, message: string, more: object = {}): FakeAnswer {
  return { status, body: { error: { code, message, ...more } } }
}
