/** A disk that fails in the middle of a file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { killed } from '../../fixtures/dev.js'

const cli = fileURLToPath(new URL('../../../cli/bin/run.js', import.meta.url))
const megabyte = 2 ** 20
const mostFileMegabytes = 32

/** The service on a disk with a limit on file sizes. */
async function startLimited() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-disk-faults-'))
  const readyFile = join(folder, 'ready.json')
  const limited = `ulimit -f ${mostFileMegabytes * 1024}; exec "$0" "$@"`
  const args = [cli, 'dev', '--port', '0', '--data', join(folder, 'state'), '--ready-file', readyFile]
  const child = spawn('bash', ['-c', limited, process.execPath, ...args], { stdio: 'ignore' })
  onTestFinished(async () => {
    await killed(child)
    await rm(folder, { recursive: true, force: true })
  })
  for (;;) {
    const ready = await readFile(readyFile, 'utf8').catch(() => '')
    if (ready.endsWith('}\n')) return { folder, ...(JSON.parse(ready) as { url: string; apiKey: string }) }
    if (child.exitCode !== null) throw new Error(`svc dev stopped with ${child.exitCode}.`)
    await pause(25)
  }
}

// The limit on a process's files is the shell's; Windows has none.
it.skipIf(platform() === 'win32')(
  'a disk that fails while more of a file is awaited fails that upload alone',
  async () => {
    const { folder, url, apiKey } = await startLimited()
    const headers = { 'x-api-key': apiKey, 'content-type': 'multipart/form-data; boundary=b' }
    const upload = request(`${url}/storage/upload`, { method: 'POST', headers })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>

    upload.write('--b\r\ncontent-disposition: form-data; name="file"; filename="long.bin"\r\n\r\n')
    upload.write(Buffer.alloc((mostFileMegabytes + 1) * megabyte))
    await pause(1_000)
    upload.write(Buffer.alloc(megabyte))
    upload.end('\r\n--b--\r\n')
    const [answer] = await answered
    const usage = await fetch(`${url}/storage/info`, { headers: { 'x-api-key': apiKey } })

    expect([answer.statusCode, await text(answer)]).toEqual([500, expect.stringContaining('INTERNAL')])
    expect(await usage.json()).toMatchObject({ files: 0, bytes: 0 })
    const left = await readdir(join(folder, 'state', 'files'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
  },
)
