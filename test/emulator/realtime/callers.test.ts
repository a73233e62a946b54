/** Whom the list of connections names. Contract 11. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

async function send(method: string, path: string, key: string | undefined, body: object) {
  const headers = { 'x-api-key': key ?? '', 'content-type': 'application/json' }
  return (await fetch(emulator.url + path, { method, headers, body: JSON.stringify(body) })).json()
}

it('contract 11 a connection is of a key, of the secret key or of a user', async () => {
  const { apiKey, secretKey = '' } = emulator
  await send('POST', '/collections', secretKey, { name: 'posts' })
  const account = { email: 'ada@example.com', password: 'Correct4Horse' }
  const { id, token } = (await send('POST', '/auth-collections/signup', apiKey, account)) as Record<string, string>
  const callers: Record<string, string>[] = [
    { 'x-api-key': apiKey },
    { 'x-api-key': secretKey },
    { authorization: `Bearer ${token}` },
  ]

  const named: unknown[] = []
  for (const headers of callers) {
    const stream = await fetch(`${emulator.url}/realtime/sse/posts`, { headers })
    const { connections } = await controlOf(emulator).connections.list()
    named.push(connections[0]?.who)
    await stream.body?.cancel()
    await expect.poll(async () => (await controlOf(emulator).connections.list()).connections).toEqual([])
  }

  expect(named).toEqual(['key', 'secret key', `user ${id}`])
})
