import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const path = (...names: string[]) => join(world.folder, ...names)
const text = (...names: string[]) => readFileSync(path(...names), 'utf8')

const mark = '# svc dev updates the next lines. Delete this comment to keep them as they are.'

/** An app that is there already, with settings of its own. */
function anApp(files: Readonly<Record<string, string>> = {}) {
  for (const [name, content] of Object.entries({ 'package.json': '{"name":"app"}', ...files })) {
    mkdirSync(join(path(name), '..'), { recursive: true })
    writeFileSync(path(name), content)
  }
}

test('in an app it shows every file before it touches one, and a no leaves the app as it was', async () => {
  anApp({ '.gitignore': 'dist\n' })
  const before = readdirSync(world.folder)

  const ran = await world.terminal(['init'], [['Write these files?', 'n\n']])

  for (const line of ['svc.json  (new)', '.env.local  (new)', 'svc.js  (new)', '.gitignore  (lines added)']) {
    expect(ran.stdout.slice(0, ran.stdout.indexOf('Write these files?'))).toContain(line)
  }
  for (const line of ['svc.json:', '"dialect": "a"', 'SVC_URL=http://127.0.0.1:4400', 'createClient(', '.gitignore:']) {
    expect(ran.stdout.slice(0, ran.stdout.indexOf('Write these files?'))).toContain(line)
  }
  expect(ran.stdout).not.toMatch(/^ +dist\r?$/m)
  expect(ran.exit).toBe(130)
  expect(readdirSync(world.folder)).toEqual(before)
  expect(text('.gitignore')).toBe('dist\n')
})

test('after a yes it has written what it showed', async () => {
  anApp()

  const ran = await world.terminal(['init'], [['Write these files?', 'y\n']])

  expect(ran.exit).toBe(0)
  expect(JSON.parse(text('svc.json'))).toMatchObject({ dialect: 'a' })
  expect(text('svc.js')).toContain('createClient')
})

test('at a terminal it asks which template; Ctrl-C there writes nothing', async () => {
  const ran = await world.terminal(['init', 'notes'], [['Which template?', '\u0003']])

  expect(ran.exit).toBe(130)
  expect(existsSync(path('notes'))).toBe(false)
})

test('-y asks nothing, not even at a terminal', async () => {
  anApp({ 'tsconfig.json': '{}', 'src/index.ts': '' })

  const app = await world.terminal(['init', '-y'], [])
  const fresh = await world.terminal(['init', 'notes', '-y'], [])

  expect(app.stdout).not.toContain('Write these files?')
  expect(fresh.stdout).not.toContain('Which template?')
  expect(readdirSync(path('src')).sort()).toEqual(['index.ts', 'svc.ts'])
  expect(JSON.parse(text('notes', 'package.json'))).toMatchObject({
    name: 'notes',
    dependencies: { 'svc-toolkit-client': '^0.2.0' },
    devDependencies: { 'svc-toolkit': '^0.2.0' },
  })
})

test('what is there stays: settings keep their values, and lines come after lines', async () => {
  anApp({
    '.env.local': 'SVC_API_KEY=mine\nOTHER=1',
    '.gitignore': 'node_modules',
    'svc.js': '// mine',
    'svc.json': '{}',
  })

  const answer = await world.json(['init', '-y'])

  expect(answer).toMatchObject({
    files: [
      { path: 'svc.json', change: 'keep' },
      { path: '.env.local', change: 'extend' },
      { path: 'svc.js', change: 'keep' },
      { path: '.gitignore', change: 'extend' },
    ],
  })
  expect(text('.env.local')).toBe(`SVC_API_KEY=mine\nOTHER=1\n${mark}\nSVC_URL=http://127.0.0.1:4400\n`)
  expect(text('.gitignore')).toBe('node_modules\n.svc/\n.env.local\n')
  expect(text('svc.js')).toBe('// mine')
  expect(text('svc.json')).toBe('{}')
})

