import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  circlesIn,
  filesOf,
  type Import,
  importsOf,
  reachedFrom,
  read,
  root,
  withoutComments,
} from '../fixtures/packages/imports.js'

/** "Who may import whom" of docs/architecture.md: floors by their folder, `node:` and packages by name. The longest folder that fits counts. */
const floors: Readonly<Record<string, readonly string[]>> = {
  'client/protocol/model': ['client/protocol/model'],
  'client/protocol/wire': ['client/protocol/wire', 'client/protocol/model'],
  'client/protocol/control': ['client/protocol/control', 'client/protocol/wire', 'client/protocol/model', 'zod'],
  'client/react': ['client', 'react'],
  client: ['client'],
  'emulator/core': [
    'emulator/pages/html.ts',
    'emulator/core',
    'emulator/store',
    'emulator/database/port.ts',
    'emulator/ports/files/port.ts',
    'emulator/idp/provider.ts',
    'client/protocol/model',
    'node:',
    'jose',
    'otplib',
    'qr',
  ],
  'emulator/pages': ['emulator/pages', 'node:'],
  'emulator/store': ['emulator/store', 'emulator/database/port.ts', 'client/protocol/model', 'node:crypto'],
  'emulator/database': [
    'emulator/database',
    'client/protocol/model',
    'node:',
    'pg',
    'pg-protocol',
    '@electric-sql/pglite',
    'modern-tar',
  ],
  'emulator/http': [
    'emulator/http',
    'emulator/core',
    'ws',
    'client/protocol/control',
    'client/protocol/wire',
    'client/protocol/model',
    'emulator/pages',
    'emulator/version.ts',
    'emulator/addresses.ts',
    'node:',
    'express',
    'find-my-way',
    'multer',
    'zod',
    'pino',
  ],
  'emulator/ports/bus': [
    'emulator/ports/bus',
    'emulator/store',
    'emulator/database/port.ts',
    'emulator/database/postgres/connect.ts',
    'emulator/database/postgres/server-address.ts',
    'emulator/database/postgres/session-settings.ts',
    'node:',
  ],
  'emulator/ports/limits': ['emulator/ports/limits', 'emulator/store', 'emulator/database/port.ts'],
  'emulator/ports/passwords': [
    'emulator/ports/passwords',
    'emulator/core/concurrency/fair-queue.ts',
    'client/protocol/model',
    'node:',
    'bcryptjs',
    '@node-rs/bcrypt',
  ],
  'emulator/idp': [
    'emulator/pages',
    'emulator/idp',
    'emulator/store',
    'emulator/database/port.ts',
    'client/protocol/model',
    'node:',
    'jose',
    'openid-client',
  ],
  'emulator/ports/mail': [
    'emulator/ports/mail',
    'emulator/core/concurrency/in-flight.ts',
    'emulator/store',
    'emulator/database/port.ts',
    'client/protocol/model',
    'node:',
    'nodemailer',
  ],
  'emulator/ports/files': [
    'emulator/ports/files',
    'emulator/core/concurrency/in-flight.ts',
    'emulator/database/start-error.ts',
    'client/protocol/model',
    'node:',
    '@aws-sdk/client-s3',
  ],
  'emulator/serving': ['emulator', 'client/protocol/model', 'node:', 'prom-client'],
  'emulator/testing': ['emulator/testing', 'emulator/testing.ts', 'client', 'seeds/fetch-over-http.ts'],
  emulator: [
    'emulator',
    'client/control.ts',
    'client/index.ts',
    'client/types.ts',
    'client/protocol/wire',
    'client/protocol/model',
    'seeds',
    'node:',
  ],
  seeds: ['seeds', 'client', 'node:', 'package'],
  cli: ['cli', 'seeds', 'client', 'node:', 'package'],
  dashboard: ['dashboard', 'client', 'package'],
}

/** The commands that run the service themselves, or read its files; they load it when they need it. */
const startsTheEmulator = /^cli\/(commands\/(dev|exec|serve|serve\/(check|resync|rotate))\.ts|(dev|doctor|serve)\/.*)$/

