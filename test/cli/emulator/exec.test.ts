import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
  mkdirSync(temporary())
})
afterEach(() => world.close())

/** The arguments that run a script of Node. */
function script(code: string): string[] {
  return ['--', process.execPath, '--input-type=module', '-e', code]
}

const env = '{ ...process.env }'
const asked = (path: string, header: string) =>
  `(await fetch(process.env.SVC_URL + '${path}', { headers: { ${header} } })).status`

test('svc exec gives its command an emulator of its own, makes no folder, and ends with its exit code', async () => {
  const ran = await world.svc([
    'exec',
    ...script(`
      const { SVC_API_KEY, SVC_SECRET_KEY, SVC_CONTROL_TOKEN, SVC_WS_URL } = ${env}
      console.log(
        ${asked('/collections', "'x-api-key': SVC_API_KEY")},
        ${asked('/collections', "'x-api-key': SVC_SECRET_KEY")},
        ${asked('/_svc/api/mail', "'svc-control-token': SVC_CONTROL_TOKEN")},
        SVC_WS_URL,
      )
      process.exitCode = 7`),
  ])

  expect(ran.exit).toBe(7)
  expect(ran.stdout).toMatch(/^200 200 200 ws:\/\/127\.0\.0\.1:\d+\n$/)
  expect(everythingIn(world.folder)).toEqual(['tmp'])
})

test('svc exec runs beside the emulator of the folder, by other keys, and commands of svc inside it leave that alone', async () => {
  const here = await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  const before = everythingIn(world.folder)
  const svc = `'${process.execPath}' '${bin}'`

  const ran = await world.svc([
    'exec',
    ...['--', 'sh', '-ec'],
    `echo "$SVC_URL $SVC_API_KEY"; ${svc} collections create notes --quiet > /dev/null
    ${svc} users signup ada@example.com --password Correct4Horse > /dev/null; ${svc} reset --yes --users --quiet > /dev/null
    ${svc} users list --json; ${svc} project show --quiet`,
  ])

  const [url, key] = ran.stdout.split('\n', 1).join().split(' ')
  expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining('"items": []') })
  expect([url, key]).not.toContain(here.url)
  expect(key).not.toBe(here.apiKey)
  expect(everythingIn(world.folder)).toEqual(before)
  expect(await world.json(['collections', 'list'])).toMatchObject([{ name: 'posts' }])
})

test('svc exec --seed fills collections first, in the project and dialect that were asked for', async () => {
  writeFileSync(join(world.folder, 'posts.json'), '[{"title":"Hello"}]')
  const show = `
    const { SVC_URL, SVC_API_KEY } = ${env}
    const answer = await fetch(SVC_URL + '/collections/posts', { headers: { 'x-api-key': SVC_API_KEY } })
    console.log(answer.headers.get('svc-dialect'), (await answer.text()).includes('Hello'))`

  const ran = await world.svc(['exec', '--seed', 'posts.json', '--project', 'blog', '--dialect', 'c', ...script(show)])

  expect(ran.stdout).toMatch(/^c.* true\n$/)
})

test('svc exec --snapshot begins with a snapshot of the emulator here, or with a file of one', async () => {
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  await world.svc(['docs', 'create', 'posts', 'title=Hello'])
  await world.svc(['users', 'signup', 'ada@example.com', '--password', 'Correct4Horse'])
  await world.svc(['snapshot', 'save', 'demo'])
  await world.svc(['snapshot', 'export', 'demo'])
  await world.svc(['reset', '--yes'])
  // No file: the name is that of the snapshot.
  mkdirSync(join(world.folder, 'demo'))
  const show = `'${process.execPath}' '${bin}' docs list posts --json; '${process.execPath}' '${bin}' users list --json`

  for (const snapshot of ['demo', 'demo.tar']) {
    const ran = await world.svc(['exec', '--snapshot', snapshot, '--dialect', 'b', '--', 'sh', '-ec', show])

    expect(ran, snapshot).toMatchObject({ exit: 0, stdout: expect.stringMatching(/Hello[\s\S]*ada@example.com/) })
  }
  expect(await world.json(['collections', 'list'])).toEqual([])
})

test('svc exec --snapshot says what there is not, or cannot be read, and runs nothing', async () => {
  writeFileSync(join(world.folder, 'other.tar'), 'something else')
  const run = (snapshot: string) => world.svc(['exec', '--snapshot', snapshot, '--', 'echo', 'ran'])

  expect(await run('demo')).toMatchObject({ exit: 4, stdout: '', stderr: expect.stringContaining('No file "demo"') })
  expect(await run('other.tar')).toMatchObject({
    exit: 5,
    stdout: '',
    stderr: expect.stringContaining('Not a valid snapshot'),
  })
})