test('the way to a new app whose folder has a space in its name can be pasted', async () => {
  const { next } = (await world.json(['init', 'my notes', '--template', 'node', '-y'])) as { next: string[] }

  expect(next[0]).toBe("cd 'my notes'")
})

test('beside a running emulator its address and key are in .env.local, which only the owner can read', async () => {
  const dev = await world.useEmulator()

  await world.svc(['init', 'notes', '--template', 'node', '-y'])

  expect(text('notes', '.env.local')).toBe(`${mark}\nSVC_URL=${dev.url}\nSVC_API_KEY=${dev.apiKey}\n`)
  expect(statSync(path('notes', '.env.local')).mode & 0o777).toBe(0o600)
})

test.each([
  ['an app', []],
  ['a new folder', ['notes', '--template', 'node']],
])('without a terminal, init of %s asks for -y and writes nothing', async (_, words) => {
  if (words.length === 0) anApp()
  const before = readdirSync(world.folder)

  const ran = await world.svc(['init', ...words])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('-y') })
  expect(readdirSync(world.folder)).toEqual(before)
})

test('a template is not put over an app', async () => {
  anApp()

  const ran = await world.svc(['init', '--template', 'web'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('An app already exists in') })
  expect(readdirSync(world.folder)).toEqual(['package.json'])
})

test('its help names each template', async () => {
  const [help, refused] = await Promise.all([
    world.svc(['init', '--help']),
    world.svc(['init', 'notes', '--template', 'unknown']),
  ])

  const [, names = ''] = /Use one of (.*)\./.exec(refused.stderr) ?? []
  expect(names).toContain('react')
  expect(help.stdout.replace(/\s+/g, ' ')).toContain(`template to use: ${names.replace(/, (\w+)$/, ' or $1')}`)
})

test('a template spelled wrong is found again', async () => {
  const ran = await world.svc(['init', 'notes', '--template', 'wbe'])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('Did you mean "web"?') })
})

const vite = { devDependencies: { vite: '^8.0.0' } }
const next = { dependencies: { next: '^16.0.0' }, devDependencies: { vite: '^8.0.0' } }
const expo = { dependencies: { expo: '^54.0.0' } }

test.each([
  ['Vite', vite, 'VITE_', 'import.meta.env.VITE_SVC_URL'],
  ['Next', next, 'NEXT_PUBLIC_', 'process.env.NEXT_PUBLIC_SVC_URL'],
  ['Expo', expo, 'EXPO_PUBLIC_', 'process.env.EXPO_PUBLIC_SVC_URL'],
  ['Node', { type: 'module' }, '', 'process.env.SVC_URL'],
])('in an app of %s settings have the names that its code may read', async (title, manifest, prefix, read) => {
  anApp({ 'package.json': JSON.stringify(manifest), 'tsconfig.json': '{}' })

  const ran = await world.svc(['init', '--yes'])

  expect(ran.stderr).toContain(`For ${title}:`)
  expect(text('.env.local')).toBe(`${mark}\n${prefix}SVC_URL=http://127.0.0.1:4400\n${prefix}SVC_API_KEY=\n`)
  expect(text('svc.ts')).toContain(`url: ${read}`)
  if (title === 'Vite') expect(text('svc.ts')).not.toContain('process')
})

test('a script of Node without "type": "module" loads the client with require', async () => {
  anApp({ 'package.json': '{ "type": "commonjs" }' })

  await world.svc(['init', '--yes'])

  expect(text('svc.js')).toContain("require('svc-toolkit-client')")
})

test('it names the installs that are missing, by the package manager of the app', async () => {
  anApp({
    'package.json': JSON.stringify({ ...vite, dependencies: { 'svc-toolkit-client': '1' } }),
    'pnpm-lock.yaml': '',
  })

  expect(await world.json(['init', '--yes'])).toMatchObject({
    app: 'vite',
    next: ['pnpm add -D svc-toolkit', 'pnpm exec svc dev'],
  })
})

