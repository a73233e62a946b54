import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'
import { emulatorFile } from '../emulator-file.js'
import { openFakeService } from '../fake-service.js'

// Contract 12.4: what came with a folder is not trusted.

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const put = async (file: string, content: object) => {
  await mkdir(join(world.folder, file, '..'), { recursive: true })
  await writeFile(join(world.folder, file), JSON.stringify(content))
}

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
  // A process that answers 404 is not ended, so a bug here ends nothing either.
  const service = await openFakeService(() => ({ status: 404 }))
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

test('contract 12.4 svc dev --memory asks no emulator on another machine whether it runs, and writes its logs and lines through no link', async () => {
  const service = await openFakeService(() => ({}))
  await put('.svc/emulator.json', emulatorFile({ url: service.url.replace('127.0.0.1', '0.0.0.0') }))
  const outside = '# svc dev updates the next lines. Delete this comment to keep them as they are.\nSVC_URL=\n'
  await writeFile(join(world.folder, 'outside'), outside)
  await symlink('../outside', join(world.folder, '.svc', 'requests.log'))
  await symlink('outside', join(world.folder, '.env.local'))
  const request = `fetch(process.env.SVC_URL + '/collections', { headers: { 'x-api-key': process.env.SVC_API_KEY } })`
  const status = `'${process.execPath}' -e "${request}" && '${process.execPath}' '${bin}' status --json > status.json`

  const { exit, stderr } = await world.svc(['dev', '--memory', '--port', '0', '--', 'sh', '-ec', status])

  service.close()
  expect(exit).toBe(0)
  expect(service.asked).toEqual([])
  expect(JSON.parse(await readFile(join(world.folder, 'status.json'), 'utf8')).url).not.toBe(service.url)
  expect(stderr).toContain('.env.local is a symbolic link')
  expect(await readFile(join(world.folder, 'outside'), 'utf8')).toBe(outside)
  expect(await readFile(join(world.folder, '.svc', 'requests.log'), 'utf8')).toContain('/collections')
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

test('contract 12.4 nothing is written through a link where nobody typed the place', async () => {
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts', '--field', 'title:string'])
  await put('stored.json', {})
  await writeFile(join(world.folder, 'bad.ndjson'), '{"title":5}\n')
  await world.svc(['files', 'upload', 'stored.json', '--to', 'x'])
  await world.svc(['snapshot', 'save', 'kept'])
  const commands = [
    ['svc-types.ts', 'types', 'generate'],
    ['src', 'types', 'generate'],
    ['seed.json', 'seed', 'export'],
    ['files', 'seed', 'export'],
    ['out/files', 'seed', 'export', '-o', 'out/seed.json'],
    ['out/files/stored.json', 'seed', 'export', '-o', 'out/seed.json'],
    ['kept.tar', 'snapshot', 'export', 'kept', '--replace'],
    ['x', 'files', 'download', 'x', '--replace'],
    ['out/x', 'files', 'download', 'x', '--to', 'out'],
    ['out/x/stored.json', 'files', 'download', 'x', '--to', 'out', '--replace'],
    ['posts.refused.ndjson', 'docs', 'import', 'posts', 'bad.ndjson'],
    ['out.ndjson.part', 'docs', 'export', 'posts', '-o', 'out.ndjson'],
    ['out.ndjson.part.state', 'docs', 'export', 'posts', '-o', 'out.ndjson'],
  ]
  for (const [name = '', ...words] of commands) {
    const [link, outside] = [join(world.folder, name), join(world.folder, 'outside')]
    const isFolder = ['src', 'files', 'x'].includes(basename(name))
    // Links lead to what is there, as a profile of the shell is, and to what is not.
    for (const isThere of isFolder ? [true] : [true, false]) {
      if (isFolder) await mkdir(outside)
      else if (isThere) await writeFile(outside, '')
      await mkdir(dirname(link), { recursive: true })
      await symlink(outside, link)

      const ran = await world.svc(words)

      expect(ran, name).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${link} is a symbolic link`) })
      if (isFolder) expect(await readdir(outside), name).toEqual([])
      else expect(await readFile(outside, 'utf8').catch(() => undefined), name).toBe(isThere ? '' : undefined)
      for (const path of [link, outside, join(world.folder, 'out')]) await rm(path, { recursive: true, force: true })
    }
  }
})

test('contract 12.4 the types that svc.json names are written through no link, those of --types are', async () => {
  await put('svc.json', { dev: { types: 'shared/types.ts' } })
  await mkdir(join(world.folder, 'outside'))
  await symlink('outside', join(world.folder, 'shared'))

  const named = await world.svc(['dev', '--memory', '--port', '0'], { env: { SVC_TRUST_CODE: '1' }, isRefused: true })
  const left = await readdir(join(world.folder, 'outside'))
  await rm(join(world.folder, 'svc.json'))
  await world.dev('--memory', '--types', 'shared/types.ts')

  expect(named).toMatchObject({ exit: 5, stderr: expect.stringContaining('shared is a symbolic link') })
  expect(left).toEqual([])
  await vi.waitFor(() => readFile(join(world.folder, 'outside', 'types.ts')), patiently)
})

/** Starts an emulator where links lead to a file, and stops it. A name may have the number of its process, as `$$`. */
async function startWith(links: readonly string[], outside: string): Promise<void> {
  const link = links.map((name) => `ln -s "$1" ".svc/${name}"`).join(' && ')
  const dev = [process.execPath, ...nodeOptions, bin, 'dev', '--port', '0', '--json']
    .map((word) => `'${word}'`)
    .join(' ')
  const child = execa('sh', ['-c', `${link} && exec ${dev}`, 'sh', outside], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, ...endsByItself },
  })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await child
}

test.each([
  ['to what is there', 'mine'],
  ['to nothing', undefined],
])('contract 12.4 a start writes through no link in its folder that leads %s', async (_, content) => {
  const folder = join(world.folder, '.svc')
  const outside = join(world.folder, 'outside')
  if (content !== undefined) await writeFile(outside, content)
  await world.useLeftFolder()
  const [ofFiles = ''] = await readdir(join(folder, 'files'))
  const written = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile())

  // Beside data that came along as well; then where there are none.
  await startWith([`files/${ofFiles}/opened`], outside)
  const left = await readFile(outside, 'utf8').catch(() => undefined)
  await rm(folder, { recursive: true })
  await mkdir(folder)
  const names = written.map(({ name }) => name).filter((name) => name !== 'manifest.json')
  await startWith([...names, 'manifest.json.$$', 'emulator.json', 'errors.log', 'lock.file'], outside)

  expect([left, await readFile(outside, 'utf8').catch(() => undefined)]).toEqual([content, content])
})

test('contract 12.4 svc dev does not start on data that are behind a link', async () => {
  await world.useLeftFolder()
  const data = join(world.folder, '.svc', 'data')
  await rename(data, join(world.folder, 'outside'))
  await symlink('../outside', data)
  await writeFile(join(world.folder, 'outside', 'postmaster.pid'), '1\n')

  const ran = await world.svc(['dev', '--port', '0'], { isRefused: true })

  expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining(`"${data}" is a symbolic link`) })
  expect(await readFile(join(world.folder, 'outside', 'postmaster.pid'), 'utf8')).toBe('1\n')
})

test('contract 12.4 svc dev and svc doctor name a link among the data, and go into none', async () => {
  await world.useLeftFolder()
  const data = join(world.folder, '.svc', 'data')
  // Whatever follows two that lead to their own folder reads it for as long as there is memory.
  for (const name of ['a', 'b']) await symlink('.', join(data, name))

  const started = await world.svc(['dev', '--port', '0'], { isRefused: true })
  const examined = await world.svc(['doctor'])

  const said = expect.stringContaining(`"${join(data, 'a')}" is a symbolic link`)
  expect(started).toMatchObject({ exit: 1, stderr: said })
  expect(examined).toMatchObject({ exit: 10, stdout: said })
})

test('contract 12.4 svc doctor names copies of data that are links', async () => {
  const folder = join(world.folder, '.svc')
  await mkdir(folder, { recursive: true })
  await symlink('nothing', join(folder, 'data.replaced-1'))
  await symlink('.', join(folder, 'data.version-1'))

  const { stdout } = await world.svc(['doctor'])

  expect(stdout).toMatch(/Symbolic links in .svc, .*: data.replaced-1, data.version-1\./)
})