test('svc exec passes signals on, not twice what its command hands on itself, and ends as its command does', async () => {
  const code = `
    const { appendFileSync, writeFileSync } = require('node:fs')
    process.on('SIGTERM', (name) => { appendFileSync('received', name); setTimeout(() => process.exit(3), 200) })
    for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined)
    writeFileSync('pid', String(process.pid))
    setInterval(() => undefined, 1_000)`
  const exec = start(`
    const { appendFileSync } = require('node:fs')
    for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => appendFileSync('received', name))
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(code)}])
    process.on('SIGTERM', (name) => child.kill(name))
    child.on('exit', (exit) => process.exit(exit))`)
  const pid = await pidOfCommand()
  const received = () => readFileSync(join(world.folder, 'received'), { encoding: 'utf8', flag: 'a+' })

  for (const name of ['SIGINT', 'SIGHUP'] as const) {
    exec.kill(name)
    await expect.poll(received).toContain(name)
  }
  exec.kill('SIGTERM')

  expect(await exitOf(exec)).toBe(3)
  expect(received()).toBe('SIGINTSIGHUPSIGTERM')
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('a signal that svc exec passes on ends what its command has started too', async () => {
  const code = "require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1_000)"
  const exec = start(code, ['sh', '-c', '"$0" "$@"; true'])
  const pid = await pidOfCommand()

  exec.kill('SIGTERM')

  expect(await exitOf(exec)).toBe(143)
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('svc exec that is killed ends what its command has started too, and leaves no file behind', async () => {
  const code = `
    const { SVC_URL, SVC_API_KEY } = process.env
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'a.txt')
    fetch(SVC_URL + '/storage/upload', { method: 'POST', headers: { 'x-api-key': SVC_API_KEY }, body: form }).then(
      ({ status }) => require('node:fs').writeFileSync('pid', String(status === 201 ? process.pid : -status)),
    )
    setInterval(() => undefined, 1_000)`
  // As under `npm test`: a shell that hands no signal on.
  const exec = start(`
    require('node:child_process').spawn('sh', ['-c', '"$0" -e "$1" & wait', process.execPath, ${JSON.stringify(code)}])
    setInterval(() => undefined, 1_000)`)
  const pid = await pidOfCommand()
  expect(pid).toBeGreaterThan(0)

  exec.kill('SIGKILL')

  await expect.poll(() => isRunning(pid)).toBe(false)
  expect(readdirSync(temporary())).toEqual([])
})

test('a command of svc exec that there is not ends it with 4, before anything is started; none at all is misuse', async () => {
  const words = ['exec', '--seed', 'missing.json', '--', 'no-such-command']
  const missing = await world.svc(words, { isRefused: true })

  expect(missing).toMatchObject({
    exit: 4,
    stdout: '',
    stderr: expect.stringContaining('Could not start "no-such-command"'),
  })
  for (const words of [[], ['--'], ['npm', 'test'], ['npm', '--', 'test']]) {
    const ran = await world.svc(['exec', ...words], { isRefused: true })
    expect(ran, words.join(' ')).toMatchObject({ exit: 2, stderr: expect.stringContaining('svc exec -- npm test') })
  }
})

test('svc exec --json keeps stdout for its own result: 128 and the number of the signal that ended its command', async () => {
  const ran = await world.svc(['exec', '--json', '--', 'sh', '-c', 'echo of the command; kill -TERM $$'])

  expect(JSON.parse(ran.stdout)).toEqual({ exit: 143 })
  expect(ran).toMatchObject({ exit: 143, stderr: 'of the command\n' })
})

function everythingIn(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // The folder's own emulator writes these, whenever it has the time.
      .filter((name) => !name.includes(join('data', '')) && !name.endsWith('requests.log'))
      .sort()
  )
}

/** The folder for temporary files of its processes. */
const temporary = () => join(world.folder, 'tmp')

function start(code: string, inside: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, bin, 'exec', '--', ...inside, process.execPath, '-e', code], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), TMPDIR: temporary() },
    stdio: 'ignore',
  })
}

async function pidOfCommand(): Promise<number> {
  const file = join(world.folder, 'pid')
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', patiently)
  return Number(readFileSync(file, 'utf8'))
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
