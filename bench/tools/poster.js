/** Repeats a POST over keep-alive connections. */
import { Agent, request } from 'node:http'

/** @param {{ port: number, path: string, headers: Record<string, string>, body: string | (() => string) }} ask */
export function openPoster({ port, path, headers, body }) {
  const agent = new Agent({ keepAlive: true })
  return {
    close: () => agent.destroy(),
    /** @returns {Promise<void>} */
    post: () =>
      new Promise((resolve, reject) => {
        const text = typeof body === 'string' ? body : body()
        const length = String(Buffer.byteLength(text))
        const all = { ...headers, 'content-type': 'application/json', 'content-length': length }
        const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers: all, agent }, (answer) => {
          answer.resume()
          answer.on('error', reject)
          answer.on('end', () => {
            if (answer.statusCode === 201) resolve()
            else reject(new Error(`POST ${path}: ${answer.statusCode}`))
          })
        })
        outgoing.on('error', reject)
        outgoing.end(text)
      }),
  }
}