test('with Bun, the command that is to be run is the one that is installed, or none', async () => {
  anApp({ 'package.json': JSON.stringify({ dependencies: { 'svc-toolkit': '1' } }), 'bun.lock': '' })

  expect(await world.json(['init', '--yes'])).toMatchObject({ next: ['bun install', 'bunx --no-install svc dev'] })
})

test.each(['node_modules/svc-toolkit/package.json', '.pnp.cjs'])(
  'packages that are installed, as %s tells, need no step',
  async (file) => {
    anApp({ 'app/package.json': JSON.stringify({ dependencies: { 'svc-toolkit': '1' } }), [file]: '{}' })

    expect(await world.json(['init', 'app', '--yes'])).toMatchObject({ next: ['cd app', 'npx svc dev'] })
  },
)

test('an app that has svc-toolkit itself takes the client from there', async () => {
  anApp({ 'package.json': JSON.stringify({ type: 'module', dependencies: { 'svc-toolkit': '1' } }) })

  expect(await world.json(['init', '--yes'])).toMatchObject({ next: ['npm install', 'npx svc dev'] })
  expect(text('svc.js')).toContain("from 'svc-toolkit'")
})

test('a .gitignore that covers .env.local with a pattern is left as it is', async () => {
  anApp({ '.gitignore': '/node_modules\n.env*\n.svc\n' })

  await world.svc(['init', '--yes'])

  expect(text('.gitignore')).toBe('/node_modules\n.env*\n.svc\n')
})

test('svc dev fills the lines of .env.local that init has made, and no other', async () => {
  anApp({ 'package.json': JSON.stringify(vite), '.env.local': 'SVC_URL=https://example.com\nOTHER=1\n' })
  await world.svc(['init', '--yes'])

  const dev = await world.dev('--memory')

  expect(text('.env.local')).toBe(
    `SVC_URL=https://example.com\nOTHER=1\n${mark}\nVITE_SVC_URL=${dev.url}\nVITE_SVC_API_KEY=${dev.apiKey}\n`,
  )
  expect(statSync(path('.env.local')).mode & 0o777).toBe(0o600)
})

test('beside an emulator that runs already, it names that one and does not ask for another', async () => {
  anApp({ 'package.json': JSON.stringify({ dependencies: { 'svc-toolkit': '1' } }) })
  const dev = await world.useEmulator()

  const ran = await world.svc(['init', '--yes'])

  expect(text('.env.local')).toBe(`${mark}\nSVC_URL=${dev.url}\nSVC_API_KEY=${dev.apiKey}\n`)
  expect(ran.stderr).toContain(`.env.local has the address of the running emulator, ${dev.url}.`)
  expect(ran.stderr).not.toContain('svc dev')
})

test('an emulator in memory beside that of the folder leaves .env.local as it is', async () => {
  anApp()
  const dev = await world.useEmulator()
  await world.svc(['init', '--yes'])
  const filled = text('.env.local')

  const beside = await world.dev('--memory')

  expect(beside.url).not.toBe(dev.url)
  expect(text('.env.local')).toBe(filled)
  expect(filled).toContain(`SVC_URL=${dev.url}\n`)
})

test.each(['node', 'react'])(
  'in a clone of the template %s only .env.local is written, and doctor asks for it',
  async (template) => {
    await world.svc(['init', '--template', template, '--yes'])
    const lines = text('.env.local')
      .split('\n')
      .map((line) => line.replace(/=.*/, '='))
    rmSync(path('.env.local'))
    const before = readdirSync(world.folder).sort()

    const examined = await world.svc(['doctor'])
    const { files } = (await world.json(['init', '--yes'])) as { files: { path: string; change: string }[] }
    const well = await world.svc(['doctor'])

    expect(examined).toMatchObject({ exit: 0, stdout: expect.stringContaining('→ Create it: svc init --yes') })
    expect(files.filter(({ change }) => change !== 'keep')).toEqual([{ path: '.env.local', change: 'add' }])
    expect(readdirSync(world.folder).sort()).toEqual(['.env.local', ...before].sort())
    expect(well.stdout).not.toContain('svc init --yes')
    expect(
      text('.env.local')
        .split('\n')
        .map((line) => line.replace(/=.*/, '=')),
    ).toEqual(lines)
  },
)

