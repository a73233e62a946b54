import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { detectEvents } from '../../cli/detect-events.js'
import { bin, openWorld, type World } from './command-line.js'
import { type FakeService, openFakeService } from './fake-service.js'

// Contract 12.4: a key goes only where its source says.

const elsewhere = 'https://svc.invalid'
let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const put = async (file: string, content: object) => {
  await mkdir(join(world.folder, file, '..'), { recursive: true })
  await writeFile(join(world.folder, file), JSON.stringify(content))
}
const emulatorFile = ({ url = 'http://127.0.0.1:1', ...fields }: { url?: string; [name: string]: unknown }) => ({
  url,
  wsUrl: url.replace(/^http/, 'ws'),
  storageUrl: `${url}/files`,
  dashboardUrl: `${url}/_svc/`,
  projectId: 'dev',
  apiKey: 'svc_key_file',
  controlToken: 'x',
  // No system has so many processes.
  pid: 99_999_999,
  ...fields,
})

test('svc profiles trust says why there is nothing to accept', async () => {
  await put('svc.json', { url: elsewhere })
  await world.svc(['profiles', 'trust'])
  const again = await world.svc(['profiles', 'trust'])
  await put('svc.json', { url: 'http://127.0.0.1:1' })
  const here = await world.svc(['profiles', 'trust'])

  expect(again).toMatchObject({ exit: 0, stderr: `${elsewhere} is trusted already.\n` })
  expect(here).toMatchObject({
    exit: 0,
    stderr: 'http://127.0.0.1:1 is on this machine, which is always trusted.\n',
  })
})

describe('an address on another machine that svc.json names', () => {
  beforeEach(() => put('svc.json', { url: elsewhere }))

  test.each([
    ['with SVC_API_KEY', ['docs', 'count', 'posts'], { SVC_API_KEY: 'svc_key_mine' }],
    ['with --key and --yes', ['docs', 'create', 'posts', 'a=b', '--key', 'svc_key_mine', '--yes'], {}],
    ['under CI', ['docs', 'count', 'posts'], { SVC_API_KEY: 'svc_key_mine', CI: '1' }],
    ['with a password', ['users', 'login', 'ada@example.com', '--password', 'Correct4Horse'], {}],
    ['by whoami', ['whoami'], {}],
  ])('contract 12.4 is refused until it was accepted, %s', async (_, words, env) => {
    const ran = await world.svc(words, { env: env as Record<string, string> })

    expect(ran).toMatchObject({ exit: 3, stdout: '' })
    expect(ran.stderr).toContain(`${join(world.folder, 'svc.json')} names ${elsewhere}`)
    expect(ran.stderr).toContain('svc profiles trust')
    expect(ran.stderr).toContain('SVC_URL')
  })

  test('contract 12.4 is asked once it was accepted; another address in its place is not', async () => {
    const accepted = await world.svc(['profiles', 'trust'])
    const asked = await world.svc(['docs', 'count', 'posts'])
    await put('svc.json', { url: 'https://other.invalid' })
    const other = await world.svc(['docs', 'count', 'posts'])

    expect(accepted).toMatchObject({ exit: 0, stderr: expect.stringContaining(elsewhere) })
    expect(asked).toMatchObject({ exit: 7, stderr: expect.stringContaining(`Nothing answers at ${elsewhere}`) })
    expect(other).toMatchObject({ exit: 3, stderr: expect.stringContaining('other.invalid') })
  })

  test('contract 12.4 what one folder accepted holds for no other, and can be taken back', async () => {
    await world.svc(['profiles', 'trust'])
    await put('inner/svc.json', { url: elsewhere })
    const inner = execFileSyncIn(join(world.folder, 'inner'), ['docs', 'count', 'posts'])
    await world.svc(['profiles', 'trust', '--remove'])
    const removed = await world.svc(['docs', 'count', 'posts'])

    expect(inner).toBe(3)
    expect(removed.exit).toBe(3)
  })

  test('contract 12.4 a terminal is asked, once', async () => {
    const refused = await world.terminal(['docs', 'count', 'posts'], [['names https://svc.invalid', 'n\n']])
    const accepted = await world.terminal(['docs', 'count', 'posts'], [['names https://svc.invalid', 'y\n']])
    const again = await world.svc(['docs', 'count', 'posts'])

    expect(refused).toMatchObject({ exit: 130, stdout: expect.stringContaining('nothing was done') })
    expect(accepted).toMatchObject({ exit: 7, stdout: expect.stringContaining('Nothing answers') })
    expect(again.exit).toBe(7)
  })

  test('contract 12.4 CI is never asked, at a terminal neither', async () => {
    const ran = await world.terminal(['docs', 'count', 'posts'], [], { env: { CI: '1' } })

    expect(ran).toMatchObject({ exit: 3, stdout: expect.stringContaining('SVC_URL=') })
    expect(ran.stdout).not.toContain('from now on?')
  })

  test('contract 12.4 is passed over where flag or environment name another', async () => {
    const byFlag = await world.svc(['docs', 'count', 'posts', '--url', 'http://127.0.0.1:1'])
    const byEnvironment = await world.svc(['docs', 'count', 'posts'], { env: { SVC_URL: 'http://127.0.0.1:1' } })

    expect([byFlag.exit, byEnvironment.exit]).toEqual([7, 7])
  })

  // Runs in another folder of the same user, with the same settings.
  function execFileSyncIn(cwd: string, words: readonly string[]): number {
    try {
      execFileSync(process.execPath, [bin, ...words], {
        cwd,
        env: { PATH: process.env.PATH, HOME: world.folder, SVC_CONFIG_DIR: join(world.folder, 'config') },
        stdio: 'ignore',
      })
      return 0
    } catch (error) {
      return (error as { status: number }).status
    }
  }
})

