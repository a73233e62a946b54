import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'
import { type FakeAnswer, type FakeService, failure, openFakeService } from '../fake-service.js'

// A write to a service that is not on this machine is asked about: product promise 3, for every command that writes.

const id = '01999999-9999-7999-8999-999999999999'
const password = ['--password', 'Correct4Horse']
const asAda = ['ada@example.com', '--token', 'x.y.z']

/** What each writes there; a command may write by several ways. */
const writes: readonly (readonly string[])[] = [
  ['api', 'POST', '/collections/posts', 'a=b'],
  ['collections', 'create', 'drafts'],
  ['collections', 'delete', 'posts'],
  ['collections', 'permissions', 'posts', '--open', 'read'],
  ['collections', 'rename', 'posts', 'articles'],
  ['collections', 'schema', 'posts', '--clear'],
  ['collections', 'schema', 'infer', 'posts', '--apply'],
  ['dialects', 'detect', '--write'],
  ['docs', 'batch', 'posts', '-f', 'operations.ndjson'],
  ['docs', 'create', 'posts', 'a=b'],
  ['docs', 'delete', 'posts', id],
  ['docs', 'delete', 'posts', '--where', 'text=Hi'],
  ['docs', 'edit', 'posts', id],
  ['docs', 'import', 'posts', 'rows.ndjson'],
  ['docs', 'migrate', 'posts', 'migration.mjs'],
  ['docs', 'replace', 'posts', id, 'a=b'],
  ['docs', 'update', 'posts', id, 'a=b'],
  ['docs', 'update', 'posts', '--where', 'text=Hi', 'a=b'],
  ['files', 'delete', id],
  ['files', 'delete', '--folder', 'letters'],
  ['files', 'upload', 'rows.ndjson'],
  ['push', '--force'],
  ['seed'],
  ['seed', 'generate', 'posts', '--count', '2'],
  ['users', '2fa', 'disable', ...asAda, '--code', '123456'],
  ['users', '2fa', 'enable', ...asAda],
  ['users', '2fa', 'verify', ...asAda, '123456'],
  ['users', 'logout', ...asAda],
  ['users', 'password', 'change', ...asAda, ...password, '--new-password', 'New4Horses'],
  ['users', 'password', 'request-reset', 'ada@example.com'],
  ['users', 'password', 'reset', '--token', 'x', '--new-password', 'New4Horses'],
  ['users', 'signup', 'ada@example.com', ...password],
  ['users', 'verify', ...asAda],
]

/** A login writes nothing but its session. */
const logins: readonly (readonly string[])[] = [
  ['idp', 'callback', 'google', '--code', 'x', '--state', 'x'],
  ['idp', 'url', 'google', '--redirect-url', 'http://localhost:5173'],
  ['users', 'login', 'ada@example.com', ...password],
]

/** What only reads there, or is the owner's at the emulator of the folder alone. */
const others: readonly (readonly string[])[] = [
  ['collections', 'check'],
  ['collections', 'get', 'posts'],
  ['collections', 'list'],
  ['diff'],
  ['docs', 'count', 'posts'],
  ['docs', 'export', 'posts', '--out', 'posts.ndjson'],
  ['docs', 'get', 'posts', id],
  ['docs', 'list', 'posts'],
  ['docs', 'transfer', 'posts', id, '--no-owner'],
  ['files', 'download', 'letters'],
  ['files', 'info'],
  ['files', 'list'],
  ['openapi'],
  ['profiles', 'add', 'staging'],
  ['pull'],
  ['tail', 'posts', '--transport', 'sse', '--timeout', '0'],
  ['types', 'generate', '--out', '-'],
  ['users', '2fa', 'code', 'ada@example.com'],
  ['users', 'delete', 'ada@example.com'],
  ['users', 'get', 'ada@example.com'],
  ['users', 'list'],
  ['users', 'token', 'ada@example.com'],
  ['users', 'update', 'ada@example.com', '--role', 'a', 'username=ada'],
  ['wait', '--timeout', '0'],
  ['whoami'],
]

type Commands = Record<string, { flags: Record<string, unknown> }>
const manifest = fileURLToPath(new URL('../../../oclif.manifest.json', import.meta.url))
const { commands }: { commands: Commands } = JSON.parse(readFileSync(manifest, 'utf8'))
const elsewhere = Object.keys(commands).filter((name) => Object.hasOwn(commands[name]?.flags ?? {}, 'url'))