test('svc dev asks for .env.local where init has been and no .env file names the service, as doctor does', async () => {
  anApp({ '.env': 'SVC_URL=https://example.com\n', '.gitignore': '/node_modules\n.env*\n.svc\n' })
  const named = await world.svc(['doctor'])
  rmSync(path('.env'))
  const lost = await world.svc(['doctor'])
  const started = await world.svc(['dev', '--memory', '--port', '0', '--', 'true'])
  writeFileSync(path('.gitignore'), 'node_modules\n')
  const other = await world.svc(['doctor'])

  expect(lost.stdout).toContain('svc init --yes')
  expect(started.stderr).toContain(
    'No .env file here has the address of the service. Create .env.local: svc init --yes',
  )
  expect(named.stdout + other.stdout).not.toContain('svc init --yes')
})

test.each([
  [
    'next',
    'export const openVisitor = cache(async () => {',
    'cookies: await cookies(),',
    'process.env.NEXT_PUBLIC_SVC_URL',
  ],
  ['@sveltejs/kit', 'openVisitor({ cookies }: { cookies: Cookies })', 'cookies,', 'import.meta.env.VITE_SVC_URL'],
  ['nuxt', 'openVisitor(event: H3Event)', 'getCookie(event, name)', 'process.env.VITE_SVC_URL'],
  ['@tanstack/react-start', 'openVisitor() {', '{ get: getCookie, set: setCookie }', 'import.meta.env.VITE_SVC_URL'],
  ['express', 'openVisitor(request: Request, response: Response)', 'response,', 'process.env.SVC_URL'],
])('in an app of %s it adds the client of a visitor, with the session in cookies', async (name, head, cookies, url) => {
  const manifest = { type: 'module', dependencies: { [name]: '1' }, devDependencies: { vite: '1' } }
  if (name === 'nuxt' || name === 'express') Object.assign(manifest, { devDependencies: {} })
  anApp({ 'package.json': JSON.stringify(manifest), 'tsconfig.json': '{}' })

  await world.svc(['init', '--yes'])

  for (const part of [head, cookies, url, "import { createServerClient } from 'svc-toolkit-client/server'"]) {
    expect(text('svc-server.ts')).toContain(part)
  }
})

test('in an app of Nuxt, page and server read the same variables, each in its way', async () => {
  anApp({ 'package.json': JSON.stringify({ dependencies: { nuxt: '4' } }), 'tsconfig.json': '{}' })

  const { stderr } = await world.svc(['init', '--yes'])

  expect(text('.env.local')).toContain('VITE_SVC_URL=')
  expect(text('svc.ts')).toContain('url: import.meta.env.VITE_SVC_URL,')
  expect(text('svc.ts')).toContain('Use openVisitor of svc-server instead.')
  expect(text('svc-server.ts')).toContain("apiKey: process.env.VITE_SVC_API_KEY ?? '',")
  expect(stderr).toContain('For Nuxt:')
  expect(stderr).toContain('npm install --save-dev svc-toolkit @types/node')
  expect(stderr).toContain('To load .env.local, start your app with nuxt dev --dotenv .env.local.')
})

test('in an app of Express without types, it loads the client of a visitor with require', async () => {
  anApp({ 'package.json': JSON.stringify({ dependencies: { express: '5' } }) })

  await world.svc(['init', '--yes'])

  expect(text('svc-server.js')).toBe(`const { createServerClient } = require('svc-toolkit-client/server')

/** Opens the client of a visitor, whose session is in cookies. Open one for each request. */
exports.openVisitor = function openVisitor(request, response) {
  return createServerClient({
    url: process.env.SVC_URL ?? '',
    apiKey: process.env.SVC_API_KEY ?? '',
    request,
    response,
  })
}
`)
})