test.each([
  ['documents', ['docs', 'count', 'posts']],
  ['its mail', ['mail', 'list']],
  ['its address', ['status']],
  ['its page', ['open', '--print']],
  ['an end', ['stop']],
])(
  'contract 12.4 an emulator file that came with a folder and names another machine is not asked for %s',
  async (_, words) => {
    await put('.svc/emulator.json', emulatorFile({ url: elsewhere }))

    const ran = await world.svc(words, { env: { SVC_API_KEY: 'svc_key_mine' } })

    expect(ran).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('emulator.json names') })
  },
)

test.each([
  ['a group of processes', { pid: -1 }],
  ['the first process', { pid: 1 }],
  ['no process', { pid: 1.5 }],
  ['a page of another host', { dashboardUrl: 'https://svc.invalid/_svc/' }],
  ['a page that is a file', { dashboardUrl: 'file:///etc/passwd' }],
  ['events of another host', { wsUrl: 'ws://svc.invalid' }],
  ['files of another host', { storageUrl: 'https://svc.invalid/files' }],
  ['a key that is a command', { apiKey: "x'; echo TAKEN; echo '" }],
  ['a key of two lines', { apiKey: 'x\nNODE_OPTIONS=--require=./evil.js' }],
  ['a token of two lines', { controlToken: 'x\ny' }],
  ['no token', { controlToken: undefined }],
])('contract 12.4 an emulator file that names %s is none: nothing is asked or ended', async (_, fields) => {
  const service = await openFakeService(() => ({}))
  await put('.svc/emulator.json', emulatorFile({ url: service.url, ...fields }))

  const stopped = await world.json(['stop'])
  const status = await world.svc(['status', '--env'])
  const opened = await world.svc(['open', '--print'])

  service.close()
  expect(stopped).toEqual({ stopped: false, pid: null, url: null })
  expect([status, opened]).toMatchObject([
    { exit: 8, stdout: '' },
    { exit: 8, stdout: '' },
  ])
  expect(service.asked).toEqual([])
})

test('contract 12.4 an address of two lines in an emulator file is none, and init writes none of it', async () => {
  await put('.svc/emulator.json', emulatorFile({ url: 'http://127.0.0.1:1/\nNODE_OPTIONS=x' }))
  await put('package.json', {})

  const ran = await world.svc(['init', '--yes'])

  expect(ran.exit).toBe(0)
  expect(await readFile(join(world.folder, '.env.local'), 'utf8')).not.toContain('NODE_OPTIONS')
})

test('contract 12.4 svc stop says nothing to an emulator of an outer folder on another machine', async () => {
  const service = await openFakeService(() => ({}))
  // A name of this machine that is neither loopback nor its own as far as the command can tell.
  await put('.svc/emulator.json', emulatorFile({ url: service.url.replace('127.0.0.1', '0.0.0.0') }))
  await mkdir(join(world.folder, 'inner'))

  const ran = execFileSync(process.execPath, [bin, 'stop', '--json'], {
    cwd: join(world.folder, 'inner'),
    env: { PATH: process.env.PATH, HOME: world.folder, SVC_CONFIG_DIR: join(world.folder, 'config') },
    encoding: 'utf8',
  })

  service.close()
  expect(JSON.parse(ran)).toMatchObject({ stopped: false })
  expect(service.asked).toEqual([])
})

test('contract 12.4 svc dev --memory asks no emulator on another machine whether it runs', async () => {
  const service = await openFakeService(() => ({}))
  await put('.svc/emulator.json', emulatorFile({ url: service.url.replace('127.0.0.1', '0.0.0.0') }))

  const dev = await world.dev('--memory')

  expect(await world.json(['status'])).toMatchObject({ url: dev.url })
  service.close()
  expect(service.asked).toEqual([])
})

test('contract 12.4 the control token follows no redirect', async () => {
  const there = await openFakeService(() => ({}))
  const from = await openFakeService(({ path }) => ({ status: 307, headers: { location: `${there.url}${path}` } }))
  await put('.svc/emulator.json', emulatorFile({ url: from.url }))

  const stopped = await world.json(['stop'])
  const listed = await world.svc(['mail', 'list'])

  from.close()
  there.close()
  expect(stopped).toMatchObject({ stopped: false })
  expect(listed).toMatchObject({ exit: 7, stderr: expect.stringContaining(`redirects to ${there.url}`) })
  expect(from.asked).not.toEqual([])
  expect(there.asked).toEqual([])
})

