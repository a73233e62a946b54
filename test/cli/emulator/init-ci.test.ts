/** Tests that `svc init --ci` uses the app's package manager, and never a foreign package named svc. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { endsByItself } from '../../fixtures/patience.js'
import { serve } from '../../fixtures/servers.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const path = (...names: string[]) => join(world.folder, ...names)
const text = (...names: string[]) => readFileSync(path(...names), 'utf8')

function anApp(manifest: object = {}, files: Readonly<Record<string, string>> = {}) {
  const scripts = { test: 'true' }
  writeFileSync(path('package.json'), JSON.stringify({ name: 'app', scripts, ...manifest }))
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content)
}

/** The script of --ci, without its installation. */
function run(env: Readonly<Record<string, string>> = {}) {
  const script = text('ci', 'test.sh').replace(/^npm ci$/m, ':')
  const options = { cwd: world.folder, env: { ...cleanEnv(world.folder), ...env }, extendEnv: false, reject: false }
  return execa('sh', ['-c', script], { ...options, ...endsByItself })
}

test.each([
  ['github', '.github/workflows/test.yml'],
  ['gitlab', '.gitlab-ci.yml'],
  ['script', 'ci/test.sh'],
])('--ci %s adds what runs the tests in an emulator of their own', async (kind, file) => {
  anApp()

  const ran = await world.svc(['init', '--ci', kind, '--yes'])
  const again = await world.json(['init', '--ci', kind, '--yes'])

  expect(ran.exit).toBe(0)
  expect(ran.stderr).not.toContain('no script "test"')
  expect(text(...file.split('/'))).toContain('npx --no svc exec -- npm test')
  expect(again).toMatchObject({ files: expect.arrayContaining([{ path: file, change: 'keep' }]) })
})

test.each([
  ['npm', '', ['npm ci', 'npx --no svc exec -- npm test']],
  ['pnpm', 'pnpm@9.1.0', ['corepack enable', 'pnpm install --frozen-lockfile', 'pnpm exec svc exec -- pnpm test']],
  ['yarn', 'yarn@4.1.0', ['corepack enable', 'yarn install --immutable', 'yarn svc exec -- yarn test']],
])('the job for GitLab runs the commands of %s', async (_, packageManager, script) => {
  anApp(packageManager ? { packageManager } : {})

  await world.svc(['init', '--ci', 'gitlab', '--yes'])

  expect(parse(text('.gitlab-ci.yml'))).toEqual({
    test: { image: 'node:24', variables: { SVC_TRUST_CODE: '1' }, script },
  })
})

test('--editor adds a dev container and tasks of VS Code, and leaves existing ones alone', async () => {
  anApp({ packageManager: 'pnpm@9.1.0' })
  mkdirSync(path('.vscode'))
  writeFileSync(path('.vscode', 'tasks.json'), '{}')

  const done = await world.json(['init', '--editor', 'devcontainer,vscode', '--yes'])
  const kept = text('.vscode', 'tasks.json')
  rmSync(path('.vscode'), { recursive: true })
  await world.json(['init', '--editor', 'vscode', '--yes'])

  const container = JSON.parse(text('.devcontainer', 'devcontainer.json'))
  const { tasks } = JSON.parse(text('.vscode', 'tasks.json')) as { tasks: { command: string }[] }
  const { commands } = JSON.parse(readFileSync(new URL('../../../oclif.manifest.json', import.meta.url), 'utf8'))
  expect(done).toMatchObject({ files: expect.arrayContaining([{ path: '.vscode/tasks.json', change: 'keep' }]) })
  expect(kept).toBe('{}')
  expect(container).toMatchObject({
    postCreateCommand: 'pnpm install',
    postStartCommand: 'pnpm exec svc dev --detach --yes',
  })
  for (const { command } of tasks) {
    const words = command.replace(/ --.*/, '').split(' ').slice(3)
    expect(Object.keys(commands), command).toContain(words.join(':'))
  }
})

