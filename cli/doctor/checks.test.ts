import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Finding, Patient, Seen } from './finding.js'
import { seenIndexes } from './indexes.js'
import { checkLock } from './lock.js'
import { checkClock, checkDisk } from './machine.js'
import { checkPort } from './port.js'
import { checkProcesses } from './processes.js'
import { checkNode, checkVersions } from './versions.js'

let app: string
let patient: Patient

beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  const folder = join(app, '.svc')
  mkdirSync(join(folder, 'keys'), { recursive: true })
  const nothing = { recorded: undefined, emulator: undefined, holder: undefined }
  const database = { url: undefined, directUrl: undefined }
  patient = { folder, app, version: '1.2.0', ...nothing, database, env: {} }
})
afterEach(() => rmSync(app, { recursive: true }))

const codes = ({ findings }: Seen) => findings.map(({ code, level }) => [code, level])
const remedies = ({ findings }: Seen) => findings.map(({ remedy }: Finding) => remedy)
const info = {
  ...{ url: 'http://127.0.0.1:9', wsUrl: 'ws://127.0.0.1:9', storageUrl: 'http://127.0.0.1:9/files' },
  ...{ dashboardUrl: 'http://127.0.0.1:9/_svc/', projectId: 'dev', apiKey: 'k', controlToken: 't' },
  ...{ pid: process.pid, dataDir: null, version: '1.2.0' },
}

test('an older Node than svc needs is wrong, a newer one is not', () => {
  expect(codes(checkNode('20.18.3'))).toEqual([['NODE_TOO_OLD', 'wrong']])
  expect(['20.19.0', '22.0.0', '24.1.0'].flatMap((version) => codes(checkNode(version)))).toEqual([])
})

test('an emulator of another version is wrong, a package of another version worth knowing', () => {
  const installed = join(app, 'node_modules', 'svc-toolkit-client')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'package.json'), '{"version":"1.1.0"}')

  const seen = checkVersions({ ...patient, emulator: { ...info, version: '1.0.0' } })

  expect(codes(seen)).toEqual([
    ['EMULATOR_VERSION_DIFFERS', 'wrong'],
    ['VERSION_DIFFERS', 'note'],
  ])
  expect(remedies(seen)[1]).toBe('npm install svc-toolkit-client@1.2.0')
})

test('the former port of the folder is wrong if another program uses it', async () => {
  const other = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  writeFileSync(join(patient.folder, 'keys', 'port'), String(port))

  const taken = await checkPort(patient)
  await new Promise((resolve) => other.close(resolve))
  const free = await checkPort(patient)

  expect(codes(taken)).toEqual([['PORT_IN_USE', 'wrong']])
  expect(taken.findings[0]?.message).toContain('another emulator')
  expect(free).toEqual({ said: `${port} is free`, findings: [] })
})

test('a disk that is full is wrong, one that is nearly full worth knowing', async () => {
  const seen = (megabytes: number) => checkDisk(patient, async () => megabytes * 1024 * 1024)

  expect(codes(await seen(63))).toEqual([['DISK_FULL', 'wrong']])
  expect(codes(await seen(65))).toEqual([['DISK_SCARCE', 'note']])
  expect(codes(await seen(2_000))).toEqual([])
})

test('a clock that is behind the data is wrong', async () => {
  writeFileSync(join(patient.folder, 'manifest.json'), '{"createdAt":"2030-01-02T00:00:00.000Z"}')

  expect(codes(await checkClock(patient, new Date('2030-01-01')))).toEqual([['CLOCK_BEHIND', 'wrong']])
  expect(codes(await checkClock(patient, new Date('2030-01-03')))).toEqual([])
})

test('a process that holds the folder and does not answer is to be ended', () => {
  const seen = checkLock({ ...patient, holder: { pid: 4711, url: 'http://127.0.0.1:9' } })

  expect(codes(seen)).toEqual([['NOT_ANSWERING', 'wrong']])
  expect(remedies(seen)[0]).toMatch(/^End it: kill 4711\./)
})

test('an emulator file whose process may still live is not taken away', () => {
  const hung = checkLock({ ...patient, recorded: info })
  const killed = checkLock({ ...patient, recorded: { ...info, dataDir: patient.folder } })

  expect(codes(hung)).toEqual([['NOT_ANSWERING', 'wrong']])
  expect(hung.findings[0]?.repair).toBeUndefined()
  expect(codes(killed)).toEqual([['STALE_EMULATOR_FILE', 'wrong']])
  expect(killed.findings[0]?.repair).toBeDefined()
})

test('an emulator file that names another machine is not asked', () => {
  const seen = checkLock({ ...patient, recorded: { ...info, url: 'http://203.0.113.1:80' } })

  expect(codes(seen)).toEqual([['NOT_TRUSTED', 'wrong']])
})

test('an index that was begun long ago and is not ready is wrong, one that is just being made is not', () => {
  const index = {
    collection: 'posts',
    field: 'title',
    bytes: 2_048,
    madeAt: '2030-01-01T00:00:00.000Z',
    isReady: false,
  }

  expect(codes(seenIndexes([index], new Date('2030-01-01T01:00:00Z')))).toEqual([['INDEX_NOT_READY', 'wrong']])
  expect(codes(seenIndexes([index], new Date('2030-01-01T00:01:00Z')))).toEqual([])
  expect(seenIndexes([{ ...index, isReady: true }], new Date('2030-02-01')).said).toMatch(/^1 kept, 2/)
})

test('an emulator whose folder or state folder was removed is found by its process', () => {
  const proc = join(app, 'proc')
  const run = (pid: number, words: readonly string[], cwd: string, open = '/dev/null') => {
    mkdirSync(join(proc, String(pid), 'fd'), { recursive: true })
    writeFileSync(join(proc, String(pid), 'cmdline'), words.join('\0'))
    symlinkSync(cwd, join(proc, String(pid), 'cwd'))
    symlinkSync(open, join(proc, String(pid), 'fd', '20'))
  }
  const files = '/app/.svc/files/b5b7a5c3-5e9a-460b-a5d4-3b6016808685'
  run(11, ['node', '--inspect', '/app/node_modules/.bin/svc', 'dev', '--json'], '/app (deleted)')
  run(12, ['node', '/app/node_modules/.bin/svc', 'dev'], '/app')
  run(13, ['node', '/app/server.js', 'dev'], '/app (deleted)')
  run(14, ['node', '/app/node_modules/.bin/svc', 'dev'], '/app', `${files} (deleted)`)
  run(15, ['node', '/app/node_modules/.bin/svc', 'dev'], '/app', files)
  run(16, ['node', '/app/node_modules/.bin/svc', 'dev'], '/app', '/app/.svc/data/base/5/16620 (deleted)')

  const seen = checkProcesses(proc)

  expect(codes(seen)).toEqual([
    ['ORPHANED_PROCESS', 'note'],
    ['ORPHANED_PROCESS', 'note'],
  ])
  expect(remedies(seen)).toEqual(['End it: kill 11', 'End it: kill 14'])
})
