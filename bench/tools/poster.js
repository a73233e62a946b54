/** Repeats a POST over keep-alive connections. */
import { Agent, request } from 'node:http'

/** @param {{ port: number, path: string, headers: Record<string, string>, body: string }} ask */
export function openPoster({ port, path, headers, body }) {
  const agent = new Agent({ keepAlive: true })
  const all = { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return {
    close: () => agent.destroy(),
    /** @returns {Promise<void>} */
    post: () =>
      new Promise((resolve, reject) => {
        const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers: all, agent }, (answer) => {
          answer.resume()
          answer.on('error', reject)
          answer.on('end', () => {
            if (answer.statusCode === 201) resolve()
            else reject(new Error(`POST ${path}: ${answer.statusCode}`))
          })
        })
        outgoing.on('error', reject)
        outgoing.end(body)
      }),
  }
}
