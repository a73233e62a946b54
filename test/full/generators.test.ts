/** Clients that generators make of `/openapi.json`: they compile under `strict`, and work. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestEmulator, type TestEmulator } from '../../emulator/testing/index.js'

let emulator: TestEmulator
let folder: string
/** Why they could not be installed. */
let missing: string | undefined

beforeAll(async () => {
  emulator = await startTestEmulator()
  folder = await mkdtemp(join(tmpdir(), 'svc-generators-'))
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(fileURLToPath(new URL(`generators/${name}`, import.meta.url)), join(folder, name))
  }
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
  await execa('npm', ['ci', ...flags], { cwd: folder }).catch((error: Error) => {
    // Only where the registry is unreachable; any other error is a fault.
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(error.message)) throw error
    missing = 'the registry of packages cannot be reached'
  })
})
beforeEach(({ skip }) => {
  if (missing) skip(missing)
})
afterAll(async () => {
  await emulator?.close()
  await rm(folder, { recursive: true, force: true })
})

/** How each dialect spells a filter, and where its answers have the items. */
const dialects = {
  a: { filter: 'views__gte', in: '', items: '.documents', title: '.data.title' },
  b: { filter: 'views_gte', in: '', items: '', title: '.data.title' },
  c: { filter: 'views__gte', in: '.data', items: '.documents', title: '.title' },
} as const
const names = Object.keys(dialects) as (keyof typeof dialects)[]

type Spelling = (typeof dialects)[keyof typeof dialects]

const printed = (spelling: Spelling) => `
if (!made.data || !listed.data || !stored.data || !login.data) throw new Error(JSON.stringify([made, listed, stored, login]))
const record: Document = made.data${spelling.in}
const titles: unknown[] = listed.data${spelling.in}${spelling.items}.map((one) => one${spelling.title})
const result = login.data${spelling.in}
const status: number | undefined = refused.response?.status
console.log(JSON.stringify([typeof record.id, titles, stored.data${spelling.in}.name, 'token' in result && typeof result.token, status, refused.error]))
// @ts-expect-error: no such field
void record.id.nothing
`

/** With `openapi-fetch`, which speaks the types of `openapi-typescript`. */
const typesApp = (dialect: string, spelling: Spelling) => `
import createClient from 'openapi-fetch'
import type { components, paths } from './${dialect}'
declare const process: { argv: string[] }
type Document = components['schemas']['Document']
const [, , baseUrl = '', apiKey = ''] = process.argv
const querySerializer = { object: { style: 'form', explode: true } } as const
const api = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey, 'svc-dialect': '${dialect}' }, querySerializer })
const path = { collection: 'books' }
await api.POST('/collections', { body: { name: path.collection } })
const made = await api.POST('/collections/{collection}', { params: { path }, body: { title: 'Tea', views: 3 } })
await api.POST('/collections/{collection}', { params: { path }, body: { title: 'Coffee', views: 1 } })
const query = { limit: 5, filters: { ${spelling.filter}: '2' } }
const listed = await api.GET('/collections/{collection}/documents', { params: { path, query } })
const refused = await api.GET('/collections/{collection}/documents', { params: { path: { collection: 'missing' } } })
const form = new FormData()
form.append('file', new File(['Hello'], 'hello.txt'))
const stored = await api.POST('/storage/upload', { body: { file: '' }, bodySerializer: () => form })
const body = { email: 'ada@example.com', password: 'Correct4Horse' }
await api.POST('/auth-collections/signup', { body })
const login = await api.POST('/auth-collections/login', { body })
// @ts-expect-error: no such path
void (() => api.GET('/collection'))
// @ts-expect-error: a limit is a number
void (() => api.GET('/collections/{collection}/documents', { params: { path, query: { limit: 'all' } } }))
${printed(spelling)}`

const sdkApp = (dialect: string, spelling: Spelling) => `
import { client } from './sdk-${dialect}/client.gen'
import { accountsLogIn, accountsSignUp, collectionsCreate, documentsCreate, documentsList, storageUpload } from './sdk-${dialect}'
import type { Document } from './sdk-${dialect}'
declare const process: { argv: string[] }
const [, , baseUrl = '', apiKey = ''] = process.argv
client.setConfig({ baseUrl, headers: { 'x-api-key': apiKey, 'svc-dialect': '${dialect}' } })
const path = { collection: 'books' }
await collectionsCreate({ body: { name: path.collection } })
const made = await documentsCreate({ path, body: { title: 'Tea', views: 3 } })
await documentsCreate({ path, body: { title: 'Coffee', views: 1 } })
const listed = await documentsList({ path, query: { limit: 5, filters: { ${spelling.filter}: '2' } } })
const refused = await documentsList({ path: { collection: 'missing' } })
const stored = await storageUpload({ body: { file: new File(['Hello'], 'hello.txt') } })
const body = { email: 'ada@example.com', password: 'Correct4Horse' }
await accountsSignUp({ body })
const login = await accountsLogIn({ body })
// @ts-expect-error: which collection?
void (() => documentsList({ path: {} }))
// @ts-expect-error: a limit is a number
void (() => documentsList({ path, query: { limit: 'all' } }))
${printed(spelling)}`

test.each(names)('openapi-typescript makes types that a client uses, in dialect %s', async (dialect) => {
  const said = await generateAndRun(dialect, {
    words: ['openapi-typescript/bin/cli.js', `${dialect}.json`, '-o', `${dialect}.d.ts`],
    app: `types-${dialect}.ts`,
    source: typesApp(dialect, dialects[dialect]),
  })

  expect(said).toEqual(['string', ['Tea'], 'hello.txt', 'string', 404, expect.any(Object)])
})

test.each(names)('@hey-api/openapi-ts makes a client, in dialect %s', async (dialect) => {
  const said = await generateAndRun(dialect, {
    words: ['@hey-api/openapi-ts/bin/run.js', '-i', `${dialect}.json`, '-o', `sdk-${dialect}`],
    app: `client-${dialect}.ts`,
    source: sdkApp(dialect, dialects[dialect]),
  })

  expect(said).toEqual(['string', ['Tea'], 'hello.txt', 'string', 404, expect.any(Object)])
})

interface Generated {
  readonly words: readonly [script: string, ...string[]]
  readonly app: string
  readonly source: string
}

/** The output of the app that uses the generated client, in a project of its own. */
async function generateAndRun(dialect: string, { words, app, source }: Generated): Promise<unknown> {
  const [script, ...rest] = words
  const description = await (await fetch(`${emulator.url}/openapi.json?dialect=${dialect}`)).text()
  await writeFile(join(folder, `${dialect}.json`), description)
  const run = (...all: readonly string[]) => execa(process.execPath, all, { cwd: folder, all: true })
  await run(`node_modules/${script}`, ...rest)
  await writeFile(join(folder, app), source)
  const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'esnext']
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--moduleResolution', 'bundler', ...target]
  await run('node_modules/typescript/bin/tsc', ...options, app)
  const bundle = await rolldown({ input: join(folder, app), cwd: folder, platform: 'node' })
  await bundle.write({ file: join(folder, `${app}.mjs`), format: 'esm', codeSplitting: false })
  await bundle.close()
  const { url, apiKey } = await emulator.newProject()
  return JSON.parse((await run(`${app}.mjs`, url, apiKey)).stdout)
}
