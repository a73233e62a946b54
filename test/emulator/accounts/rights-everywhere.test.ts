/** Two processes on one PostgreSQL: a permission that is revoked in one is gone in the other. */
import { expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openDatabases } from '../../fixtures/databases/shared-server.js'

it('contract 5.3 permissions hold in every process, however busy it is', async () => {
  const server = await openDatabases()
  const one = await startEmulator({ memory: true, databaseUrl: server.url })
  const other = await startEmulator({ memory: true, databaseUrl: server.url })
  try {
    const owner = { 'x-api-key': one.secretKey ?? '' }
    const ask = ({ url }: Emulator, method: string, path: string, headers: object, body?: object) =>
      fetch(`${url}${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    const read = () => ask(other, 'GET', '/collections/posts', { 'x-api-key': other.apiKey })
    await ask(one, 'POST', '/collections', owner, { name: 'posts' })
    expect((await read()).status).toBe(200)

    await ask(one, 'PATCH', '/collections/posts', owner, { permissions: { read: ['editor'] } })

    await expect.poll(async () => (await read()).status).toBe(401)
  } finally {
    await Promise.all([one.close(), other.close()])
    await server.stop()
  }
})