let world: World
let there: FakeService
let here: FakeService
let target: readonly string[]

beforeAll(async () => {
  world = await openWorld()
  there = await openFakeService(answer('Hi'))
  here = await openFakeService(answer('Ho'))
  // It leads to this machine, but no rule says that it always does.
  target = ['--url', there.url.replace('127.0.0.1', '0.0.0.0'), '--key', 'svc_key_x']
  const { url } = here
  const info = { url, wsUrl: url.replace(/^http/, 'ws'), storageUrl: `${url}/files`, dashboardUrl: `${url}/_svc/` }
  const own = { projectId: 'x', apiKey: 'svc_key_x', controlToken: 'x', pid: 99_999_999, dataDir: null, version: '1' }
  await mkdir(join(world.folder, '.svc'))
  const files = {
    '.svc/emulator.json': JSON.stringify({ ...info, ...own }),
    'editor.mjs': `import { readFileSync, writeFileSync } from 'node:fs'
const [file] = process.argv.slice(-1)
writeFileSync(file, readFileSync(file, 'utf8').replace('Hi', 'Bye'))`,
    'migration.mjs': 'export default ({ data }) => ({ ...data, seen: true })',
    'operations.ndjson': '{"op":"create","data":{"a":1}}\n',
    'rows.ndjson': '{"a":1}\n',
    'seed.json': '{"collections":{"drafts":{"documents":[{"a":1}]}}}',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(world.folder, name), text)
})
afterAll(async () => {
  there.close()
  here.close()
  await world.close()
})

const written = () =>
  there.asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
const run = (words: readonly string[], ...more: string[]) => {
  const env = { EDITOR: `${process.execPath} editor.mjs`, SVC_TRUST_CODE: '1' }
  return world.svc([...words, ...target, ...more], { env })
}

let before = 0
beforeEach(() => {
  before = written().length
})
const writtenSince = () => written().slice(before)

test('every command that can be sent to another service is in one of the tables', () => {
  const named = (words: readonly string[]) =>
    [3, 2, 1].map((length) => words.slice(0, length).join(':')).find((name) => Object.hasOwn(commands, name))

  const tried = new Set([...writes, ...logins, ...others].map(named))

  expect([...tried].sort()).toEqual(elsewhere.sort())
})

describe('at a service on another machine, without a terminal', () => {
  test.each(writes.map((words) => [words.join(' '), words]))(
    'svc %s writes nothing without --yes',
    async (_, words) => {
      const ran = await run(words)

      expect(ran.stderr).toContain('There is no terminal to ask at.')
      expect(ran.stderr).toContain(' on 0.0.0.0:')
      expect([ran.exit, writtenSince()]).toEqual([2, []])
    },
  )

  test.each(writes.map((words) => [words.join(' '), words]))('svc %s writes with --yes', async (_, words) => {
    await run(words, '--yes')

    expect(writtenSince()).not.toEqual([])
  })

  test.each(others.map((words) => [words.join(' '), words]))('svc %s writes nothing at all', async (_, words) => {
    await run(words, '--yes')

    expect(writtenSince()).toEqual([])
  })
})

/** As much of a service as each command reads before it writes: a collection "posts" with a document of that text. */
function answer(text: string): (request: { method: string; path: string }) => FakeAnswer {
  const document = {
    id,
    data: { text },
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    version: 1,
  }
  const collection = {
    id,
    name: 'posts',
    schema: {},
    permissions: { create: [], update: [], delete: [] },
    document_count: 1,
  }
  const user = { id, email: 'ada@example.com', roles: [], data: {} }
  const file = { id, name: 'a.txt', path: '/letters', url: 'http://127.0.0.1:1/a.txt', size: 1, mimeType: 'text/plain' }
  const lists = { documents: [document], users: [user], files: [file], total: 1, limit: 20, offset: 0 }
  return ({ method, path }) => {
    if (path === '/collections' && method === 'GET') return { body: [collection] }
    if (path.startsWith('/realtime')) return failure(403, 'FORBIDDEN', 'No.')
    if (path.startsWith('/collections/drafts') || path.includes('id__gt'))
      return { body: { ...collection, ...lists, documents: [], total: 0 } }
    return { body: { ...collection, ...user, ...document, user, count: 1, token: 'x.y.z', ...lists } }
  }
}