describe('the action', () => {
  interface Step {
    readonly run: string
    readonly env?: Readonly<Record<string, string>>
  }
  const { inputs, runs } = parse(
    readFileSync(new URL('../../../deploy/action/action.yml', import.meta.url), 'utf8'),
  ) as { inputs: Record<string, { default: string }>; runs: { using: string; steps: readonly Step[] } }

  /** Runs its steps as GitHub does, in the folder of the app. */
  async function runAction(given: Readonly<Record<string, string>>) {
    const filled = (value: string) =>
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => given[name] ?? inputs[name]?.default ?? '')
    let last: number | undefined
    for (const { run: script, env = {} } of runs.steps) {
      // An input inside a script could run as code.
      expect(script).not.toContain('${{')
      const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]))
      const options = { cwd: world.folder, env: { ...cleanEnv(world.folder), ...own }, extendEnv: false, reject: false }
      last = (await execa('bash', ['-e', '-c', script], { ...options, ...endsByItself })).exitCode
      if (last !== 0) break
    }
    return last
  }

  test('its steps run the command in a clean folder, with a seeded emulator, and pass on its exit code', async () => {
    anApp()
    mkdirSync(path('node_modules', '.bin'), { recursive: true })
    symlinkSync(bin, path('node_modules', '.bin', 'svc'))
    writeFileSync(path('seed.json'), '{"collections":{"posts":{"documents":[{"title":"Tea"}]}}}')
    const command = 'npx --no svc docs count posts --quiet > "counted $USER.txt"; exit 7'

    expect(runs.using).toBe('composite')
    expect(await runAction({ command, seed: 'seed.json' })).toBe(7)
    expect(text('counted .txt').trim()).toBe('1')
  })

  test('where svc is not installed, it fails and runs no foreign package', async () => {
    anApp()

    expect(await runAction({ command: 'touch ran' })).not.toBe(0)
    expect(existsSync(path('ran'))).toBe(false)
  })
})

test('the script of --ci installs, tests against an emulator and ends with the exit code of the tests', async () => {
  anApp({ scripts: { test: 'test -n $SVC_API_KEY && exit 7' } })
  await world.svc(['init', '--ci', 'script', '--yes'])
  // Stands in for packages that npm would install.
  mkdirSync(path('node_modules', '.bin'), { recursive: true })
  symlinkSync(bin, path('node_modules', '.bin', 'svc'))

  const ran = await run()

  expect(text('ci', 'test.sh')).toContain('\nnpm ci\n')
  expect(statSync(path('ci', 'test.sh')).mode & 0o100).toBe(0o100)
  expect(ran.exitCode).toBe(7)
})

test('where svc-toolkit is not installed, the script of --ci fails, and runs no package called svc', async () => {
  const registry = await registryOfStranger()
  anApp()
  await world.svc(['init', '--ci', 'script', '--yes'])

  const ran = await run({ npm_config_registry: registry.url, CI: 'true' })
  await registry.close()

  expect(ran.stdout).not.toContain('a stranger')
  expect(ran.exitCode).not.toBe(0)
  expect(registry.fetched).toEqual([])
})

/** A registry that has a package of somebody else by the name of the command. */
async function registryOfStranger() {
  const source = path('stranger')
  mkdirSync(source)
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'svc', version: '1.0.0', bin: { svc: 'svc.js' } }))
  writeFileSync(join(source, 'svc.js'), "#!/usr/bin/env node\nconsole.log('a stranger')\n")
  await execa('npm', ['pack', source], { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false })
  const fetched: string[] = []
  const server = await serve(({ method, url = '', headers }, response) => {
    if (url.endsWith('.tgz')) {
      fetched.push(url)
      return response.end(readFileSync(path('svc-1.0.0.tgz')))
    }
    const dist = { tarball: `http://${headers.host}/svc-1.0.0.tgz` }
    const version = { name: 'svc', version: '1.0.0', bin: { svc: 'svc.js' }, dist }
    const known = { name: 'svc', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
    // npm posts a question about faults of the package, which has none.
    response.end(JSON.stringify(method === 'POST' ? {} : known))
  })
  return { ...server, fetched }
}

const steps = { checkout: { uses: 'actions/checkout@v4' }, corepack: { run: 'corepack enable' } }
const node = (cache?: string) => ({
  uses: 'actions/setup-node@v4',
  with: { 'node-version': 24, ...(cache && { cache }) },
})
const pnpm = (version?: number) => ({ uses: 'pnpm/action-setup@v6', ...(version && { with: { version } }) })
const frozen = ['pnpm install --frozen-lockfile', 'pnpm exec svc exec -- pnpm test']
const yarn1 = ['yarn install --frozen-lockfile', 'npx --no svc exec -- yarn test']
const yarn = ['yarn install --immutable', 'yarn svc exec -- yarn test']
const bun = ['bun install --frozen-lockfile', 'bunx --no-install svc exec -- bun run test']