const rooms = ['client', 'emulator', 'seeds', 'cli', 'dashboard', 'test', 'scripts', 'bench']
const files = filesOf(...rooms)
const sources = filesOf('client', 'emulator', 'seeds', 'cli', 'dashboard').filter((file) => !/\.test\.ts$/.test(file))
const imports = sources.flatMap((file) => importsOf(file, sources))

test('every floor imports only what it may', () => {
  const strangers = imports.filter(({ file, target, isOfTypes }) => {
    if (target.startsWith('emulator/') && startsTheEmulator.test(file)) return false
    // The generated help and the package's own version are data.
    if (target === 'package.json') return false
    return !mayImport(file, target) && !(isOfTypes && isPortOf(file, target))
  })

  expect(strangers.map(({ line }) => line)).toEqual([])
})

test('the command line opens the emulator lazily, in the commands that start it', () => {
  const imported = imports.filter(({ file, target }) => file.startsWith('cli/') && target.startsWith('emulator/'))

  expect(imported.filter(({ isLazy, isOfTypes }) => !isLazy && !isOfTypes).map(({ line }) => line)).toEqual([])
})

test('express is known in http only, database drivers in database only', () => {
  const owners = {
    express: ['emulator/http/'],
    // The bus listens on a connection of its own.
    pg: ['emulator/database/', 'emulator/ports/bus/'],
    '@electric-sql/pglite': ['emulator/database/'],
  }

  for (const [name, rooms] of Object.entries(owners)) {
    const users = imports.filter(({ target }) => target === name).map(({ file }) => file)
    expect(users).not.toEqual([])
    expect(users.filter((file) => !rooms.some((room) => file.startsWith(room)))).toEqual([])
  }
})

test('node:http is loaded by getBuiltinModule, since an import of it loads fetch as well from Node 22 on', () => {
  const loaded = imports.filter(({ target, isOfTypes }) => target === 'node:http' && !isOfTypes)

  expect(loaded.map(({ line }) => line)).toEqual([])
})

test('SQL is written in store and database only', () => {
  const statement = /\bsql`|['"`]\s*(select|insert into|update|delete from|create table|alter table)\s+\w/i

  const writers = sources.filter((file) => statement.test(withoutComments(read(file))))

  // Queries that the control API's `sql` parses before anything runs.
  const shown = /^(cli\/commands\/sql\.ts|dashboard\/)/
  expect(writers.filter((file) => !/^emulator\/(store|database)\//.test(file) && !shown.test(file))).toEqual([])
})

test('the client has no dependencies and needs no Node, apart from the control contract (zod) and the hooks (react)', () => {
  const outside = imports.filter(({ file, target }) => file.startsWith('client/') && !target.startsWith('client/'))
  const isKnown = ({ file, target }: Import) =>
    (file.startsWith('client/protocol/control/') && target === 'zod') ||
    (file.startsWith('client/react/') && target === 'react')

  expect(outside.filter((line) => !isKnown(line)).map(({ line }) => line)).toEqual([])
})

test('the published client knows nothing of the control API, not even a type', () => {
  const reached = [...reachedFrom(['client/index.ts', 'client/development.ts'], imports)]

  expect(reached).toContain('client/send.ts')
  expect(reached.filter((target) => /^(client\/control\.ts|client\/protocol\/control\/.*|zod)$/.test(target))).toEqual(
    [],
  )
})

test('no command loads zod before it is needed', () => {
  const commands = sources.filter((file) => /^cli\/(start\.ts|overview\.ts|commands\/|hooks\/)/.test(file))
  const loaded = imports.filter(({ isOfTypes }) => !isOfTypes)

  const reached = reachedFrom(commands, loaded)

  expect([...reached]).toContain('client/control.ts')
  expect([...reached].filter((target) => target === 'zod')).toEqual([])
})

test('a circle of files is found, and a lazy import closes none', () => {
  const edge = (file: string, target: string, isLazy = false) => ({ file, target, isLazy, line: '', isOfTypes: true })
  const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('d', 'a'), edge('e', 'f'), edge('f', 'e', true)]

  expect(circlesIn(edges)).toEqual([['a', 'b', 'c']])
})