test('contract 12.4 the key follows no redirect of the events that a detection listens to', async () => {
  const there = await openFakeService(() => ({}))
  const from = await openFakeService(({ path }) => ({ status: 307, headers: { location: `${there.url}${path}` } }))
  const listened = { url: from.url, headers: { 'x-api-key': 'svc_key_mine' }, collection: 'posts' }

  await expect(detectEvents(listened, async () => undefined)).rejects.toMatchObject({ code: 'REDIRECTED' })
  from.close()
  there.close()
  expect(there.asked).toEqual([])
})

test.each(['.env.local', '.gitignore', 'src'])(
  'contract 12.4 svc init writes nothing where %s is a link that came with the folder',
  async (link) => {
    const outside = join(world.folder, 'outside')
    if (link === 'src') await mkdir(outside)
    await put('app/package.json', {})
    await symlink(outside, join(world.folder, 'app', link))

    const ran = await world.svc(['init', 'app', '--yes'])

    expect(ran).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining(`${join(world.folder, 'app', link)} is a symbolic`),
    })
    const left = link === 'src' ? lstat(join(outside, 'svc.js')) : lstat(outside)
    await expect(left).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(lstat(join(world.folder, 'app', 'svc.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  },
)

test('contract 12.4 svc dev fills no .env.local that is a link', async () => {
  const text = '# svc dev updates the next lines. Delete this comment to keep them as they are.\nSVC_URL=\n'
  await writeFile(join(world.folder, 'outside'), text)
  await symlink('outside', join(world.folder, '.env.local'))

  const { stdout } = await world.terminal(['dev', '--memory', '--port', '0'], [['Ctrl-C stops', '\x03']])

  expect(await readFile(join(world.folder, 'outside'), 'utf8')).toBe(text)
  expect(stdout).toContain('.env.local is a symbolic link')
})

describe('of several keys', () => {
  let service: FakeService

  beforeEach(async () => {
    service = await openFakeService(() => ({ body: [] }))
    await world.svc(['profiles', 'add', 'full', '--url', service.url, '--key', 'svc_key_of_profile'])
    await world.svc(['profiles', 'add', 'bare', '--url', service.url])
  })
  afterEach(() => service.close())

  const keyOf = async (words: string[], env: Record<string, string> = {}) => {
    const before = service.asked.length
    await world.svc(['collections', 'list', ...words], { env })
    return service.asked.slice(before).map(({ key }) => key)
  }

  test('contract 12.4 flag beats environment beats project file beats profile', async () => {
    const key = { SVC_API_KEY: 'svc_key_of_environment' }

    expect(await keyOf(['-P', 'full', '--key', 'svc_key_of_flag'], key)).toEqual(['svc_key_of_flag'])
    expect(await keyOf(['-P', 'full'], key)).toEqual(['svc_key_of_profile'])
    expect(await keyOf(['-P', 'bare'], key)).toEqual(['svc_key_of_environment'])
    expect(await keyOf(['--url', service.url], key)).toEqual(['svc_key_of_environment'])
    expect(await keyOf([], { ...key, SVC_PROFILE: 'full' })).toEqual(['svc_key_of_environment'])
    await put('svc.json', { profile: 'full' })
    expect(await keyOf([], key)).toEqual(['svc_key_of_environment'])
    expect(await keyOf([])).toEqual(['svc_key_of_profile'])
    await put('svc.json', { url: service.url })
    expect(await keyOf([], key)).toEqual(['svc_key_of_environment'])
    expect(await keyOf([])).toEqual([undefined])
  })

  test('contract 12.4 SVC_API_KEY beside SVC_URL is for that address, and for no other', async () => {
    const pair = { SVC_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'svc_key_of_another' }

    expect(await keyOf(['--url', service.url], pair)).toEqual([undefined])
    expect(await keyOf(['-P', 'bare'], pair)).toEqual([undefined])
    expect(await keyOf([], { ...pair, SVC_URL: `${service.url}/` })).toEqual(['svc_key_of_another'])
  })

  test('contract 12.4 the emulator’s own key goes to the emulator only', async () => {
    await put('.svc/emulator.json', emulatorFile({}))

    expect(await keyOf(['--url', service.url])).toEqual([undefined])
  })

  test('contract 12.4 no key follows a redirect', async () => {
    const from = await openFakeService(() => ({ status: 307, headers: { location: `${service.url}/collections` } }))
    const ran = await world.svc(['collections', 'list', '--url', from.url, '--key', 'svc_key_mine'])

    from.close()
    expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining(`redirects to ${service.url}`) })
    expect(service.asked).toEqual([])
  })
})