test.each<[string, { lock?: [string, string]; packageManager?: string }, object[], string[]]>([
  ['npm', { lock: ['package-lock.json', '{}'] }, [node('npm')], ['npm ci', 'npx --no svc exec -- npm test']],
  ['pnpm', { lock: ['pnpm-lock.yaml', "lockfileVersion: '9.0'\n"] }, [pnpm(10), node('pnpm')], frozen],
  ['pnpm 8', { lock: ['pnpm-lock.yaml', "lockfileVersion: '6.0'\n"] }, [pnpm(8), node('pnpm')], frozen],
  ['pnpm of package.json', { packageManager: 'pnpm@9.15.0' }, [pnpm(), node('pnpm')], frozen],
  ['Yarn 1', { lock: ['yarn.lock', '# yarn lockfile v1\n'] }, [node('yarn')], yarn1],
  ['Yarn 4', { lock: ['yarn.lock', '__metadata:\n  version: 8\n'] }, [steps.corepack, node('yarn')], yarn],
  ['Yarn of package.json', { packageManager: 'yarn@4.5.0' }, [steps.corepack, node('yarn')], yarn],
  ['Bun', { lock: ['bun.lock', '{}'] }, [{ uses: 'oven-sh/setup-bun@v2' }, node()], bun],
  ['Bun before 1.2', { lock: ['bun.lockb', ''] }, [{ uses: 'oven-sh/setup-bun@v2' }, node()], bun],
])('both files of --ci install and test by %s', async (_, { lock, packageManager }, before, [install, tested]) => {
  anApp({ packageManager }, lock && { [lock[0]]: lock[1] })

  await world.svc(['init', '--ci', 'github', '--yes'])
  await world.svc(['init', '--ci', 'script', '--yes'])

  const workflow = parse(text('.github', 'workflows', 'test.yml'))
  expect(workflow.jobs.test.env).toEqual({ SVC_TRUST_CODE: 1 })
  expect(workflow.jobs.test.steps).toEqual([steps.checkout, ...before, { run: install }, { run: tested }])
  expect(text('ci', 'test.sh')).toMatch(new RegExp(`\nexport SVC_TRUST_CODE=1\n${install}\nexec ${tested}\n$`))
})

/** A package below the root of a repository. */
function aPackage(files: Readonly<Record<string, string>> = {}) {
  mkdirSync(path('apps', 'web'), { recursive: true })
  const all = { 'package.json': '{"name":"web","scripts":{"test":"true"}}', ...files }
  for (const [name, content] of Object.entries(all)) writeFileSync(path('apps', 'web', name), content)
}

const env = { SVC_TRUST_CODE: 1 }
const inPackage = { 'runs-on': 'ubuntu-latest', env, defaults: { run: { 'working-directory': 'apps/web' } } }

test('a package of a workspace has the package manager and the svc.json of the root, and a workflow there', async () => {
  mkdirSync(path('.git'))
  anApp({ packageManager: 'pnpm@10.2.0' }, { 'pnpm-lock.yaml': '', 'svc.json': '{"dialect":"b"}' })
  aPackage()

  const ran = await world.svc(['init', 'apps/web', '--ci', 'github', '--yes'])

  const { name, jobs } = parse(text('.github', 'workflows', 'test-apps-web.yml'))
  const runs = frozen.map((run) => ({ run }))
  expect(name).toBe('test apps/web')
  expect(jobs.test).toEqual({ ...inPackage, steps: [steps.checkout, pnpm(), node('pnpm'), ...runs] })
  expect(ran.stderr).toContain('pnpm add svc-toolkit-client\n')
  expect(ran.stderr).toContain('svc.json applies here too')
  expect(existsSync(path('apps', 'web', 'svc.json'))).toBe(false)
})

test('an app in a repository that is no workspace keeps its own package manager, whose lock file is named', async () => {
  mkdirSync(path('.git'))
  anApp({}, { 'yarn.lock': '# yarn lockfile v1\n' })
  aPackage({ 'package-lock.json': '{}' })

  await world.svc(['init', 'apps/web', '--ci', 'github', '--yes'])

  const { jobs } = parse(text('.github', 'workflows', 'test-apps-web.yml'))
  const { uses, with: settings } = node('npm')
  const withLock = { uses, with: { ...settings, 'cache-dependency-path': 'apps/web/package-lock.json' } }
  const runs = ['npm ci', 'npx --no svc exec -- npm test'].map((run) => ({ run }))
  expect(jobs.test).toEqual({ ...inPackage, steps: [steps.checkout, withLock, ...runs] })
})

test.each<[string, object, Readonly<Record<string, string>>]>([
  ['by package.json', { workspaces: ['apps/*'] }, { 'yarn.lock': '# yarn lockfile v1\n' }],
  ['by pnpm-workspace.yaml', { packageManager: 'yarn@1.22.22' }, { 'pnpm-workspace.yaml': '' }],
])('the root of a workspace is known %s, where there is no repository yet', async (_, manifest, files) => {
  anApp(manifest, files)
  aPackage()

  const ran = await world.svc(['init', 'apps/web', '--yes'])

  expect(ran.stderr).toContain('yarn add svc-toolkit-client\n')
})

test.each([
  ['has none', {}],
  ['has that of npm init', { test: 'echo "Error: no test specified" && exit 1' }],
])('--ci says that there are no tests where package.json %s', async (_, scripts) => {
  anApp({ scripts })

  const ran = await world.svc(['init', '--ci', 'github', '--yes'])

  expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('package.json has no script "test"') })
})
