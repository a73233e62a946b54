import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownersMark } from '../../../cli/target/env-file.js'
import { openWorld, type RunOptions, type World } from '../command-line.js'
import { emulatorFile } from '../emulator-file.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

interface Report {
  readonly isWell: boolean
  readonly checks: readonly {
    readonly check: string
    readonly findings: readonly { readonly code: string; readonly level: string; readonly repaired: string | null }[]
  }[]
}

const inFolder = (...path: string[]) => join(world.folder, ...path)

/** Returns problems and repairs. Orphaned processes and the usual port belong to the machine, not to the test. */
async function doctor(words: readonly string[] = [], options?: RunOptions) {
  const { stdout, exit } = await world.svc(['doctor', '--json', ...words], options)
  const report: Report = JSON.parse(stdout)
  const findings = report.checks.filter(({ check }) => check !== 'processes').flatMap((check) => check.findings)
  return {
    exit,
    isWell: report.isWell,
    codes: findings.map(({ code }) => code).filter((code) => code !== 'USUAL_PORT_IN_USE'),
    repaired: findings.flatMap(({ code, repaired }) => (repaired === null ? [] : [code])),
  }
}

test('nothing is wrong in an empty folder, beside an emulator, and after it', async () => {
  const well = { exit: 0, isWell: true, codes: [], repaired: [] }

  expect(await doctor()).toEqual(well)
  expect(existsSync(inFolder('.svc'))).toBe(false)
  const dev = await world.dev()
  expect(await doctor()).toEqual(well)
  await dev.stop()
  expect(await doctor()).toEqual(well)
  // Its keys are known without it.
  writeFileSync(inFolder('.env'), `SVC_API_KEY=${dev.apiKey}\nVITE_SVC_API_KEY=svc_key_of_another_folder\n`)
  expect((await doctor()).codes).toEqual(['ENV_KEY_DIFFERS'])
})

test('an emulator clock that was moved and another target are worth knowing, and nothing wrong', async () => {
  const { url } = await world.dev()
  await world.svc(['clock', 'advance', '1h'])

  const seen = await doctor([], { env: { SVC_URL: 'http://127.0.0.1:1' } })
  const elsewhere = await world.svc(['doctor'], { env: { SVC_URL: 'https://api.example.com' } })
  const here = await world.svc(['doctor'], { env: { SVC_URL: url } })

  expect(seen).toMatchObject({ exit: 0, isWell: true, codes: ['CLOCK_MOVED', 'OTHER_SERVICE'] })
  const note = `the emulator of ${inFolder('.svc')}, not https://api.example.com from SVC_URL.`
  expect(elsewhere.stderr).toContain(note)
  expect(here.stderr).not.toContain('SVC_URL')
})

test('at a terminal each check is a line, and each finding says what to do', async () => {
  writeFileSync(inFolder('svc.json'), '{"dialect": "a", "ulr": "http://127.0.0.1:1"}')

  const { stdout, exit } = await world.svc(['doctor'])

  expect(exit).toBe(10)
  expect(stdout).toMatch(/^✓ node {7}\d+\.\d+\.\d+$/m)
  expect(stdout).toMatch(
    /^✗ settings {3}invalid\n {11,}.*"ulr" is not a valid setting\.\n {11,}→ Did you mean "url"\? Valid settings: profile,/m,
  )
})

test('what a killed emulator leaves is found and, with --repair, removed', async () => {
  const dev = await world.dev()
  await dev.stop('SIGKILL')
  const [place = ''] = readdirSync(inFolder('.svc', 'files'))
  const drafts = [
    'dev.4711.log',
    // A draft of emulator.json, with its token.
    '.svc-1a2b3c4d-5e6f',
    ...['control-token', 'port', 'project-0123456789abcdef.json', 'modes'].map((name) => `keys/${name}.4711-1a2b3c4d`),
    `files/${place}/opened.01900000-0000-4000-8000-0000000000ab`,
    'branches/main/manifest.json.01900000-0000-4000-8000-0000000000ab',
  ].map((name) => inFolder('.svc', name))
  mkdirSync(inFolder('.svc', 'branches', 'main'), { recursive: true, mode: 0o700 })
  for (const path of drafts) writeFileSync(path, '', { mode: 0o600 })
  // A copy that a repair had begun, and data that a first start had.
  const folders = [
    inFolder('.svc', 'data.damaged-2026-01-01T00-00-00-000Z.new'),
    inFolder('.svc/branches/main/data.new'),
  ]
  for (const path of folders) mkdirSync(path)

  expect(await doctor()).toMatchObject({ exit: 10, codes: ['LEFTOVERS', 'STALE_EMULATOR_FILE'], repaired: [] })
  expect(await doctor(['--repair'])).toMatchObject({ exit: 0, repaired: ['LEFTOVERS', 'STALE_EMULATOR_FILE'] })
  expect(await doctor()).toMatchObject({ exit: 0, codes: [] })
  expect([...drafts, ...folders].filter((path) => existsSync(path))).toEqual([])
})

