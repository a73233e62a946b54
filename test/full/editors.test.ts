/** Runs what `svc init` writes for editors and CI, in an app that has the packed package, without a network. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { cleanEnv, hungMilliseconds } from '../cli/command-line.js'
import { type Installed, install, pack } from '../fixtures/packages/packages.js'
import { endsByItself } from '../fixtures/patience.js'

interface Task {
  readonly label: string
  readonly command: string
  readonly isBackground?: boolean
  readonly problemMatcher: {
    readonly pattern?: { readonly regexp: string }
    readonly background?: { readonly beginsPattern: string; readonly endsPattern: string }
  }
}

let app: Installed
beforeAll(async () => {
  app = await install(Object.values(await pack()), {
    files: {
      'package.json': JSON.stringify({ name: 'app', private: true, scripts: { test: 'node test.mjs' } }),
      'test.mjs': `import { writeFileSync } from 'node:fs'
const { SVC_URL, SVC_API_KEY } = process.env
const answer = await fetch(\`\${SVC_URL}/collections\`, { headers: { 'x-api-key': SVC_API_KEY } })
writeFileSync('tested.txt', \`\${SVC_URL} \${answer.status}\`)
process.exitCode = answer.ok ? 7 : 1
`,
    },
  })
  const words = ['init', '--editor', 'devcontainer,vscode', '--ci', 'gitlab', '--yes']
  expect(await run(`npx --no svc ${words.join(' ')}`)).toMatchObject({ exitCode: 0 })
  expect(await run('npx --no svc init --ci script --yes')).toMatchObject({ exitCode: 0 })
})
afterAll(() => app?.remove())

// As a clone has it.
beforeEach(async () => {
  for (const name of ['node_modules', 'tested.txt', '.svc'])
    await rm(join(app.folder, name), { recursive: true, force: true })
})
afterEach(() => run('npx --no svc stop'))

const read = (...names: string[]) => readFile(join(app.folder, ...names), 'utf8')

function start(script: string, variables: Readonly<Record<string, string>> = {}) {
  // Dependencies are linked from this tree, and their own install scripts need tools that the app does not have.
  const npm = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_ignore_scripts: 'true' }
  const env = { ...cleanEnv(app.folder), ...npm, ...variables }
  const options = {
    cwd: app.folder,
    env,
    extendEnv: false,
    reject: false,
    all: true,
    timeout: hungMilliseconds,
  } as const
  return execa('sh', ['-e', '-c', script], { ...options, ...endsByItself })
}

const run = async (script: string, variables?: Readonly<Record<string, string>>) => start(script, variables)

test('the dev container installs the packages and starts the emulator, and each task of VS Code does what its label says', async () => {
  const { postCreateCommand, postStartCommand } = JSON.parse(await read('.devcontainer', 'devcontainer.json'))
  const { tasks } = JSON.parse(await read('.vscode', 'tasks.json')) as { tasks: readonly Task[] }
  const left = new Map(tasks.map((task) => [task.label, task]))
  const take = (label: string): Task => {
    const task = left.get(label)
    if (!task) throw new Error(`No task "${label}".`)
    left.delete(label)
    return task
  }
  const runTask = (label: string) => run(take(label).command)

  expect(await run(postCreateCommand)).toMatchObject({ exitCode: 0 })
  expect(await run(postStartCommand)).toMatchObject({ exitCode: 0 })
  const { url, apiKey } = JSON.parse((await run('npx --no svc status --json')).stdout)

  expect((await runTask('svc: open the dashboard')).stdout).toBe(`${url}/_svc/`)
  expect((await runTask('svc: run the tests')).exitCode).toBe(7)
  expect(await read('tested.txt')).toMatch(/ 200$/)
  expect(await read('tested.txt')).not.toContain(url)

  await run(
    'npx --no svc collections create posts && npx --no svc docs create posts title=Tea && npx --no svc docs create posts title=Milk',
  )
  await fetch(`${url}/collections/posts/documents/x`, { headers: { 'x-api-key': `${apiKey}x` } })
  expect((await runTask('svc: why was the last request refused')).stdout).toContain('UNAUTHORIZED')
  expect((await runTask('svc: generate types')).exitCode).toBe(0)
  expect(await read('svc-types.ts')).toContain('title: string')
  await run('npx --no svc docs delete posts --all --yes')
  expect(await runTask('svc: undo')).toMatchObject({ exitCode: 0 })
  expect((await run('npx --no svc docs count posts --quiet')).stdout).toBe('2')

  await run('npx --no svc stop')
  await expectToStart(take('svc: start the emulator'))
  expect([...left.keys()]).toEqual([])
})

/** Runs a background task, and reads its output as the problem matcher of VS Code does. */
async function expectToStart({ command, isBackground, problemMatcher: { background, pattern } }: Task) {
  const dev = start(`exec ${command}`)
  const ready = new RegExp(background?.endsPattern ?? '', 'm')
  let said = ''
  await new Promise<void>((resolve, reject) => {
    dev.all.on('data', (piece) => {
      said += piece
      if (ready.test(said)) resolve()
    })
    dev.then(() => reject(new Error(`It ended: ${said}`)), reject)
  })
  // A second one in the folder is refused.
  const { all } = await run(command)
  await run('npx --no svc stop')

  expect(isBackground).toBe(true)
  expect(said).toMatch(new RegExp(background?.beginsPattern ?? '', 'm'))
  expect(all).toMatch(new RegExp(pattern?.regexp ?? '', 'm'))
  expect((await dev).exitCode).toBe(0)
}

test('the job of GitLab installs, tests against an emulator, and ends with the exit code of the tests', async () => {
  const { test: job } = parse(await read('.gitlab-ci.yml'))

  const { exitCode } = await run(job.script.join('\n'), job.variables)

  expect(exitCode).toBe(7)
  expect(await read('tested.txt')).toMatch(/ 200$/)
})

test('so does the script', async () => {
  const { exitCode } = await run('./ci/test.sh')

  expect(exitCode).toBe(7)
  expect(await read('tested.txt')).toMatch(/ 200$/)
})
