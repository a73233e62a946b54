import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync, watch } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bin, openWorld, type World } from './command-line.js'
import { emulatorFile } from './emulator-file.js'
import { type FakeService, openFakeService } from './fake-service.js'

// Contract 12.4: a key is sent only where its source says.

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

test('what another command accepts meanwhile is kept: each waits for its turn to write', async () => {
  const config = join(world.folder, 'config')
  const trusted = join(config, 'trusted.json')
  const other = { '/elsewhere': [elsewhere] }
  await put('svc.json', { url: elsewhere })
  await mkdir(config)
  // As a command does that is writing.
  await writeFile(`${trusted}.${process.pid}.pid`, '')
  const watcher = watch(config)
  const comes = once(watcher, 'change')

  const trusting = world.svc(['profiles', 'trust'])
  await Promise.race([comes, trusting])
  await writeFile(trusted, JSON.stringify({ folders: other, code: [] }))
  await rm(`${trusted}.${process.pid}.pid`)
  const { exit } = await trusting

  watcher.close()
  const { folders } = JSON.parse(await readFile(trusted, 'utf8'))
  expect(exit).toBe(0)
  expect(folders).toEqual({ ...other, [realpathSync(world.folder)]: [elsewhere] })
  expect(await readdir(config)).toEqual(['trusted.json'])
})

test('contract 12.4 a profile that svc.json names is trusted by its name and address, unless flag or environment name it', async () => {
  const add = (name: string, url: string, ...more: string[]) =>
    world.svc(['profiles', 'add', name, '--url', url, '--key', 'svc_key_mine', ...more])
  await add('near', 'http://127.0.0.1:1')
  await add('far', elsewhere)
  const count = ['docs', 'count', 'posts']

  await put('svc.json', { profile: 'near' })
  // It may be a tunnel to another machine.
  const near = await world.svc(count)
  await put('svc.json', { profile: 'far' })
  const byFlag = await world.svc([...count, '--profile', 'far'])
  const byEnvironment = await world.svc(count, { env: { SVC_PROFILE: 'far' } })
  const byFile = await world.svc(count)
  // Another address in its place is another question.
  await world.svc(['profiles', 'trust'])
  await world.svc(['profiles', 'add', 'far', '--url', 'https://other.invalid', '--key', 'svc_key_mine', '--replace'])
  const changed = await world.svc(count)
  // So is another profile of the same address, whose key may be for another project.
  await add('farther', elsewhere)
  await add('far', elsewhere, '--replace')
  const asBefore = await world.svc(count)
  await put('svc.json', { profile: 'farther' })
  const otherKey = await world.svc(count)

  expect([near, byFlag, byEnvironment, byFile].map(({ exit }) => exit)).toEqual([3, 7, 7, 3])
  expect([changed, asBefore, otherKey].map(({ exit }) => exit)).toEqual([3, 7, 3])
  expect(byFile.stderr).toContain(`points to profile far (${elsewhere}), which you have not trusted`)
  expect(byFile.stderr).toContain('SVC_PROFILE=far')
})

describe.each([
  ['an address on another machine', { url: elsewhere }, elsewhere, 'SVC_URL'],
  ['a profile of another machine', { profile: 'prod' }, `profile prod (${elsewhere})`, 'SVC_PROFILE'],
])('%s that svc.json names', (_, content, named, variable) => {
  beforeEach(async () => {
    await world.svc(['profiles', 'add', 'prod', '--url', elsewhere, '--key', 'svc_key_of_profile'])
    await put('svc.json', content)
  })

  test.each([
    ['with SVC_API_KEY', ['docs', 'count', 'posts'], { SVC_API_KEY: 'svc_key_mine' }],
    ['with --key and --yes', ['docs', 'create', 'posts', 'a=b', '--key', 'svc_key_mine', '--yes'], {}],
    ['under CI', ['docs', 'count', 'posts'], { SVC_API_KEY: 'svc_key_mine', CI: '1' }],
    ['with a password', ['users', 'login', 'ada@example.com', '--password', 'Correct4Horse'], {}],
    ['by whoami', ['whoami'], {}],
  ])('contract 12.4 is refused until it was accepted, %s', async (_, words, env) => {
    const ran = await world.svc(words, { env: env as Record<string, string> })

    expect(ran).toMatchObject({ exit: 3, stdout: '' })
    expect(ran.stderr).toContain(`${join(world.folder, 'svc.json')} points to ${named}`)
    expect(ran.stderr).toContain('svc profiles trust')
    expect(ran.stderr).toContain(`${variable}=`)
  })

  test('contract 12.4 is asked once it was accepted; another address in its place is not', async () => {
    const accepted = await world.svc(['profiles', 'trust'])
    const asked = await world.svc(['docs', 'count', 'posts'])
    await put('svc.json', { url: 'https://other.invalid' })
    const other = await world.svc(['docs', 'count', 'posts'])

    expect(accepted).toMatchObject({ exit: 0, stderr: expect.stringContaining(elsewhere) })
    expect(asked).toMatchObject({ exit: 7, stderr: expect.stringContaining(`Could not reach ${elsewhere}`) })
    expect(other).toMatchObject({ exit: 3, stderr: expect.stringContaining('other.invalid') })
  })

  test('contract 12.4 what one folder accepted holds for no other, and can be taken back', async () => {
    await world.svc(['profiles', 'trust'])
    await put('inner/svc.json', content)
    const inner = execFileSyncIn(join(world.folder, 'inner'), ['docs', 'count', 'posts'])
    await world.svc(['profiles', 'trust', '--remove'])
    const removed = await world.svc(['docs', 'count', 'posts'])

    expect(inner).toBe(3)
    expect(removed.exit).toBe(3)
  })

  test('contract 12.4 a terminal is asked, once', async () => {
    const refused = await world.terminal(['docs', 'count', 'posts'], [[`names ${named}`, 'n\n']])
    const accepted = await world.terminal(['docs', 'count', 'posts'], [[`names ${named}`, 'y\n']])
    const again = await world.svc(['docs', 'count', 'posts'])

    expect(refused).toMatchObject({ exit: 130, stdout: expect.stringContaining('Nothing was changed') })
    expect(accepted).toMatchObject({ exit: 7, stdout: expect.stringContaining('Could not reach') })
    expect(again.exit).toBe(7)
  })

  test('contract 12.4 CI is never asked, at a terminal neither', async () => {
    const ran = await world.terminal(['docs', 'count', 'posts'], [], { env: { CI: '1' } })

    expect(ran).toMatchObject({ exit: 3, stdout: expect.stringContaining(`${variable}=`) })
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

    expect(ran).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('emulator.json points to') })
  },
)

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
    await world.svc(['profiles', 'trust'])
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
    const there = ['--url', from.url, '--key', 'svc_key_mine']
    const ran = await world.svc(['collections', 'list', ...there])
    const written = await world.svc(['api', 'POST', '/collections', 'name=posts', ...there])

    from.close()
    expect(written).toMatchObject({ exit: 7, stderr: expect.stringContaining(`redirects to ${service.url}`) })
    expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining(`redirects to ${service.url}`) })
    expect(service.asked).toEqual([])
  })
})
