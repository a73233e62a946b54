import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { arrows, drawingIn, findFloor, floors, isNamedIn } from '../../scripts/floors.js'
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

/** The commands that run the service themselves, or read its files; they load it when they need it. */
const startsTheEmulator = /^cli\/(commands\/(dev|exec|serve|serve\/(check|resync|rotate))\.ts|(dev|doctor|serve)\/.*)$/

const rooms = ['client', 'emulator', 'seeds', 'types', 'cli', 'dashboard', 'test', 'scripts', 'bench']
const files = filesOf(...rooms)
const sources = filesOf('client', 'emulator', 'seeds', 'types', 'cli', 'dashboard').filter(
  (file) => !/\.test\.ts$/.test(file),
)
const imports = sources.flatMap((file) => importsOf(file, sources))
const listed = existsSync(join(root, '.git'))
  ? execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  : undefined

test('every floor imports only what it may', () => {
  const strangers = imports.filter(({ file, target, isOfTypes }) => {
    if (target.startsWith('emulator/') && startsTheEmulator.test(file)) return false
    // The generated help and the package's own version are data.
    if (target === 'package.json') return false
    return !mayImport(file, target, isOfTypes)
  })

  expect(strangers.map(({ line }) => line)).toEqual([])
})

test('every source file stands on a floor, and every floor is there', () => {
  expect(sources.filter((file) => findFloor(file) === undefined)).toEqual([])

  const paths = Object.values(floors).flatMap(({ at }) => at)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('no floor imports one that is above it', () => {
  expect(circlesIn([...arrows()].flatMap(([file, targets]) => targets.map((target) => edge(file, target))))).toEqual([])
})

test('docs/architecture.md draws the floors as they are', () => {
  const text = read('docs/architecture.md')

  expect(text === drawingIn(text), 'Draw them again with "npm run docs".').toBe(true)
})

test('a page of the dashboard imports no other page', () => {
  const pageOf = (file: string) => /^dashboard\/pages\/([^/]+)\//.exec(file)?.[1]
  const others = imports.filter(({ file, target }) => {
    const [page, other] = [pageOf(file), pageOf(target)]
    return page !== undefined && other !== undefined && page !== other
  })

  expect(others.map(({ line }) => line)).toEqual([])
})

test.skipIf(!listed)('every relative import leads to a file that git lists', () => {
  const lost = imports.filter(({ target, isRelative }) => isRelative && !listed?.includes(target))

  expect(imports.filter(({ target }) => target.endsWith('.tsx')).length).toBeGreaterThan(200)
  expect(lost.map(({ line }) => line)).toEqual([])
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
  // Help texts begin with "update" and "select", too.
  const statement =
    /\bsql`|['"`]\s*(select\s[^'"`]*\sfrom|insert into|update \w+ set|delete from|create table|alter table)\s/i

  const writers = sources.filter((file) => statement.test(withoutComments(read(file))))

  // Queries that the control API's `sql` parses before anything runs.
  const shown = /^(cli\/commands\/sql\.ts|dashboard\/)/
  expect(writers.filter((file) => !/^emulator\/(store|database)\//.test(file) && !shown.test(file))).toEqual([])
})

test('the client has no dependencies and needs no Node, apart from the control contract (zod) and the layers for frameworks', () => {
  const outside = imports.filter(({ file, target }) => file.startsWith('client/') && !target.startsWith('client/'))
  const isKnown = ({ file, target }: Import) => {
    if (file.startsWith('client/protocol/control/')) return target === 'zod'
    const [name = ''] = target.split('/')
    return ['react', 'svelte', 'vue'].includes(name) && file.startsWith(`client/${name}/`)
  }

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
  const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('d', 'a'), edge('e', 'f'), edge('f', 'e', true)]

  expect(circlesIn(edges)).toEqual([['a', 'b', 'c']])
})

test('files import one another in no circle, not even for types', () => {
  expect(circlesIn(imports)).toEqual([])
})

test.skipIf(!listed)('what is read here are all files that git lists', () => {
  const modules = listed?.filter(
    (file) => rooms.includes(file.split('/')[0] ?? '') && /\.(ts|tsx|js)$/.test(file) && existsSync(join(root, file)),
  )

  expect(modules?.length).toBeGreaterThan(500)
  expect(modules?.filter((file) => !files.includes(file))).toEqual([])
})

test('durations are measured by a clock that never jumps: Date.now() only reads moments', () => {
  const readsMoments = [
    // The client has no bytes to spare: a token's life is by this clock, too, and `onResponse` only informs.
    ...['client/auth/auth-state.ts', 'client/auth/session.ts', 'client/send.ts', 'client/server.ts'],
    ...['client/offline/database.ts', 'client/offline/queue.ts', 'client/offline/sending.ts'],
    ...['dashboard/parts/time.tsx', 'emulator/core/realtime/feed.ts'],
    ...['emulator/database/postgres/facts.ts', 'emulator/ports/files/s3.ts'],
    // A release is looked up once a day.
    ...['cli/commands/update.ts', 'cli/update/notice.ts'],
    ...['emulator/http/requests/capture.ts', 'emulator/serving/hang-thread.js', 'emulator/serving/uncaught.ts'],
  ]
  const ours = files.filter(
    (file) => /^(client|cli|dashboard|emulator|seeds|types)\//.test(file) && !file.includes('.test.'),
  )

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

function edge(file: string, target: string, isLazy = false): Import {
  return { file, target, isLazy, line: '', isOfTypes: false, isRelative: true }
}

function mayImport(file: string, target: string, isOfTypes: boolean): boolean {
  const name = findFloor(file)
  const floor = floors[name ?? '']
  const targetName = findFloor(target) ?? target
  if (!floor || name === targetName) return floor !== undefined
  const allowed = [...floor.imports, ...(isOfTypes ? (floor.types ?? []) : [])]
  if (isNamedIn(allowed, targetName)) return true
  return targetName.startsWith('node:')
    ? allowed.includes('node:')
    : allowed.includes('packages') && findFloor(target) === undefined
}
