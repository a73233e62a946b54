/** Each template as `svc init` makes it, at the run's emulator. `npm run full` follows the READMEs with an emulator of each app. */
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../cli/command-line.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { endsByItself } from '../fixtures/patience.js'

const thisPackage = fileURLToPath(new URL('../..', import.meta.url))

const worlds: World[] = []
let chromium: OpenBrowser

beforeAll(async () => {
  chromium = await openChromium()
})
afterAll(async () => {
  await chromium?.close()
  for (const world of worlds) await world.close()
})

test('web: the page creates, lists and deletes documents, and says what went wrong', async () => {
  const world = await anApp('web')
  const served = await serve(world.folder)
  const page = await chromium.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  const items = page.locator('li')

  await page.goto(served.url)
  await page.getByLabel('New note').fill('Milk')
  await page.getByRole('button', { name: 'Add' }).click()
  await items.filter({ hasText: 'Milk' }).waitFor()
  await page.getByLabel('New note').fill('<b>Bread</b>')
  await page.getByLabel('New note').press('Enter')
  await items.filter({ hasText: '<b>Bread</b>' }).waitFor()
  const stored = await world.json(['docs', 'list', 'notes', '--sort', 'text'])
  await items.filter({ hasText: 'Milk' }).getByRole('button', { name: 'Delete' }).click()
  await items.filter({ hasText: 'Milk' }).waitFor({ state: 'detached' })
  await world.svc(['collections', 'delete', 'notes', '--yes'])
  await page.getByLabel('New note').fill('Too late')
  await page.getByLabel('New note').press('Enter')
  await page.getByRole('alert').filter({ hasText: 'notes' }).waitFor()
  await served.stop()

  expect(stored).toMatchObject({ items: [{ data: { text: '<b>Bread</b>' } }, { data: { text: 'Milk' } }] })
  expect(problems).toEqual([])
})

test('web: its server gives away no settings but the two of the page, and survives a bad path', async () => {
  const { folder } = await anApp('web')
  const served = await serve(folder)

  const statuses: number[] = []
  for (const path of ['/.env.local', '/..%2f.env.local', '/%', '/package.json', '/']) {
    statuses.push((await fetch(`${served.url}${path}`)).status)
  }
  const settings = await (await fetch(`${served.url}/settings.js`)).text()
  await served.stop()

  expect(statuses).toEqual([404, 404, 404, 404, 200])
  expect(settings).toMatch(/^export const settings = \{"url":"[^"]+","apiKey":"[^"]+"\}$/)
})

test('web: without `svc dev` it says what to start', async () => {
  const { folder } = await aFolder('web')

  await writeSettings(folder, { SVC_URL: nowhere, SVC_API_KEY: '' })
  const early = await runScript(folder, 'start')
  await writeSettings(folder, { SVC_URL: nowhere, SVC_API_KEY: 'pk_x' })
  const served = await serve(folder)
  const page = await chromium.newPage()
  await page.goto(served.url)
  await page.getByRole('alert').filter({ hasText: 'Start it: npx svc dev' }).waitFor()
  await served.stop()

  expect(early).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc dev') })
})

test('node: the script writes notes and counts them', async () => {
  const { folder } = await anApp('node')

  const first = await runScript(folder, 'start')
  const second = await runScript(folder, 'start')

  expect(first.stdout, first.stderr).toMatch(/Started at .*\n1 notes\./)
  expect(second.stdout).toMatch(/Started at .*\nStarted at .*\n2 notes\./)
})

test('node: without .env.local it takes variables, and without both it says what is missing', async () => {
  const { folder, settings } = await anApp('node')
  await rm(join(folder, '.env.local'))

  const started = await runScript(folder, 'start', settings)
  const neither = await runScript(folder, 'start')

  expect(started).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Started at/) })
  expect(neither).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc init --yes') })
})

test('web: without .env.local it takes variables, and without both it says what is missing', async () => {
  const { folder } = await aFolder('web')
  await rm(join(folder, '.env.local'))

  const served = await serve(folder, { SVC_URL: nowhere, SVC_API_KEY: 'pk_x' })
  const told = await (await fetch(`${served.url}/settings.js`)).text()
  await served.stop()
  const neither = await runScript(folder, 'start')

  expect(told).toContain('"pk_x"')
  expect(neither).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc init --yes') })
})