test.skipIf(!existsSync('/proc/self/fd'))(
  'an emulator whose state folder was removed is named by its process',
  async () => {
    const dev = await world.dev()
    // The emulator writes there meanwhile.
    rmSync(inFolder('.svc'), { recursive: true, maxRetries: 20 })

    const { stdout, exit } = await world.svc(['doctor'])
    const ended = await dev.stop()

    expect(exit).toBe(0)
    expect(stdout).toContain(`Process ${dev.pid} is an emulator whose folder was deleted.`)
    expect(stdout).toContain(`→ End it: kill ${dev.pid}`)
    expect(ended.exit).toBe(0)
  },
)

test('data that cannot be opened are named in the words of svc dev, and left as they are', async () => {
  await world.useLeftFolder()
  rmSync(inFolder('.svc', 'data', 'PG_VERSION'))

  const damaged = await world.svc(['doctor', '--repair'])

  expect(damaged).toMatchObject({ exit: 10, stdout: expect.stringContaining('Its file PG_VERSION is missing.') })
  expect((await doctor()).codes).toEqual(['DATA_DAMAGED'])
  expect((await doctor(['--data', 'svc.json'])).codes).toEqual([])
  writeFileSync(inFolder('svc.json'), '{}')
  expect((await doctor(['--data', 'svc.json'])).codes).toEqual(['FOLDER_NOT_WRITABLE'])
})

test('pages that the database found damaged are named, until there are new data', async () => {
  await world.useLeftFolder()
  const log = (time: Date, code: string, message: string) => {
    const line = JSON.stringify({ time, requestId: 'r', name: 'DatabaseError', message, code })
    appendFileSync(inFolder('.svc', 'errors.log'), `${line}\n`, { mode: 0o600 })
  }
  log(new Date(0), 'XX001', 'invalid page in block 0 of relation "base/5/1"')
  log(new Date(), '57014', 'canceling statement')
  appendFileSync(inFolder('.svc', 'errors.log'), '{"time":"20\n')

  const before = await doctor()
  log(new Date(), 'XX001', 'invalid page in block 0 of relation "base/5/2"')
  const damaged = await world.svc(['doctor'])
  const found = await doctor()
  await (await world.dev('--fresh')).stop()

  expect(before.codes).toEqual([])
  expect(damaged.stdout).toContain('invalid page in block 0 of relation "base/5/2". Requests that read them fail.')
  expect(found).toMatchObject({ exit: 10, codes: ['DATA_DAMAGED'] })
  expect((await doctor()).codes).toEqual([])
})

test('files whose bytes are gone are counted and named, of documents too', async () => {
  await world.dev()
  writeFileSync(inFolder('tea.txt'), 'tea')
  const upload = async (folder: string) =>
    ((await world.json(['files', 'upload', 'tea.txt', '--to', folder])) as { items: { id: string }[] }).items[0]
  const [lost, kept] = [await upload('albums'), await upload('kept')]
  await world.svc(['collections', 'create', 'posts'])
  await world.svc(['docs', 'create', 'posts', '-F', 'cover=@tea.txt'])
  const well = await doctor()
  const [place = ''] = readdirSync(inFolder('.svc', 'files'))
  for (const id of readdirSync(inFolder('.svc', 'files', place))) {
    if (id !== kept?.id) rmSync(inFolder('.svc', 'files', place, id))
  }

  const { stdout, exit } = await world.svc(['doctor'])
  await world.svc(['files', 'delete', lost?.id ?? '', '--yes'])
  const ofDocument = await world.svc(['doctor'])
  await world.svc(['docs', 'delete', 'posts', '--all', '--yes'])

  expect(well.codes).toEqual([])
  expect(exit).toBe(10)
  expect(stdout).toMatch(/^✗ files {6}2 without content\n {11,}The content of 2 files is missing: /m)
  expect(stdout).toContain(`albums/tea.txt (${lost?.id})`)
  expect(stdout).toContain('svc files delete')
  expect(ofDocument.stdout).toContain('The content of 1 file is missing: ')
  expect((await doctor()).codes).toEqual([])
})

test('files of the folder that others can read are found and, with --repair, are theirs no longer', async () => {
  await world.useLeftFolder()
  chmodSync(inFolder('.svc', 'keys'), 0o755)
  chmodSync(inFolder('.svc', 'keys', 'control-token'), 0o644)

  expect((await doctor()).codes).toEqual(['FOLDER_OPEN_TO_OTHERS'])
  expect(await doctor(['--repair'])).toMatchObject({ exit: 0, repaired: ['FOLDER_OPEN_TO_OTHERS'] })
  expect(statSync(inFolder('.svc', 'keys')).mode & 0o777).toBe(0o700)
  expect(statSync(inFolder('.svc', 'keys', 'control-token')).mode & 0o777).toBe(0o600)
})

