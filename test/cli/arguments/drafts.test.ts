/** Files that are there only for a while, as drafts and that of `--ready-file`: how a command ends with them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'
import { emulatorFile } from '../emulator-file.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const stored = ['a', 'b', 'c', 'd', 'e'].map((name, at) => {
  const id = `01999999-9999-7999-8999-00000000000${at}`
  return {
    id,
    name: `${name}.bin`,
    path: 'films',
    size: 1_000,
    mimeType: 'application/octet-stream',
    createdAt: '2030-01-02T00:00:00.000Z',
  }
})

/** An emulator that sends the first half of each file, and never the rest. */
async function openHalfService() {
  const half = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': 1_000 })
    response.write('x'.repeat(500))
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', url)
    if (pathname.startsWith('/films/') || pathname.endsWith('/file')) return half(response)
    const items = stored.map((file) => ({ ...file, url: `${url}/films/${file.name}` }))
    const answer = pathname.startsWith('/_svc') ? {} : { files: items, total: items.length, limit: 100, offset: 0 }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  mkdirSync(join(world.folder, '.svc'))
  writeFileSync(join(world.folder, '.svc', 'emulator.json'), JSON.stringify(emulatorFile({ url })))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, close }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const commands: [string, number, ...string[]][] = [
  ['a download', 1, 'files', 'download', '{url}/films/a.bin', '--to', 'out'],
  ['the downloads of a folder', 4, 'files', 'download', 'films', '--to', 'out'],
  ['the export of a snapshot', 1, 'snapshot', 'export', 'kept', 'out/kept.tar'],
]

test.each(
  commands.flatMap(([what, drafts, ...words]) => [
    { what, drafts, words, signal: 'SIGINT' as const, exit: 130 },
    { what, drafts, words, signal: 'SIGTERM' as const, exit: 143 },
  ]),
)('$what leaves no draft after $signal', async ({ drafts, words, signal, exit }) => {
  const service = await openHalfService()
  const out = join(world.folder, 'out')
  mkdirSync(out)

  const child = execa(process.execPath, [bin, ...words.map((word) => word.replace('{url}', service.url))], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
    timeout: hungMilliseconds,
    ...endsByItself,
  })
  await vi.waitFor(() => expect(filesIn(out)).toHaveLength(drafts), patiently)
  const during = filesIn(out)
  child.kill(signal)
  const { exitCode } = await child

  service.close()
  for (const name of during) expect(name).toMatch(/^\.svc-[\w-]{13}$/)
  expect(exitCode).toBe(exit)
  expect(filesIn(out)).toEqual([])
})

test('a draft has a short name, whatever the file is called', async () => {
  await world.useEmulator()
  const name = `${'n'.repeat(250)}.ts`

  const ran = await world.svc(['types', 'generate', '--out', name])

  expect(ran).toMatchObject({ exit: 0 })
  expect(readFileSync(join(world.folder, name), 'utf8')).toContain('Schema')
})

/** Runs a shell with its own mounts, as in a container. Not every machine allows users to do this. */
const mounting = ['-rm', 'sh', '-c']
const mayMount = spawnSync('unshare', [...mounting, 'mount --bind /dev/null /dev/null']).status === 0

test.skipIf(!mayMount)(
  'svc dev ends well where its ready file can neither be removed nor emptied, and says so',
  async () => {
    const locking = 'mount --bind ready.json ready.json && mount -o remount,ro,bind ready.json'
    const dev = `exec '${process.execPath}' '${bin}' dev --memory --port 0 --ready-file ready.json -- sh -c '${locking}'`

    const ran = await execa('unshare', [...mounting, dev], {
      cwd: world.folder,
      env: cleanEnv(world.folder),
      extendEnv: false,
      reject: false,
      timeout: hungMilliseconds,
      ...endsByItself,
    })

    expect(ran.stderr).toContain(
      `"${join(world.folder, 'ready.json')}" could not be removed and still describes the stopped server`,
    )
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^stopped$/m) })
  },
)
