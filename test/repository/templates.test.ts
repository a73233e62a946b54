/** Each template as `svc init` makes it, run as its README says. */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../cli/command-line.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { pack } from '../fixtures/packages/packages.js'
import { endsByItself } from '../fixtures/patience.js'

const thisPackage = fileURLToPath(new URL('../..', import.meta.url))

const worlds: World[] = []
let chromium: OpenBrowser
let packages: Awaited<ReturnType<typeof pack>>

beforeAll(async () => {
  chromium = await openChromium()
  packages = await pack()
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
  const settings = (key: string) =>
    writeFile(join(folder, '.env.local'), `SVC_URL=http://127.0.0.1:9\nSVC_API_KEY=${key}\n`)

  await settings('')
  const early = await npm(folder, 'start')
  await settings('pk_x')
  const served = await serve(folder)
  const page = await chromium.newPage()
  await page.goto(served.url)
  await page.getByRole('alert').filter({ hasText: 'Start it: npx svc dev' }).waitFor()
  await served.stop()

  expect(early).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc dev') })
})

test('node: the script writes notes and counts them', async () => {
  const world = await anApp('node')
  const { folder } = world

  const first = await npm(folder, 'start')
  const second = await npm(folder, 'start')

  expect(first.stdout, first.stderr).toMatch(/Started at .*\n1 notes\./)
  expect(second.stdout).toMatch(/Started at .*\nStarted at .*\n2 notes\./)
})

test('node: without .env.local it takes variables, and without both it says what is missing', async () => {
  const { folder, settings } = await aDeployed('node')

  const started = await npm(folder, 'start', settings)
  const neither = await npm(folder, 'start')

  expect(started).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Started at/) })
  expect(neither).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc init --yes') })
})

test('web: without .env.local it takes variables, and without both it says what is missing', async () => {
  const { folder, settings } = await aDeployed('web')

  const served = await serve(folder, settings)
  const told = await (await fetch(`${served.url}/settings.js`)).text()
  await served.stop()
  const neither = await npm(folder, 'start')

  expect(told).toContain(JSON.stringify(settings.SVC_API_KEY))
  expect(neither).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('npx svc init --yes') })
})

test.each(['node', 'web', 'react', 'kanban', 'next', 'svelte', 'vue', 'chat'])(
  '%s: what --ci writes passes in a fresh clone',
  async (template) => {
    const { folder } = await aFolder(template, '--ci', 'script')
    await rm(join(folder, '.env.local'))
    await mkdir(join(folder, 'node_modules', '.bin'))
    await symlink(bin, join(folder, 'node_modules', '.bin', 'svc'))

    // The packages to install are there already.
    const script = (await readFile(join(folder, 'ci', 'test.sh'), 'utf8')).replace(/^npm ci$/m, ':')
    // On another machine the folder was never accepted.
    const env = { ...cleanEnv(folder), SVC_CONFIG_DIR: join(folder, 'config-of-another') }
    const ran = await execa('sh', ['-c', script], { cwd: folder, env, extendEnv: false, reject: false })

    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/pass 2\b/) })
  },
)

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

/** Creates a project with `svc init`, with both packages where `npm install` puts them. */
async function aFolder(template: string, ...more: readonly string[]): Promise<World> {
  const world = await openWorld()
  worlds.push(world)
  const { exit, stderr } = await world.svc(['init', '--template', template, '--yes', ...more])
  expect(exit, stderr).toBe(0)
  const modules = join(world.folder, 'node_modules')
  const client = join(modules, 'svc-toolkit-client')
  await mkdir(client, { recursive: true })
  await execa('tar', ['-xzf', packages['svc-toolkit-client'], '-C', client, '--strip-components=1'])
  await symlink(thisPackage, join(modules, 'svc-toolkit'))
  return world
}

/** The same beside its folder's emulator. */
async function anApp(template: string): Promise<World> {
  const world = await aFolder(template)
  expect(await readFile(join(world.folder, 'README.md'), 'utf8')).toContain('npm start')
  const dev = await world.dev('--memory')
  expect(await readFile(join(world.folder, '.env.local'), 'utf8')).toContain(`SVC_API_KEY=${dev.apiKey}`)
  return world
}

/** The same where `.env.local` is missing, and the settings that a host gives as variables. */
async function aDeployed(template: string) {
  const world = await aFolder(template)
  const { url, apiKey } = await world.dev('--memory')
  await rm(join(world.folder, '.env.local'))
  return { folder: world.folder, settings: { SVC_URL: url, SVC_API_KEY: apiKey } }
}

function npm(folder: string, script: string, settings: Readonly<Record<string, string>> = {}) {
  return execa('npm', ['run', '--silent', script], {
    cwd: folder,
    env: { ...cleanEnv(folder), ...settings },
    extendEnv: false,
    reject: false,
    timeout: hungMilliseconds,
    ...endsByItself,
  })
}

/** Runs `npm start` of the web template on its own port, and waits for its address. */
async function serve(folder: string, settings: Readonly<Record<string, string>> = {}) {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const child = execa(process.execPath, scripts.start.split(' ').slice(1), {
    cwd: folder,
    env: { ...cleanEnv(folder), ...settings, PORT: '0' },
    extendEnv: false,
    reject: false,
    timeout: hungMilliseconds,
    ...endsByItself,
  })
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
