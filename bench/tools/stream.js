/** One large body, sent or read, by a process that keeps none of it. */
import { once } from 'node:events'
import { request } from 'node:http'

const piece = Buffer.alloc(1024 * 1024, 'x')

/**
 * Sends that many bytes between two texts, and answers megabytes a second.
 *
 * @param {{ port: number, path: string, headers?: Record<string, string>, before?: string, after?: string, bytes: number }} what
 * @returns {Promise<{ perSecond: number, answer: string }>}
 */
export async function sendBytes({ port, path, headers = {}, before = '', after = '', bytes }) {
  const begunAt = performance.now()
  const length = before.length + bytes + after.length
  const req = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    headers: { ...headers, 'content-length': length },
  })
  const answered = once(req, 'response')
  req.write(before)
  for (let sent = 0; sent < bytes; sent += piece.length) if (!req.write(piece)) await once(req, 'drain')
  req.end(after)
  const [res] = /** @type {[import('node:http').IncomingMessage]} */ (await answered)
  const answer = (await res.setEncoding('utf8').toArray()).join('')
  if (res.statusCode !== 201) throw new Error(`POST ${path}: ${res.statusCode} ${answer}`)
  return { perSecond: bytes / 1e6 / ((performance.now() - begunAt) / 1_000), answer }
}

/** Reads a body to its end, and answers megabytes a second. @param {{ port: number, path: string }} what */
export async function readBytes({ port, path }) {
  const begunAt = performance.now()
  const req = request({ host: '127.0.0.1', port, path }).end()
  const [res] = /** @type {[import('node:http').IncomingMessage]} */ (await once(req, 'response'))
  let bytes = 0
  res.on('data', (chunk) => {
    bytes += chunk.length
  })
  await once(res, 'end')
  return bytes / 1e6 / ((performance.now() - begunAt) / 1_000)
}
