import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient, type Fields } from '../../client/index.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from './command-line.js'

// The types of this shop are saved in test/fixtures/types, and used by test/cli/generated-types.test.ts.

let world: World
let svc: Client
let svcUrl = ''
let publicKey = ''

beforeAll(async () => {
  world = await openWorld()
  const { url, apiKey } = await world.useEmulator()
  svcUrl = url
  publicKey = apiKey
  svc = createClient({ url, apiKey })
  const customers = await fill('customers', [
    { name: 'Ada', email: 'ada@example.com', site: 'https://ada.example/' },
    { name: 'Bob', email: 'bob@example.com', since: '2026-01-31' },
  ])
  const products = await fill(
    'products',
    [0, 1, 2, 3, 4, 5].map((at) => ({
      title: `Tea ${at}`,
      price: { amount: 2.5 + at, currency: at % 2 === 0 ? 'CHF' : 'EUR' },
      stock: { '2026-01-01': at, '2026-02-01': at + 1 },
      sku: at % 3 === 0 ? at + 0.5 : `sku-${at}`,
    })),
  )
  await fill(
    'orders',
    products.map((product, at): Fields => {
      const lines: Fields[] = [
        { product, count: at + 1 },
        { product, count: 1, note: `note ${at}` },
      ]
      const paidAt = at % 2 === 0 ? null : `2026-01-0${at}T12:00:00.000Z`
      const status = at % 2 === 0 ? 'open' : 'paid'
      return { customer: customers[at % 2] ?? null, lines, status, paidAt, 'gift-wrap': at > 2, parent: null }
    }),
  )
  await svc.collections.create({ name: 'empty' })
  await createClient({ url, apiKey }).auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
})
afterAll(() => world.close())

