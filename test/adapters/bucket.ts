/** A bucket on a server of its own, which checks signatures. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

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
