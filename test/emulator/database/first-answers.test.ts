/** The requests `svc dev` sends to itself before it says it is ready; all its other tests show that it then is. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { firstAnswers } from '../../../cli/dev/first-answer.js'

async function asking(listener: RequestListener, collection?: string): Promise<void> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const forgetRequests = () => undefined
  await firstAnswers({ url, apiKey: 'key', someCollection: async () => collection, forgetRequests }).finally(() => {
    server.closeAllConnections()
    server.close()
  })
}

test.each([
  ['posts', ['/api/collections/posts', '/realtime/sse/posts']],
  [undefined, ['/collections', '/realtime/sse/documents']],
])('an emulator with the collection %s is ready once that is read and subscribed to', async (collection, expected) => {
  const paths: string[] = []

  await asking((req, res) => {
    paths.push(req.url ?? '')
    if (!req.url?.startsWith('/realtime')) return res.end('{}')
    // The stream stays open.
    res.writeHead(collection === undefined ? 404 : 200, { 'content-type': 'text/event-stream' })
    return res.write(': connected\n\n')
  }, collection)

  expect(paths).toEqual(expected)
})

test.each([
  ['request', '/api/collections/posts', 500],
  ['request', '/api/collections/posts', 404],
  ['subscription', '/realtime/sse/posts', 503],
  ['subscription', '/realtime/sse/posts', 404],
])('an emulator whose first %s at %s is answered with %i is not ready', async (what, path, status) => {
  const answered = asking((req, res) => {
    res.statusCode = req.url === path ? status : 200
    res.end('{}')
  }, 'posts')

  await expect(answered).rejects.toThrow(`answered its first ${what} with ${status}`)
})
