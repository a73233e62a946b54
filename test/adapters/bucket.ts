/** A bucket on a server of its own, which checks signatures. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { afterAll, beforeAll } from 'vitest'

export const place = '01900000-0000-7000-8000-000000000000'

/** The server's own keys stand in the environment while the tests of a file run. */
export function useKeys(): void {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  beforeAll(() => void Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }))
  afterAll(() => {
    for (const [name, value] of Object.entries({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}

/** Intercepts a request before the server: true where it was handled. */
type Trouble = (req: IncomingMessage, res: ServerResponse) => boolean

export async function startS3(trouble: Trouble = () => false) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'things', configs: [] }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  const server = createServer((req, res) => trouble(req, res) || answer(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (bucket: string) => `s3://${bucket}/files?endpoint=http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}
