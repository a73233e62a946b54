import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const path = (...names: string[]) => join(world.folder, ...names)
const text = (...names: string[]) => readFileSync(path(...names), 'utf8')

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

  const ran = await world.terminal(['init'], [['Write them?', 'n\n']])

  for (const line of ['svc.json  (new)', '.env.local  (new)', 'svc.js  (new)', '.gitignore  (lines added)']) {
    expect(ran.stdout.slice(0, ran.stdout.indexOf('Write them?'))).toContain(line)
  }
  expect(ran.exit).toBe(130)
  expect(readdirSync(world.folder)).toEqual(before)
  expect(text('.gitignore')).toBe('dist\n')
})

test('after a yes it has written what it showed', async () => {
  anApp()

  const ran = await world.terminal(['init'], [['Write them?', 'y\n']])

  expect(ran.exit).toBe(0)
  expect(JSON.parse(text('svc.json'))).toEqual({ dialect: 'a' })
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

  expect(app.stdout).not.toContain('Write them?')
  expect(fresh.stdout).not.toContain('Which template?')
  expect(readdirSync(path('src')).sort()).toEqual(['index.ts', 'svc.ts'])
  expect(JSON.parse(text('notes', 'package.json'))).toMatchObject({
    name: 'notes',
    dependencies: { 'svc-toolkit': '^0.1.0' },
  })
})

test('what is there stays: settings keep their values, and lines come after lines', async () => {
  anApp({
    '.env.local': 'SVC_API_KEY=mine\nOTHER=1',
    '.gitignore': 'node_modules',
    'svc.js': '// mine',
    'svc.json': '{}',
  })

  const answer = await world.json(['init'])

  expect(answer).toMatchObject({
    files: [
      { path: 'svc.json', change: 'keep' },
      { path: '.env.local', change: 'extend' },
      { path: 'svc.js', change: 'keep' },
      { path: '.gitignore', change: 'extend' },
    ],
  })
  expect(text('.env.local')).toBe('SVC_API_KEY=mine\nOTHER=1\nSVC_URL=http://127.0.0.1:4400\n')
  expect(text('.gitignore')).toBe('node_modules\n.svc/\n.env.local\n')
  expect(text('svc.js')).toBe('// mine')
  expect(text('svc.json')).toBe('{}')
})

test('beside a running emulator its address and key are in .env.local, which only the owner can read', async () => {
  const dev = await world.dev('--memory')

  await world.svc(['init', 'notes', '--template', 'node'])

  expect(text('notes', '.env.local')).toBe(`SVC_URL=${dev.url}\nSVC_API_KEY=${dev.apiKey}\n`)
  expect(statSync(path('notes', '.env.local')).mode & 0o777).toBe(0o600)
})

test('a template is not put over an app', async () => {
  anApp()

  const ran = await world.svc(['init', '--template', 'web'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('There is an app in') })
  expect(readdirSync(world.folder)).toEqual(['package.json'])
})

test('a template spelled wrong is found again', async () => {
  const ran = await world.svc(['init', 'notes', '--template', 'wbe'])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('Did you mean "web"?') })
})