test('react: what --ci writes passes in a fresh clone', async () => {
  const { folder } = await aFolder('react', '--ci', 'script')
  await rm(join(folder, '.env.local'))
  await mkdir(join(folder, 'node_modules', '.bin'))
  await symlink(bin, join(folder, 'node_modules', '.bin', 'svc'))

  // The packages to install are there already.
  const script = (await readFile(join(folder, 'ci', 'test.sh'), 'utf8')).replace(/^npm ci$/m, ':')
  // On another machine the folder was never accepted.
  const env = { ...cleanEnv(folder), SVC_CONFIG_DIR: join(folder, 'config-of-another') }
  const ran = await execa('sh', ['-c', script], { cwd: folder, env, extendEnv: false, reject: false })

  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/pass 2\b/) })
})

test('the tests of the other templates pass', async () => {
  const files: string[] = []
  for (const template of ['node', 'web', 'kanban', 'next', 'svelte', 'vue', 'chat']) {
    const { folder } = await aFolder(template)
    const found = (await readdir(folder)).filter((name) => name.endsWith('.test.js'))
    files.push(...found.map((name) => join(folder, name)))
  }
  const { folder } = await openWorldOfFile()
  await writeFile(
    join(folder, 'all.mjs'),
    `for (const file of process.argv.slice(2)) {
  process.chdir(file.slice(0, file.lastIndexOf('/')))
  await import(file)
}`,
  )

  // One process for all, since each starts an emulator.
  const ran = await runNode(folder, ['all.mjs', ...files])

  expect(files).toHaveLength(7)
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/pass 14\b/) })
})

test.each(['node', 'web', 'react', 'kanban', 'next', 'svelte', 'vue'])(
  '%s: has at most 300 lines of code to read',
  async (template) => {
    const folder = join(thisPackage, 'templates', template)
    const files = (await readdir(folder, { recursive: true })).filter(
      (name) => /\.([jt]sx?|vue|svelte)$/.test(name) && !/svc-types|\.test\./.test(name),
    )
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))

    expect(texts.join('').split('\n').length).toBeLessThanOrEqual(300)
  },
)

/** No service listens there. */
const nowhere = 'http://127.0.0.1:9'

async function openWorldOfFile(): Promise<World> {
  const world = await openWorld()
  worlds.push(world)
  return world
}

/** Creates a project with `svc init`, with both packages where `npm install` puts them. */
async function aFolder(template: string, ...more: readonly string[]): Promise<World> {
  const world = await openWorldOfFile()
  const { exit, stderr } = await world.svc(['init', '--template', template, '--yes', ...more])
  expect(exit, stderr).toBe(0)
  const modules = join(world.folder, 'node_modules')
  await mkdir(modules)
  await symlink(thisPackage, join(modules, 'svc-toolkit'))
  await symlink(join(thisPackage, 'dist/node_modules/svc-toolkit-client'), join(modules, 'svc-toolkit-client'))
  return world
}

/** Adds a project at the run's emulator, and its settings where `svc dev` writes them. */
async function anApp(template: string) {
  const world = await aFolder(template)
  const { url, apiKey } = await world.useEmulator()
  const settings = { SVC_URL: url, SVC_API_KEY: apiKey }
  await writeSettings(world.folder, settings)
  return { ...world, settings }
}

type Settings = Readonly<Record<string, string>>

function writeSettings(folder: string, settings: Settings): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  return writeFile(join(folder, '.env.local'), lines.join(''))
}

/** Runs a script of package.json without npm. Each of them starts Node. */
function runScript(folder: string, script: string, settings: Settings = {}) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [node, ...words] = scripts[script].split(' ')
  expect(node).toBe('node')
  return runNode(folder, words, settings)
}

function runNode(folder: string, words: readonly string[], settings: Settings = {}) {
  return execa(process.execPath, words, {
    cwd: folder,
    env: { ...cleanEnv(folder), ...settings },
    extendEnv: false,
    reject: false,
    timeout: hungMilliseconds,
    ...endsByItself,
  })
}

/** Starts the web template on a free port, and waits for its address. */
async function serve(folder: string, settings: Settings = {}) {
  const child = runScript(folder, 'start', { ...settings, PORT: '0' })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()))
    child.then(({ stderr }) => reject(new Error(`The page's server ended: ${stderr}`)), reject)
  })
  return {
    url,
    async stop() {
      child.kill()
      await child
    },
  }
}