test('links in the folder are named, and what they lead to keeps its mode', async () => {
  await world.useLeftFolder()
  rmSync(inFolder('.svc', 'keys'), { recursive: true })
  mkdirSync(inFolder('bin'))
  writeFileSync(inFolder('bin', 'program'), '')
  chmodSync(inFolder('bin'), 0o755)
  chmodSync(inFolder('bin', 'program'), 0o755)
  symlinkSync(inFolder('bin'), inFolder('.svc', 'keys'))
  symlinkSync(inFolder('bin', 'program'), inFolder('.svc', 'dev.log'))

  const repaired = await doctor(['--repair'])

  // A start is refused by the one, and replaces the other.
  expect(repaired).toMatchObject({ exit: 10, codes: expect.arrayContaining(['LINKS_IN_FOLDER']) })
  expect(repaired.repaired).not.toContain('FOLDER_OPEN_TO_OTHERS')
  expect(['bin', 'bin/program'].map((name) => statSync(inFolder(name)).mode & 0o777)).toEqual([0o755, 0o755])
})

test.each([
  ['BAD_CONFIG', 'svc.json', '{'],
  ['BAD_CONFIG', 'config/profiles.json', '{'],
  ['NO_PROFILE', 'svc.json', '{"profile":"staging"}'],
  ['NOT_TRUSTED', 'svc.json', '{"url":"https://api.example.com"}'],
  ['INVALID_DIALECT', 'svc.json', '{"url":"http://127.0.0.1:1","dialect":"z"}'],
  ['NOT_TRUSTED', '.svc/emulator.json', JSON.stringify(emulatorFile({ url: 'http://203.0.113.1' }))],
])('%s is found in %s', async (code, file, text) => {
  mkdirSync(inFolder('config'), { recursive: true })
  mkdirSync(inFolder('.svc'), { mode: 0o700 })
  writeFileSync(inFolder(file), text, { mode: 0o600 })

  const seen = await doctor()

  expect(seen.exit).toBe(10)
  expect(new Set(seen.codes)).toEqual(new Set([code]))
})

test('profiles that others can read are found and, with --repair, are theirs no longer', async () => {
  await world.svc(['profiles', 'add', 'staging', '--url', 'http://127.0.0.1:1', '--key', 'svc_key_x'])
  chmodSync(inFolder('config', 'profiles.json'), 0o644)

  expect((await doctor()).codes).toContain('PROFILES_OPEN_TO_OTHERS')
  expect((await doctor(['--repair'])).repaired).toEqual(['PROFILES_OPEN_TO_OTHERS'])
  expect(statSync(inFolder('config', 'profiles.json')).mode & 0o777).toBe(0o600)
})

test('.env lines that lead elsewhere are found and, where svc dev may fill them, repaired', async () => {
  const dev = await world.useEmulator()
  writeFileSync(
    inFolder('.env'),
    'SVC_URL="http://127.0.0.1:9"\nVITE_SVC_URL=https://api.example.com\nVITE_SVC_API_KEY=other\n',
  )
  writeFileSync(inFolder('.env.local'), `${ownersMark}\nVITE_SVC_URL=\nVITE_SVC_API_KEY=svc_key_of_another_folder\n`)

  const seen = await doctor()
  const repaired = await doctor(['--repair'])

  expect(seen).toMatchObject({ exit: 10, codes: ['ENV_URL_DIFFERS', 'ENV_URL_DIFFERS', 'ENV_KEY_DIFFERS'] })
  expect(repaired).toMatchObject({ exit: 10, repaired: ['ENV_URL_DIFFERS', 'ENV_KEY_DIFFERS'] })
  expect(readFileSync(inFolder('.env.local'), 'utf8')).toContain(
    `VITE_SVC_URL=${dev.url}\nVITE_SVC_API_KEY=${dev.apiKey}\n`,
  )
  expect((await doctor()).codes).toEqual(['ENV_URL_DIFFERS'])
})

test('a secret key that bundlers put into the page, and keys in git, are wrong', async () => {
  const git = (...words: string[]) => execa('git', words, { cwd: world.folder })
  await world.useLeftFolder()
  await git('init', '-q')
  await git('add', '--all')
  expect((await doctor()).codes).toEqual([])
  await git('add', '--force', '.svc/keys')
  writeFileSync(inFolder('.env'), 'SVC_SECRET_KEY=svc_secret_x\nNEXT_PUBLIC_SVC_API_KEY=svc_secret_x\n')

  const { stdout } = await world.svc(['doctor'])

  expect((await doctor()).codes).toEqual(['SECRET_KEY_PUBLIC', 'KEYS_IN_GIT'])
  expect(stdout).not.toContain('svc_secret_x')
})