test('files import one another in no circle, not even for types', () => {
  expect(circlesIn(imports)).toEqual([])
})

test.skipIf(!existsSync(join(root, '.git')))('what is read here are all files that git lists', () => {
  const listed = execFileSync('git', ['ls-files', ...rooms], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|tsx|js)$/.test(file) && existsSync(join(root, file)))

  expect(listed.length).toBeGreaterThan(500)
  expect(listed.filter((file) => !files.includes(file))).toEqual([])
})

test('durations are measured by a clock that never jumps: Date.now() only reads moments', () => {
  const readsMoments = [
    // The client has no bytes to spare: a token's life is by this clock, too, and `onResponse` only informs.
    ...['client/auth/auth-state.ts', 'client/auth/session.ts', 'client/send.ts', 'dashboard/parts/time.tsx'],
    ...['emulator/core/realtime/readers.ts', 'emulator/database/postgres/facts.ts', 'emulator/ports/files/s3.ts'],
    ...['emulator/http/requests/capture.ts', 'emulator/serving/hang-thread.js', 'emulator/serving/uncaught.ts'],
  ]
  const ours = files.filter((file) => /^(client|cli|dashboard|emulator|seeds)\//.test(file) && !file.includes('.test.'))

  expect(ours.filter((file) => withoutComments(read(file)).includes('Date.now()')).sort()).toEqual(readsMoments.sort())
})

test('no folder is read with all that is below it by readdirSync, which goes into links from Node 22.12 on', () => {
  const recursive = /readdirSync\([^)]*\brecursive\b/

  expect(sources.filter((file) => recursive.test(withoutComments(read(file))))).toEqual([])
})

/** A large file or folder asks whether two subjects are mixed. It never fails the test: nothing is split only to fit. */
test('large files and folders are reported', () => {
  const large = files.filter((file) => read(file).trimEnd().split('\n').length > 500)
  const counts = new Map<string, number>()
  for (const folder of files.map((file) => dirname(file))) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  const full = [...counts].filter(([, count]) => count > 40).map(([folder]) => folder)

  if (large.length + full.length > 0) console.warn(`Over 500 lines or 40 files: ${[...large, ...full].join(', ')}`)
})

test('fewer than ten places assert a type that the compiler cannot see', () => {
  const asserting = files.flatMap((file) => [...read(file).matchAll(/\bas unknown as\b/g)].map(() => file))

  expect(asserting.length).toBeLessThan(10)
})

test('files are named in kebab-case', () => {
  expect(files.filter((file) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.[a-z]+)+$/.test(file))).toEqual([])
})

function mayImport(file: string, target: string): boolean {
  const floor = Object.keys(floors)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort((one, other) => other.length - one.length)[0]
  const kind = isPackage(target) && !target.startsWith('node:') ? 'package' : ''
  return (floors[floor ?? ''] ?? []).some(
    (allowed) =>
      target === allowed ||
      target.startsWith(`${allowed}/`) ||
      (allowed.endsWith(':') && target.startsWith(allowed)) ||
      allowed === kind,
  )
}

/** The core may name the types of a port, whose adapters it never sees. */
function isPortOf(file: string, target: string): boolean {
  const ports = [
    'emulator/ports/passwords/port.ts',
    'emulator/ports/files/port.ts',
    'emulator/ports/bus/port.ts',
    'emulator/ports/limits/port.ts',
    'emulator/ports/mail/port.ts',
    'emulator/idp/provider.ts',
  ]
  return file.startsWith('emulator/core/') && ports.includes(target)
}

function isPackage(target: string): boolean {
  return !/^(client|emulator|seeds|cli|dashboard)\//.test(target)
}