/** Creates a collection of these documents, and answers their ids. */
async function fill(name: string, documents: readonly Fields[]): Promise<string[]> {
  await svc.collections.create({ name })
  return (await svc.collection(name).createMany([...documents])).map(({ id }) => id)
}

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/types/${name}`, import.meta.url)), 'utf8')
const written = (name: string) => readFileSync(join(world.folder, name), 'utf8')

test.each([
  ['shop.ts', []],
  ['shop-zod.ts', ['--format', 'zod']],
  ['shop.json', []],
])('svc types generate writes %s', async (name, flags) => {
  const ran = await world.svc(['types', 'generate', '--out', name, ...flags])

  expect(ran).toMatchObject({ exit: 0, stdout: '', stderr: `Wrote ${name}.\n` })
  if (name.endsWith('.json')) expect(JSON.parse(written(name))).toEqual(JSON.parse(fixture(name)))
  else expect(written(name)).toBe(fixture(name))
  // A file with the same content is not written.
  const { mtimeMs } = statSync(join(world.folder, name))
  expect(await world.svc(['types', 'generate', '--out', name, ...flags])).toMatchObject({
    stderr: `${name} is up to date.\n`,
  })
  expect(statSync(join(world.folder, name)).mtimeMs).toBe(mtimeMs)
})

test('svc types generate writes into src where there is one, and takes the package that the app has', async () => {
  mkdirSync(join(world.folder, 'app/src'), { recursive: true })
  writeFileSync(join(world.folder, 'app/package.json'), '\ufeff{"devDependencies":{"svc-toolkit":"*"}}')
  const ran = await execa(process.execPath, [bin, 'types', 'generate'], {
    ...{ cwd: join(world.folder, 'app'), env: cleanEnv(world.folder), extendEnv: false, timeout: hungMilliseconds },
  })

  expect(ran.stderr).toBe('Wrote src/svc-types.ts.')
  expect(written('app/src/svc-types.ts')).toContain("import type { DateTime, Fields, Link } from 'svc-toolkit'\n")
})

test('svc types generate --out - prints them, and takes the collections that it is given', async () => {
  const { stdout } = await world.svc(['types', 'generate', 'products', '--out', '-'])
  expect(stdout).toContain('export interface Schema {\n  products: Product\n}\n')
  expect(await world.svc(['types', 'generate', 'product', '--out', '-'])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('Did you mean "products"?'),
  })
})

test('svc types generate says as JSON what it read', async () => {
  expect(await world.json(['types', 'generate', 'orders', 'products', '--out', 'two.ts', '--sample', '4'])).toEqual({
    file: 'two.ts',
    format: 'typescript',
    isChanged: true,
    collections: [
      { name: 'orders', documents: 6, read: 4 },
      { name: 'products', documents: 6, read: 4 },
    ],
  })
})

test('svc types generate reads a sample of a large collection from both ends, and says so', async () => {
  const ends: Record<number, Fields> = { 0: { first: 1 }, 15: { middle: 1 }, 29: { last: 1 } }
  await fill(
    'readings',
    Array.from({ length: 30 }, (_, at) => ({ value: at, ...ends[at] })),
  )

  const sample = await world.svc(['types', 'generate', 'readings', '--sample', '10', '--out', '-'])
  expect(sample.stdout).toContain('first?: number')
  expect(sample.stdout).toContain('last?: number')
  expect(sample.stdout).not.toContain('middle')
  expect(sample.stderr).toBe('Read 10 of 30 documents in "readings". To read all, pass --all.\n')
  expect((await world.svc(['types', 'generate', 'readings', '--all', '--out', '-'])).stdout).toContain(
    'middle?: number',
  )
  await svc.collections.delete('readings')
})

test('a union that a sample suggests where names are data is text, since nothing can be asked about all of them', async () => {
  const vote = (at: number) => (at >= 10 && at < 30 ? 'maybe' : at % 2 === 0 ? 'yes' : 'no')
  // More than the 1,000 names of one object that are kept.
  const words = (at: number) =>
    Object.fromEntries(Array.from({ length: 150 }, (_, word) => [`${at}-${word}`, vote(at)]))
  await fill(
    'ballots',
    Array.from({ length: 40 }, (_, at) => ({
      ...{ kind: vote(at) === 'no' ? 'a' : 'b', votes: { [at]: vote(at) }, rounds: [{ [at]: vote(at) }] },
      ...{ words: words(at), people: { [at]: { vote: vote(at) } } },
    })),
  )

  const { stdout } = await world.svc(['types', 'generate', 'ballots', '--sample', '20', '--out', '-'])

  expect(stdout).toContain("  kind: 'a' | 'b'\n")
  expect(stdout).toContain('  votes: Record<string, string>\n')
  expect(stdout).toContain('  rounds: Record<string, string>[]\n')
  expect(stdout).toContain('  words: Record<string, string>\n')
  expect(stdout).toContain('  vote: string\n')
  const all = await world.svc(['types', 'generate', 'ballots', '--out', '-'])
  expect(all.stdout).toContain("  words: Record<string, 'maybe' | 'no' | 'yes'>\n")
  await svc.collections.delete('ballots')
})

test('a union that a sample suggests is one only if no document has another text', async () => {
  await fill(
    'cities',
    Array.from({ length: 40 }, (_, at) => ({
      country: at < 10 ? 'AD' : at < 30 ? `X${at}` : 'ZW',
      kind: at % 2 === 0 ? 'town' : 'village',
      place: { side: at % 2 === 0 ? 'left' : 'right' },
      tags: [at < 10 || at >= 30 ? 'old' : `tag ${at}`, 'any'],
    })),
  )

  const { stdout } = await world.svc(['types', 'generate', 'cities', '--sample', '20', '--out', '-'])

  expect(stdout).toContain('  country: string\n')
  expect(stdout).toContain("  kind: 'town' | 'village'\n")
  expect(stdout).toContain("  side: 'left' | 'right'\n")
  expect(stdout).toContain('  tags: string[]\n')
  await svc.collections.delete('cities')
})

test('svc types generate --check exits with 10 and a difference, and writes nothing', async () => {
  expect(await world.svc(['types', 'generate', '--check', '--out', 'checked.ts'])).toMatchObject({
    exit: 10,
    stderr: 'checked.ts does not exist. Write it: svc types generate --out checked.ts\n',
  })
  expect(existsSync(join(world.folder, 'checked.ts'))).toBe(false)
  await world.svc(['types', 'generate', '--out', 'checked.ts'])
  expect(await world.svc(['types', 'generate', '--check', '--out', 'checked.ts'])).toMatchObject({
    exit: 0,
    stdout: '',
  })
  await svc.collection('empty').create({ colour: 'red' })

  const ran = await world.svc(['types', 'generate', '--check', '--out', 'checked.ts'])

  expect(ran.exit).toBe(10)
  expect(ran.stdout).toContain('-export type Empty = Fields\n+export interface Empty {\n+  colour: string\n+}')
  expect(written('checked.ts')).toContain('export type Empty = Fields')
  expect(await world.json(['types', 'generate', '--check', '--out', 'checked.ts'])).toMatchObject({
    isUpToDate: false,
    difference: expect.stringContaining('+  colour: string'),
  })
  await svc.collections.delete('empty')
})

test('svc types generate writes over nothing that it did not write', async () => {
  writeFileSync(join(world.folder, 'own.ts'), 'export const own = 1\n')
  expect(await world.svc(['types', 'generate', '--out', 'own.ts'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('"own.ts" was not generated by svc types generate. Overwrite it?'),
  })
  expect(written('own.ts')).toBe('export const own = 1\n')
  expect((await world.svc(['types', 'generate', '--out', 'own.ts', '--yes'])).exit).toBe(0)
  expect(await world.svc(['types', 'generate', '--out', 'own.ts/below.ts'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('"own.ts/below.ts" cannot be read'),
  })
})

test('svc types generate --watch follows documents, schemas and collections', async () => {
  const watching = execa(process.execPath, [bin, 'types', 'generate', '--watch', '--json', '--out', 'watched.ts'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, timeout: hungMilliseconds },
  })
  let lines = ''
  watching.stdout.on('data', (piece) => {
    lines += piece
  })
  const says = (text: string) =>
    expect.poll(() => existsSync(join(world.folder, 'watched.ts')) && written('watched.ts')).toContain(text)
  await says('export interface Order {')

  await fill('notes', [{ text: 'Hello' }])
  await says('export interface Note {\n  text: string\n}')
  await svc.collection('notes').create({ text: 'Hello', pinned: true })
  await says('  pinned?: boolean\n')
  await svc.collections.update('notes', { schema: { due: { type: 'datetime' } } })
  await says('  due?: DateTime\n')
  await svc.collections.delete('notes')
  await expect.poll(() => written('watched.ts')).not.toContain('Note')

  watching.kill('SIGINT')
  expect((await watching).exitCode).toBe(130)
  const [ready, ...rest] = lines.trim().split('\n')
  expect(JSON.parse(ready ?? '')).toEqual({ type: 'ready', file: 'watched.ts' })
  for (const line of rest) expect(JSON.parse(line)).toEqual({ type: 'written', file: 'watched.ts' })
})

test('svc dev --types keeps a file up to date, and refuses one that is somebody else’s', async () => {
  const other = await openWorld()
  try {
    const dev = await other.dev('--demo', '--types', 'src/svc-types.ts')
    const file = join(other.folder, 'src/svc-types.ts')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain("  author: Link<'authors'>\n")
    await other.svc(['docs', 'create', 'posts', 'title=Hello', 'pinned:=true'])
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('  pinned?: boolean\n')
    expect((await dev.stop()).exit).toBe(0)

    writeFileSync(file, 'export {}\n')
    expect(await other.svc(['dev', '--port', '0', '--types', 'src/svc-types.ts'], { isRefused: true })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('was not written by svc types generate'),
    })
  } finally {
    await other.close()
  }
})

const asApp = () => ['--key', publicKey]
const owner = async () =>
  createClient({ url: svcUrl, apiKey: (await world.svc(['project', 'key', '--secret', '--quiet'])).stdout.trim() })

test('documents that the key may not read count by their schema alone, and the owner reads all', async () => {
  await fill('secrets', [{ text: 'x', more: 1 }])
  const set = { schema: { text: { type: 'string', required: true } }, permissions: { read: ['admin'] } } as const
  await (await owner()).collections.update('secrets', set)

  const ran = await world.svc(['types', 'generate', 'secrets', '--out', '-', ...asApp()])

  expect(ran.stdout).toContain('export interface Secret {\n  text: string\n}\n')
  expect(ran.stderr).toContain('You may not read the documents of "secrets"')
  expect((await world.svc(['types', 'generate', 'secrets', '--out', '-'])).stdout).toContain('  more: number\n')
})

test.each([
  ['documents', asApp, { read: ['admin'] }, 'permissions hide the documents of "staff"'],
  [
    'documents of others',
    () => ['--as', 'ada@example.com'],
    { read: ['owner'] },
    'permissions hide documents of others in "staff"',
  ],
  ['a field', asApp, { hidden: { pay: ['admin'] } }, 'permissions hide pay of the documents of "staff"'],
])('types stay where permissions hide %s', async (_, reader, permissions, why) => {
  await fill('staff', [{ name: 'Ada', pay: 1 }])
  await (await owner()).collections.update('staff', { permissions })
  const generate = (...flags: string[]) => world.svc(['types', 'generate', 'staff', '--out', 'staff.ts', ...flags])
  expect(await generate()).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^(Wrote staff\.ts\.|staff\.ts is up to date\.)\n$/),
  })
  const before = written('staff.ts')
  expect(before).toMatch(/pay\??: number/)

  const worse = await generate(...reader())

  expect(worse).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`"staff.ts" was not updated because the new types are less precise: ${why}.`),
  })
  expect((await generate('--check', ...reader())).exit).toBe(1)
  expect(written('staff.ts')).toBe(before)
  await (await owner()).collections.delete('staff')
})

test('types stay where a few values would turn a field into a union', async () => {
  const [first = ''] = await fill(
    'weights',
    Array.from({ length: 10 }, (_, at) => ({ grams: at + 1.5, note: `note ${at}`, parts: [{ grams: 1.5 }] })),
  )
  const generate = () => world.svc(['types', 'generate', 'weights', '--out', 'weights.ts'])
  await generate()
  const before = written('weights.ts')
  await svc.collection('weights').update(first, { parts: [{ grams: 'much' }] })

  const worse = await generate()

  const few = '1 of 10 values of weights.parts.grams is not of type number'
  expect(worse).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`"weights.ts" was not updated because the new types are less precise: ${few}.`),
  })
  expect(written('weights.ts')).toBe(before)
  // New fields are written all the same.
  await svc.collection('weights').update(first, { parts: [{ grams: 2.5 }], more: true })
  expect((await generate()).exit).toBe(0)
  // Two types with equal shares are not a mistake.
  for (const { id } of (await svc.collection('weights').list({ limit: 5 })).items) {
    await svc.collection('weights').update(id, { grams: 'much' })
  }
  expect((await generate()).exit).toBe(0)
  expect(written('weights.ts')).toContain('  grams: string | number\n')
  await svc.collections.delete('weights')
})

test('a link in most of the values stays a link, with a warning, and ids of users are links', async () => {
  const user = (await svc.users.list()).items[0]?.id ?? ''
  const [author = ''] = await fill('authors', [{ name: 'Ada' }])
  const authorOf = (at: number) => (at === 0 ? 'unknown' : at === 1 ? 7 : author)
  await fill(
    'texts',
    Array.from({ length: 10 }, (_, at) => ({ author: authorOf(at), user })),
  )

  const { stdout, stderr } = await world.svc(['types', 'generate', 'texts', 'authors', '--out', '-'])

  expect(stdout).toContain("  author: Link<'authors'>\n  user: Link<'users'>\n")
  expect(stderr).toContain('2 of 10 values of texts.author are not ids of authors; the type is a link.')
  for (const name of ['texts', 'authors']) await svc.collections.delete(name)
})
