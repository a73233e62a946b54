/** Tests the published packages, as `npm install` puts them into an empty project. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { openChromium } from '../fixtures/chromium.js'
import { expectToCompile } from '../fixtures/packages/compile.js'
import { type Installed, install, type PackageName, pack, tool } from '../fixtures/packages/packages.js'
import { serve } from '../fixtures/servers.js'
import { newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'
import { hooksCases } from './hooks.cases.js'
import { linksCases } from './links.cases.js'

const names: readonly PackageName[] = ['svc-toolkit', 'svc-toolkit-client']

let emulator: SharedProject
let tarballs: Readonly<Record<PackageName, string>>
const projects = new Map<string, Installed>()

beforeAll(async () => {
  emulator = await newSharedProject('here')
  tarballs = await pack()
  projects.set('svc-toolkit', await install(Object.values(tarballs)))
  projects.set('svc-toolkit-client', await install([tarballs['svc-toolkit-client']]))
})
afterAll(async () => {
  for (const project of projects.values()) await project.remove()
})

function projectWith(name: PackageName): Installed {
  const project = projects.get(name)
  if (!project) throw new Error(`${name} is not installed.`)
  return project
}

describe('the client alone', () => {
  it('has no dependencies, code under 70 KB, and nothing beside its code but types and words: under 184 KB', async () => {
    const { stdout: list } = await execa('tar', ['-tvzf', tarballs['svc-toolkit-client']])
    const { stdout: manifest } = await execa('tar', ['-xzOf', tarballs['svc-toolkit-client'], 'package/package.json'])
    const files = list.split('\n').map((line) => {
      const [, , size, , , path = ''] = line.split(/\s+/)
      return { path: path.replace('package/', ''), size: Number(size) }
    })
    const bytes = (of: typeof files) => of.reduce((sum, { size }) => sum + size, 0)
    const code = files.filter(({ path }) => /\.m?js$/.test(path))

    expect(JSON.parse(manifest)).not.toHaveProperty('dependencies')
    const names = [
      ...['deployed/index', 'development', 'extensions', 'index'],
      ...['offline/index', 'react/index', 'server', 'store/index', 'svelte/index', 'vue/index'],
    ]
    expect(code.map(({ path }) => path).sort()).toEqual(names.flatMap((name) => [`${name}.js`, `${name}.mjs`]))
    // The other entries are loaded only by those who import them.
    const isOfClient = ({ path }: { path: string }) =>
      !/^((deployed|offline|react|store|svelte|vue)\/|(extensions|server)\.)/.test(path)
    // The core comes twice, as an ES module and for `require`. Dialect d adds 2 KB to each, and 7 KB of types.
    expect(bytes(code.filter(isOfClient))).toBeLessThan(70 * 1_024)
    expect(bytes(files.filter(isOfClient))).toBeLessThan(184 * 1_024)
    expect(files.filter(({ path }) => !/\.(m?js|d\.m?ts)$/.test(path)).map(({ path }) => path)).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'package.json']),
    )
  })
})

describe.each(names)('%s', (name) => {
  linksCases(name, () => projectWith(name))
  hooksCases(name, () => projectWith(name))

  it.each([
    ['mjs', `import { createClient, SvcError } from '${name}'`],
    ['cjs', `const { createClient, SvcError } = require('${name}')`],
  ])('59 is used by a script that is %s, and tells of likely mistakes only under "development"', async (kind, load) => {
    const project = projectWith(name)
    await project.write({
      [`work.${kind}`]: `${load}
async function main([url, apiKey, name]) {
  const svc = createClient({ url, apiKey })
  await svc.collections.create({ name })
  await svc.collection(name).list({ where: { views_gte: 1 } })
  await svc.collection(name).create({ title: 'Tea' })
  const { items } = await svc.collection(name).list()
  const error = await svc.collections.get('missing').catch((error) => error)
  console.log(items.map(({ data }) => data.title).join(), error instanceof SvcError, error.code)
}
main(process.argv.slice(2))`,
    })
    const words = [`work.${kind}`, emulator.url, emulator.apiKey]

    const developed = await project.node('--conditions=development', ...words, `${name}-${kind}-development`)
    const produced = await project.node(...words, `${name}-${kind}`)

    expect(produced.all).toBe('Tea true NOT_FOUND')
    expect(developed.all.split('\n')).toEqual([
      expect.stringMatching(/^svc: No match in ".*-development"\. "views_gte" is read as the name of a field\./),
      'Tea true NOT_FOUND',
    ])
  })

  it('has types for TypeScript 7 under moduleResolution bundler', async () => {
    const options = { module: 'esnext', moduleResolution: 'bundler', skipDefaultLibCheck: true }

    await expectToCompile(projectWith(name), 'types-bundler', { 'app.ts': typed[name] }, options)
  })
})

const useOfTypes = (name: PackageName) => `import { createClient, SvcError } from '${name}'
const svc = createClient<{ posts: { title: string } }>({ url: '', apiKey: '' })
export const created: Promise<{ id: string }> = svc.collection('posts').create({ title: 'Tea' })
export const failure: SvcError = new SvcError('NOT_FOUND', '')
// @ts-expect-error: a title is a text
svc.collection('posts').create({ title: 1 })
// @ts-expect-error: no such collection
svc.collection('pots')
`
const typed: Readonly<Record<PackageName, string>> = {
  'svc-toolkit-client': useOfTypes('svc-toolkit-client'),
  'svc-toolkit': `import { startEmulator } from 'svc-toolkit/emulator'
import { startTestEmulator, type TestProject } from 'svc-toolkit/testing'
import globalSetup from 'svc-toolkit/testing/global-setup'
${useOfTypes('svc-toolkit')}
export const end: Promise<() => Promise<void>> = globalSetup()
export const linkIn = async ({ mail }: TestProject): Promise<string | undefined> => (await mail.waitFor()).link
// @ts-expect-error: no such option
startEmulator({ memry: true })
export const url: Promise<string> = startTestEmulator().then((emulator) => emulator.url)`,
}

describe('both packages in one app', () => {
  it.each([
    ['node', 'commonjs', ['ts']],
    ['node16', 'node16', ['mts', 'cts']],
  ])('have types for TypeScript 5.9 under moduleResolution %s (module %s, %s)', async (resolution, module, kinds) => {
    const files = kinds.flatMap((kind) => names.map((name) => [`${name}.${kind}`, typed[name]] as const))
    const options = { module, moduleResolution: resolution, skipDefaultLibCheck: true }

    const compiler = 'typescript-5.9'
    await expectToCompile(projectWith('svc-toolkit'), resolution, Object.fromEntries(files), options, compiler)
  })

  it('have the same types', async () => {
    const source = `import { createClient, type Client, type Link, SvcError } from 'svc-toolkit-client'
import { aggregate, groupBy } from 'svc-toolkit-client/extensions'
import { createHooks } from 'svc-toolkit-client/react'
import * as toolkit from 'svc-toolkit'
import type { TestProject } from 'svc-toolkit/testing'
interface Schema { posts: { title: string; author: Link<'authors'> }; authors: { name: string } }
type Project = TestProject<Schema>
export const clientOf = ({ client }: Project): Client<Schema> => client
export const projectOf = (project: Project, client: Client<Schema>): Project => ({ ...project, client })
export const opened: toolkit.Client<Schema> = createClient<Schema>({ url: '', apiKey: '' })
export const link = (author: Link<'authors'>): toolkit.Link<'authors'> => author
export const failures: [SvcError, toolkit.SvcError] = [new toolkit.SvcError('NOT_FOUND', ''), new SvcError('NOT_FOUND', '')]
export const hooks = createHooks<Schema>()
export const authors = (client: Client<Schema>) => groupBy(client.collection('posts'), 'author')
export const titles = (client: toolkit.Client<Schema>): Promise<{ readonly count: number }> =>
  aggregate(client.collection('posts'), { count: 'title' })
`
    const files = { 'app.mts': source, 'app.cts': source }
    const options = { module: 'nodenext', jsx: 'react-jsx', skipLibCheck: true }

    await expectToCompile(projectWith('svc-toolkit'), 'together', files, options)
  })

  it('are used by a page that Vite has built', async () => {
    const project = projectWith('svc-toolkit')
    await project.write({
      'vite/.env.local': `VITE_SVC_URL=${emulator.url}\nVITE_SVC_API_KEY=${emulator.apiKey}\n`,
      'vite/index.html': '<script type="module" src="./page.js"></script>',
      'vite/page.js': `import * as client from 'svc-toolkit-client'
import * as toolkit from 'svc-toolkit'
const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env
async function seen({ createClient, SvcError }) {
  const error = await createClient({ url, apiKey }).collection('missing').list().catch((error) => error)
  return [error instanceof SvcError, error.code]
}
document.title = [...(await seen(client)), ...(await seen(toolkit))].join()`,
    })

    const built = await project.node(tool('vite/bin/vite.js'), 'build', 'vite')

    expect(built.exitCode, built.all).toBe(0)
    expect(await textIn(join(project.folder, 'vite', 'dist', 'assets'))).not.toContain('console.warn')
    await titleOf(join(project.folder, 'vite', 'dist'), 'true,NOT_FOUND,true,NOT_FOUND')
  })

  it.each([
    ['mjs', 'const load = (name) => import(name)'],
    ['cjs', 'const load = async (name) => require(name)'],
  ])('start a service for tests, and have the same classes, in a script that is %s', async (kind, load) => {
    const project = projectWith('svc-toolkit')
    await project.write({
      [`together.${kind}`]: `${load}
async function main() {
  const client = await load('svc-toolkit-client')
  const toolkit = await load('svc-toolkit')
  const { groupBy } = await load('svc-toolkit-client/extensions')
  const { groupBy: toolkitGroupBy } = await load('svc-toolkit/extensions')
  const { startEmulator } = await load('svc-toolkit/emulator')
  const { startTestEmulator } = await load('svc-toolkit/testing')
  const emulator = await startTestEmulator()
  const project = await emulator.project()
  const ofHelper = await project.client.collection('missing').list().catch((error) => error)
  const ofClient = await client.createClient(project).collection('missing').list().catch((error) => error)
  const ofExtension = await groupBy(toolkit.createClient(project).collection('missing'), 'name').catch((error) => error)
  await emulator.close()
  console.log(typeof startEmulator)
  console.log(groupBy === toolkitGroupBy, ofExtension.code, ofExtension instanceof client.SvcError)
  console.log(client.SvcError === toolkit.SvcError, client.createClient === toolkit.createClient)
  console.log(ofHelper.constructor === client.SvcError, ofClient.constructor === toolkit.SvcError)
  console.log(ofHelper instanceof client.SvcError, ofClient instanceof toolkit.SvcError)
}
main()`,
    })

    const ran = await project.node(`together.${kind}`)

    expect(ran.all).toBe('function\ntrue NOT_FOUND true\ntrue true\ntrue true\ntrue true')
  })
})

describe('svc-toolkit', () => {
  it('starts an emulator for tests in Jest with its defaults, where the client runs, too', async () => {
    const project = projectWith('svc-toolkit')
    await project.write({
      'helper/package.json': '{}',
      'helper/posts.test.js': `
const { testProject } = require('svc-toolkit/testing')
const { createClient, SvcError } = require('svc-toolkit-client')
test('a test has a project of its own', async () => {
  const { client } = await testProject()
  await client.collections.create({ name: 'posts' })
  expect(await client.collections.list()).toHaveLength(1)
}, 60_000)
test('the client lists notes', async () => {
  const svc = createClient(await testProject())
  await svc.collections.create({ name: 'notes' })
  await svc.collection('notes').create({ title: 'Tea' })
  expect((await svc.collection('notes').list()).items).toMatchObject([{ data: { title: 'Tea' } }])
  await expect(svc.collection('missing').list()).rejects.toThrow(SvcError)
}, 60_000)`,
    })

    const flags = ['--rootDir', `${project.folder}/helper`, '--globalSetup', 'svc-toolkit/testing/global-setup']
    const ran = await project.node(tool('jest/bin/jest.js'), ...flags)

    expect(ran.all).toContain('Tests:       2 passed')
    expect(ran.exitCode).toBe(0)
  })

  it('has stacks in Vitest that name files that exist', async () => {
    const project = projectWith('svc-toolkit')
    await project.write({
      'stacks/posts.test.js': `import { testProject } from 'svc-toolkit/testing'
test('there is no emulator', () => testProject())`,
    })

    const ran = await project.node(tool('vitest/vitest.mjs'), 'run', '--globals', '--dir', 'stacks')

    const text = stripVTControlCharacters(ran.all)
    const named = [...text.matchAll(/❯ .*?([^\s:]+\.[jt]s):\d+:\d+/g)].map(([, path = '']) => path)
    expect(named).toContainEqual(expect.stringContaining('svc-toolkit/dist/'))
    expect(named.filter((path) => !existsSync(join(project.folder, path)))).toEqual([])
  })

  it('brings the command', async () => {
    const project = projectWith('svc-toolkit')

    const version = await project.node('node_modules/.bin/svc', '--version')
    const listed = await project.node(
      ...['node_modules/.bin/svc', 'collections', 'list', '--json'],
      ...['--url', emulator.url, '--key', emulator.apiKey],
    )

    expect(version.stdout).toMatch(/^svc-toolkit\/\d+\.\d+\.\d+ /)
    expect(JSON.parse(listed.stdout)).toBeInstanceOf(Array)
  })

  it.each([
    ['files in S3', '@aws-sdk/client-s3', ['dev', '--memory', '--port', '0', '--files-url', 's3://bucket']],
    ['svc seed generate', '@faker-js/faker', ['seed', 'generate', 'people', '--count', '1']],
    ['a seed module that uses faker', '@faker-js/faker', ['seed', 'seeds/made.mjs']],
  ])('names the package that it needs for %s, and the line that installs it: %s', async (_name, library, words) => {
    const project = projectWith('svc-toolkit')
    const svc = (...more: readonly string[]) => project.node('node_modules/.bin/svc', ...more)
    const service = words[0] === 'dev' ? [] : ['--url', emulator.url, '--key', emulator.apiKey]
    await project.write({ 'seeds/made.mjs': 'export default ({ faker }) => [{ name: faker.person.fullName() }]' })
    if (words.includes('seeds/made.mjs')) await svc('profiles', 'trust')
    if (words.includes('people')) await createClient(emulator).collections.create({ name: 'people' })

    const ran = await svc(...words, ...service, '--json')

    expect(ran.exitCode, ran.all).not.toBe(0)
    expect(ran.all).toContain('"NO_PACKAGE"')
    expect(ran.all).toMatch(new RegExp(`npm install (--save-dev )?${library}`))
  })
})

/** All files of a folder in one text. */
async function textIn(folder: string): Promise<string> {
  const files = await readdir(folder)
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

/** Opens the page of this folder in a real browser, and waits for its title. */
async function titleOf(folder: string, title: string): Promise<void> {
  const server = await serve(async ({ url = '/' }, response) => {
    const path = url === '/' ? '/index.html' : url
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    const content = await readFile(join(folder, path)).catch(() => '')
    response.writeHead(200, { 'content-type': type }).end(content)
  })
  const chromium = await openChromium()
  try {
    const page = await chromium.newPage()
    await page.goto(server.url)
    await page.waitForFunction(`document.title === ${JSON.stringify(title)}`)
  } finally {
    await chromium.close()
    await server.close()
  }
}
